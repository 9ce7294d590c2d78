"""Measure irrun beside other engines: the same inputs, the same number of threads, in turns, in one run.

Each engine runs in a process of its own, which gives its peak memory and keeps one from disturbing another; only one
of them computes at any time. A full run writes docs/performance.md and docs/performance.svg; with --models or --quick
it only prints, unless --output says where to write.

Examples:
  python benchmarks/compare.py
  python benchmarks/compare.py --neighbours 1,2
  python benchmarks/compare.py --models resnet50,bert-base --seconds 10
  python benchmarks/compare.py --quick
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import report
from engines import ENGINES, available
from nets import DEFAULT_FOLDER, MODELS, Made, ensure

HERE: Final = Path(__file__).resolve().parent
PINS: Final = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
TURN: Final = 0.5
"""Seconds for which one engine runs before it is the turn of the next."""
IDLE: Final = 0.9
"""The share of all processors that does nothing on a calm machine."""
STARTED: Final = ("read_ms", "compile_ms", "first_ms", "start_ms")
"""What is measured at each start, up to the first answer."""
FEW: Final = 3
"""How many runs the reference evaluator makes; it is slow."""


class Worker:
    """An engine with a model, in another process."""

    def __init__(self, engine: str, made: Made, threads: int) -> None:
        files = (str(made.stem), str(made.workload))
        command = [sys.executable, str(HERE / "worker.py"), engine, *files, str(threads)]
        began = time.perf_counter()
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True
        )
        self.started: dict[str, Any] = self._answer()
        self.started["start_ms"] = 1000 * (time.perf_counter() - began)

    def ask(self, **command: Any) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if line:
            return json.loads(line)
        self._process.wait()
        self._errors.seek(0)
        last = [text for text in self._errors.read().splitlines() if text.strip()]
        raise RuntimeError(last[-1] if last else f"ended with status {self._process.returncode}")


def calm(seconds: float) -> None:
    """Wait for the machine to be idle, so long at most; nothing where the kernel does not say what it does."""
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        try:
            first = _ticks()
            time.sleep(0.3)
            idle, whole = (after - before for before, after in zip(first, _ticks(), strict=True))
        except OSError:
            return
        if idle >= IDLE * whole:
            return


def _ticks() -> tuple[int, int]:
    """Idle and all ticks of all processors since the start."""
    counts = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return counts[3] + counts[4], sum(counts)


@contextmanager
def neighbours(count: int) -> Iterator[None]:
    """Keep ``count`` processors busy with other programs."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def disturbed(made: Made, count: int, threads: int, seconds: float) -> dict[str, float]:
    """The median milliseconds of irrun, of irrun in one thread and of OpenVINO beside ``count`` busy programs."""
    found = {}
    with neighbours(count):
        for name, engine, limit in (
            ("irrun", "irrun", threads),
            ("irrun, 1 thread", "irrun", 1),
            ("OpenVINO", "openvino", threads),
        ):
            worker = Worker(engine, made, limit)
            found[name] = statistics.median(worker.ask(run=seconds))
            worker.close()
    return found


def measure(
    made: Made, engines: Sequence[str], threads: int, seconds: float, starts: int, patience: float
) -> dict[str, Any]:
    """What is known of each engine on a model; ``error`` alone where it failed."""
    records: dict[str, dict[str, Any]] = {}
    workers: dict[str, Worker] = {}
    begun: dict[str, list[dict[str, Any]]] = {name: [] for name in engines}
    for count in range(starts):
        for name in engines:
            slow = name == "onnx.reference" and count > 0
            if name in records or slow:
                continue
            calm(patience)
            try:
                worker = Worker(name, made, threads)
            except RuntimeError as error:
                records[name] = {"error": str(error)}
                continue
            begun[name].append(worker.started)
            if name in workers:
                workers[name].close()
            workers[name] = worker
    times: dict[str, list[float]] = {name: [] for name in workers}
    order = list(workers)
    turns = max(math.ceil(seconds / TURN), 1)
    for _ in range(turns):
        random.shuffle(order)
        for name in order:
            if name != "onnx.reference" or len(times[name]) < FEW:
                calm(patience)
                times[name] += workers[name].ask(run=min(TURN, seconds))
    outputs = {name: _outputs(worker) for name, worker in workers.items()}
    for name, worker in workers.items():
        records[name] = {
            **summary(times[name]),
            **{key: statistics.median(item[key] for item in begun[name]) for key in STARTED},
            "idle_mib": begun[name][-1]["idle_mib"],
            **worker.ask(memory=True),
            "blas": begun[name][-1]["blas"],
            "agreement": agreement(outputs[name], outputs["openvino"]) if "openvino" in outputs else None,
        }
        worker.close()
    return {name: records[name] for name in engines}


def _outputs(worker: Worker) -> list[Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "outputs.npz")
        worker.ask(outputs=str(path))
        with np.load(path) as archive:
            return [archive[f"arr_{index}"] for index in range(len(archive.files))]


def summary(times: Sequence[float]) -> dict[str, float]:
    """Milliseconds: the median, and the quartiles as the spread."""
    low, high = np.percentile(times, [25, 75]).tolist()
    return {
        "median_ms": statistics.median(times),
        "least_ms": min(times),
        "low_ms": low,
        "high_ms": high,
        "runs": len(times),
    }


def agreement(ours: Sequence[Any], theirs: Sequence[Any]) -> dict[str, float] | None:
    """The largest difference, and that divided by the largest magnitude of the output in which it is; None if shapes
    differ."""
    largest = relative = 0.0
    for left, right in zip(ours, theirs, strict=True):
        if left.shape != right.shape:
            return None
        gap = float(np.abs(left.astype(np.float64) - right).max())
        largest = max(largest, gap)
        relative = max(relative, gap / max(float(np.abs(right).max()), 1e-30))
    return {"absolute": largest, "relative": relative}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", help="names, with commas between them; all by default")
    parser.add_argument("--engines", default=",".join(ENGINES), help="names, with commas between them")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each engine runs each model")
    parser.add_argument("--starts", type=int, default=3, help="how often each engine reads and compiles each model")
    parser.add_argument("--quick", action="store_true", help="one second, one start, no reference evaluator")
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER, help="where the models are, or are made")
    parser.add_argument("--output", type=Path, help="write performance.md and performance.svg into this folder")
    parser.add_argument("--json", type=Path, help="write all figures into this file")
    parser.add_argument(
        "--calm", type=float, default=0.0, metavar="SECONDS", help="wait so long at most for other programs, each turn"
    )
    parser.add_argument(
        "--neighbours", default="", metavar="COUNTS", help="measure beside so many busy programs too, such as 1,2"
    )
    parser.add_argument("--pinned", action="store_true", help="measure although BLAS is pinned to an architecture")
    options = parser.parse_args()
    names = options.models.split(",") if options.models is not None else list(MODELS)
    engines = options.engines.split(",")
    counts = [int(count) for count in options.neighbours.split(",") if count]
    for kind, given, known in (("model", names, MODELS), ("engine", engines, ENGINES)):
        strange = [name for name in given if name not in known]
        if strange:
            parser.error(f"no {kind} {strange[0]}; there are {', '.join(known)}")
    pinned = [name for name in PINS if os.environ.get(name)]
    if pinned and not options.pinned:
        how = f"unset it (env -u {' -u '.join(pinned)}), or give --pinned"
        parser.error(f"{pinned[0]} pins BLAS to an architecture, which can halve its speed; {how}")
    if options.quick:
        options.seconds, options.starts = 1.0, 1
        engines = [name for name in engines if name != "onnx.reference"]
    results: dict[str, Mapping[str, Any]] = {}
    for name in names:
        made = ensure(name, options.folder)
        usable = [engine for engine in engines if available(engine, made.stem)]
        results[name] = measure(made, usable, options.threads, options.seconds, max(options.starts, 1), options.calm)
        print(report.line(name, results[name]), flush=True)
    busy = {
        name: {
            count: disturbed(ensure(name, options.folder), count, options.threads, options.seconds) for count in counts
        }
        for name in (names if counts else ())
    }
    whole = {"machine": report.machine(options.threads, results), "results": results, "busy": busy}
    if options.json is not None:
        options.json.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    partial = options.models is not None or options.quick
    output = options.output if options.output is not None else None if partial else HERE.parent / "docs"
    text = report.markdown(whole["machine"], results, busy)
    if output is None:
        print(f"\n{text}")
        return
    output.mkdir(parents=True, exist_ok=True)
    (output / "performance.md").write_text(text, encoding="utf-8")
    (output / "performance.svg").write_text(report.svg(results), encoding="utf-8")
    print(f"wrote {output / 'performance.md'} and {output / 'performance.svg'}")


if __name__ == "__main__":
    main()

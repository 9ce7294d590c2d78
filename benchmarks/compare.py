"""Measure irrun beside other engines: the same inputs, the same number of threads, in turns, in one run.

The models are those that real exporters write, with random weights; they are made first where they are not there, in
the folder that --folder or IRRUN_MODELS names. Each engine runs in a process of its own, which gives its peak memory
and keeps one from disturbing another; only one of them computes at any time. What an engine compiles while it runs is
compiled before it is measured; the time to the first answer is that of a fresh process. A full run takes about an hour
beside making the models, and writes docs/performance.md and its pictures; with --models, --engines or --quick it only
prints, unless --output says where to write.

To measure in parts, keep the figures of each, and join them in the end; of rows measured twice, the last file counts:
  python benchmarks/compare.py --models resnet50,vgg16 --neighbours 0,1,2 --json vision.json
  python benchmarks/compare.py --models smollm-135m-f32-token-32,smollm-135m-int4-token-32 --json language.json
  python benchmarks/compare.py --merge vision.json language.json

Examples:
  python benchmarks/compare.py
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
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import plots
import report
from bandwidth import copied, weights_read
from engines import ENGINES, available
from exports import DEFAULT_FOLDER, MODELS, TOKENS, Made, ensure
from processes import Worker, calm, compile_bytecode, neighbours

HERE: Final = Path(__file__).resolve().parent
DOCS: Final = HERE.parent / "docs"
PINS: Final = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
TURN: Final = 0.5
"""Seconds for which one engine runs before it is the turn of the next."""
STARTED: Final = ("read_ms", "compile_ms", "first_ms", "start_ms")
"""Figures of each start, up to the first answer."""
FEW: Final = 2
"""Runs of the reference evaluator, which is slow."""
REFERENCE: Final = ("resnet50", "squeezenet", "mobilenet-v2")
"""The models that it runs."""
BESIDE: Final = ("resnet50", "mobilenet-v2", "yolov8n", "bert-base", "smollm-135m-int8-token-32")
"""The models that a full run measures beside busy programs."""


def disturbed(made: Made, counts: Sequence[int], seconds: float) -> dict[int, dict[str, dict[str, float]]]:
    """The times beside busy programs, by their number: of irrun, of irrun in one thread, of OpenVINO.

    They take turns: the share of the processors that the system gives to a program changes from second to second. The
    number of threads is left to the engines.
    """
    workers = {
        "irrun": Worker("irrun", made, 0),
        "irrun, 1 thread": Worker("irrun", made, 1),
        "OpenVINO": Worker("openvino", made, 0),
    }
    for worker in workers.values():
        worker.ask(warm=True)
    found: dict[int, dict[str, dict[str, float]]] = {}
    for count in counts:
        with neighbours(count):
            times = in_turns(workers, seconds)
        found[count] = {name: summary(each) for name, each in times.items()}
    for worker in workers.values():
        worker.close()
    return found


def in_turns(workers: Mapping[str, Worker], seconds: float) -> dict[str, list[float]]:
    """The milliseconds of the runs of each worker."""
    times: dict[str, list[float]] = {name: [] for name in workers}
    for _ in range(max(math.ceil(seconds / TURN), 1)):
        for name in random.sample(list(workers), len(workers)):
            times[name] += workers[name].ask(run=min(TURN, seconds))
    return times


def measure(
    made: Made, engines: Sequence[str], threads: int, seconds: float, starts: int, patience: float
) -> dict[str, Any]:
    """Return the figures of each engine on a model; only ``error`` for one that failed."""
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
    for name, worker in workers.items():
        if name != "onnx.reference":
            worker.ask(warm=True)
    times: dict[str, list[float]] = {name: [] for name in workers}
    order = list(workers)
    turns = max(math.ceil(seconds / TURN), 1)
    for _ in range(turns):
        random.shuffle(order)
        for name in order:
            few = FEW if name == "onnx.reference" else math.inf
            if len(times[name]) < few and sum(times[name]) < 1000 * seconds:
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
    """Milliseconds: the median, the quartiles as the spread, and the 99th percentile."""
    low, high, slow = np.percentile(times, [25, 75, 99]).tolist()
    return {
        "median_ms": statistics.median(times),
        "least_ms": min(times),
        "low_ms": low,
        "high_ms": high,
        "p99_ms": slow,
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
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each engine runs each model")
    parser.add_argument("--starts", type=int, default=2, help="how often each engine reads and compiles each model")
    parser.add_argument("--quick", action="store_true", help="one second, one start, no reference evaluator")
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER, help="where the models are, or are made")
    parser.add_argument("--output", type=Path, help="write performance.md and performance.svg into this folder")
    parser.add_argument("--json", type=Path, help="write all figures into this file")
    parser.add_argument(
        "--calm", type=float, default=0.0, metavar="SECONDS", help="wait so long at most for other programs, each turn"
    )
    parser.add_argument(
        "--neighbours",
        metavar="COUNTS",
        help="measure beside this many busy programs too; 0,1,2 in a full run, for some models",
    )
    parser.add_argument("--pinned", action="store_true", help="measure although BLAS is pinned to an architecture")
    parser.add_argument("--merge", type=Path, nargs="+", metavar="FILE", help="measure nothing, report these figures")
    options = parser.parse_args()
    if options.merge:
        publish(*merged(options.merge), options.output or DOCS)
        return
    partial = options.quick or options.models is not None or options.engines != ",".join(ENGINES)
    names = options.models.split(",") if options.models is not None else list(MODELS)
    engines = options.engines.split(",")
    if options.neighbours is None:
        options.neighbours = "" if partial else "0,1,2"
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
    compile_bytecode()
    results: dict[str, Mapping[str, Any]] = {}
    for name in names:
        made = ensure(name, options.folder)
        skipped = () if name in REFERENCE else ("onnx.reference",)
        usable = [engine for engine in engines if engine not in skipped and available(engine, made.stem)]
        results[name] = measure(made, usable, options.threads, options.seconds, max(options.starts, 1), options.calm)
        if MODELS[name].group == TOKENS:
            read = {"weights": weights_read(made.stem.with_suffix(".xml")), "copied": copied(options.threads)}
            results[name] = {**results[name], report.MEMORY: read}
        print(report.line(name, results[name]), flush=True)
        keep(options, results, {})
    busy: dict[str, Any] = {}
    for name in () if not counts else BESIDE if options.models is None else names:
        busy[name] = disturbed(ensure(name, options.folder), counts, options.seconds)
        keep(options, results, busy)
    conditions = report.machine(options.threads, results)
    publish(conditions, results, busy, options.output or (None if partial else DOCS))


def keep(options: argparse.Namespace, results: report.Results, busy: report.Busy) -> None:
    """Write the figures that are known so far, so that none is lost if measuring stops."""
    if options.json is not None:
        whole = {"machine": report.machine(options.threads, results), "results": results, "busy": busy}
        options.json.write_text(json.dumps(whole, indent=1), encoding="utf-8")


def merged(files: Sequence[Path]) -> tuple[dict[str, str], report.Results, report.Busy]:
    """The conditions, results and figures beside neighbours of several files, in the order of the tables."""
    conditions: dict[str, str] = {}
    results: dict[str, Mapping[str, Any]] = {}
    busy: dict[str, Mapping[int, Mapping[str, Mapping[str, float]]]] = {}
    for file in files:
        whole = json.loads(file.read_text(encoding="utf-8"))
        conditions.update(whole["machine"])
        results.update(whole["results"])
        busy.update({name: {int(count): row for count, row in rows.items()} for name, rows in whole["busy"].items()})
    ordered, beside = ({name: part[name] for name in MODELS if name in part} for part in (results, busy))
    return conditions, ordered, beside


def publish(conditions: Mapping[str, str], results: report.Results, busy: report.Busy, output: Path | None) -> None:
    """Write the report into a folder, or print it."""
    text = report.markdown(conditions, results, busy)
    if output is None:
        print(f"\n{text}")
        return
    output.mkdir(parents=True, exist_ok=True)
    (output / "performance.md").write_text(text, encoding="utf-8")
    (output / "performance.svg").write_text(plots.svg(results), encoding="utf-8")
    if "](precision.svg)" in text:
        (output / "precision.svg").write_text(plots.precision_svg(results), encoding="utf-8")
    print(f"wrote {output / 'performance.md'} and its pictures")


if __name__ == "__main__":
    main()

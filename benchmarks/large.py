"""Measure a language model of billions of parameters beside OpenVINO: time and memory up to the first answer and after.

Weights are random and written layer by layer, so that making one takes no more memory than its file. Each engine runs
in a process of its own, one after the other.

Examples:
  python benchmarks/large.py make large.xml --weights int4
  python benchmarks/large.py run large.xml
  python benchmarks/large.py generate large.xml
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import report
from exports import assembled

STORIES: Final = Path(__file__).resolve().parents[1] / "examples" / "stories"
PROMPT: Final = "Once upon a time there was a little girl who lived in a house at the edge of a forest"
INFERRED: Final = """
import sys, time
import numpy as np
import irrun.generation
ids = irrun.generation.Tokenizer(sys.argv[2]).encode(sys.argv[3]).input_ids
import openvino
core = openvino.Core()
model = core.read_model(sys.argv[1])
began = time.perf_counter()
settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": int(sys.argv[4])}
request = core.compile_model(model, "CPU", settings).create_infer_request()
request.infer({
    "input_ids": ids, "attention_mask": np.ones_like(ids), "position_ids": np.arange(ids.size)[None],
    "beam_idx": np.zeros(1, np.int32),
})
print(time.perf_counter() - began)
"""
ENGINES: Final = ("irrun", "openvino")
ROWS: Final = ("read", "compile", "prompt", "token", "dropped")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("make", "run", "generate", "engine"))
    parser.add_argument("model", type=Path)
    parser.add_argument("--weights", choices=("int4", "int8"), default="int4")
    parser.add_argument("--layers", type=int, default=assembled.Sizes().layers)
    parser.add_argument("--prompt", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--engine", choices=ENGINES, help="what ``engine`` measures")
    options = parser.parse_args()
    if options.task == "make":
        assembled.write(options.model, options.weights, assembled.Sizes(layers=options.layers))
    elif options.task == "engine":
        print(json.dumps(measured(options.engine, options.model, options.prompt, options.threads)))
    elif options.task == "generate":
        print(*generated(options), sep="\n")
    else:
        print(*compared(options), sep="\n")


def compared(options: argparse.Namespace) -> list[str]:
    """The lines of a table in Markdown: each step with its seconds, processor time and memory in both engines."""
    found = {}
    for engine in ENGINES:
        command = [sys.executable, __file__, "engine", str(options.model), "--engine", engine]
        command += ["--prompt", str(options.prompt), "--threads", str(options.threads)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found[engine] = json.loads(done.stdout.splitlines()[-1])
    figures = ("seconds", "processor", "private MiB", "peak MiB")
    heads = ["step", *(f"{engine}, {figure}" for figure in figures for engine in ENGINES)]
    rows = [[row, *(f"{found[engine][row][figure]:.4g}" for figure in figures for engine in ENGINES)] for row in ROWS]
    size = options.model.with_suffix(".bin").stat().st_size / 2**20
    return [f"The .bin has {size:.0f} MiB.", "", *report.table(heads, rows)]


def generated(options: argparse.Namespace) -> list[str]:
    """The lines of a table in Markdown: the time until ``irrun generate`` prints the first token of an answer.

    Beside it, OpenVINO compiles the model and infers the same token numbers once. Both are timed as whole processes,
    and OpenVINO without its start and reading, too. The tokenizer is that of ``examples/stories``.
    """
    least = dict.fromkeys(
        ("irrun generate", "OpenVINO, the whole process", "OpenVINO, compiling and inferring"), math.inf
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in (*STORIES.glob("openvino_*tokenizer.*"), STORIES / "tokenizer_config.json"):
            (folder / file.name).symlink_to(file)
        for suffix in (".xml", ".bin"):
            (folder / f"openvino_model{suffix}").symlink_to(options.model.with_suffix(suffix).resolve())
        (folder / "config.json").write_text('{"model_type": "llama", "eos_token_id": 2}', encoding="utf-8")
        threads = str(options.threads)
        generate = [sys.executable, "-m", "irrun", "generate", name, PROMPT, "--max-new-tokens", "1"]
        generate += ["--threads", threads]
        infer = [sys.executable, "-c", INFERRED, str(options.model), name, PROMPT, threads]
        for _ in range(options.runs):
            figures = (*timed(generate)[:1], *timed(infer))
            least = {row: min(*pair) for row, *pair in zip(least, least.values(), figures, strict=True)}
    return report.table(["", "seconds"], [[row, f"{seconds:.2f}"] for row, seconds in least.items()])


def timed(command: Sequence[str]) -> list[float]:
    """The seconds of a process, and the number that it prints last, if it is one."""
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - began
    try:
        return [seconds, float(done.stdout.split()[-1])]
    except ValueError:
        return [seconds]


def measured(engine: str, model: Path, prompt: int, threads: int) -> Mapping[str, Mapping[str, float]]:
    """The figures of each step of one engine; a token is the mean of four."""
    if engine == "irrun":
        import irrun as library

        more: dict[str, Any] = {}
    else:
        import openvino as library

        more = {"DYNAMIC_QUANTIZATION_GROUP_SIZE": 0, "KV_CACHE_PRECISION": "f32"}
    core = library.Core()
    held: dict[str, Any] = {}

    def read() -> None:
        held["model"] = core.read_model(model)

    def compile() -> None:
        settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, **more}
        held["request"] = core.compile_model(held.pop("model"), "CPU", settings).create_infer_request()

    def drop() -> None:
        held.clear()
        time.sleep(0.1)
        gc.collect()

    steps: list[Callable[[], object]] = [
        read,
        compile,
        lambda: held["request"].infer(inputs(0, prompt)) and None,
        lambda: [held["request"].infer(inputs(prompt + number, 1)) and None for number in range(4)],
        drop,
    ]
    found = {}
    for row, step in zip(ROWS, steps, strict=True):
        count = 4 if row == "token" else 1
        began, before = time.perf_counter(), processor()
        step()
        seconds, spent = (time.perf_counter() - began) / count, (processor() - before) / count
        found[row] = {"seconds": seconds, "processor": spent, **memory()}
    return found


def inputs(past: int, length: int) -> Mapping[str, Any]:
    return {
        "input_ids": np.random.default_rng(past).integers(0, 32000, (1, length)),
        "attention_mask": np.ones((1, past + length), np.int64),
        "position_ids": np.arange(past, past + length)[None],
        "beam_idx": np.zeros(1, np.int32),
    }


def processor() -> float:
    """The processor time of this process so far, in seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def memory() -> Mapping[str, float]:
    """The memory that this process shares with no other, and the peak of all that was resident, in MiB."""
    rollup = Path("/proc/self/smaps_rollup").read_text(encoding="utf-8").splitlines()
    private = sum(int(line.split()[1]) for line in rollup if line.startswith("Private_"))
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    return {"private MiB": private / 1024, "peak MiB": peak / 1024}


if __name__ == "__main__":
    main()

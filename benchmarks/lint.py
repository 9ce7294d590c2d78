"""The linter on a large IR: seconds with start-up, peak memory, and the ratio to OpenVINO's read_model.

The IR is generated: half of its layers are constants, the rest a chain of Add, Multiply, ReLU and Clamp. It is checked
as it is and with one wrong dim. With ``--models`` the time of read_model and of compile_model follows, for that IR and
for the models that ``models.py`` makes, beside OpenVINO's.
"""

from __future__ import annotations

import argparse
import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import report
from exports import DEFAULT_FOLDER

from irrun.document.writer import Writer
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32

SIZE = 8
PARTS = ("irrun.cli.app", "irrun.linter.check")
BARE = [sys.executable, "-c", f"import {', '.join(PARTS)}"]
READ_MODEL = "import sys, openvino; openvino.Core().read_model(sys.argv[1])"
LAUNCHER = """
import os, sys, time
nothing = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
began = time.perf_counter()
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=nothing)
_, status, used = os.wait4(process, 0)
print(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""Runs a command and prints its figures. It is small: a process counts the memory of the one that began it."""

COMPILED = """
import sys, time
import {engine} as engine
core = engine.Core() if hasattr(engine, "Core") else engine
taken = []
for _ in range(int(sys.argv[2])):
    began = time.perf_counter()
    model = core.read_model(sys.argv[1])
    read = time.perf_counter()
    compiled = core.compile_model(model, *{device})
    taken.append((time.perf_counter() - began, read - began))
print(*min(taken))
"""


READING = """
import resource, sys, time
import {engine} as engine
core = engine.Core() if hasattr(engine, "Core") else engine
began = time.perf_counter()
model = core.read_model(sys.argv[1])
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
LINT = [sys.executable, "-m", "irrun", "lint"]
SIZES = (20_000, 100_000, 500_000)


class Run(NamedTuple):
    """Wall time, time on the processor, and peak resident memory."""

    seconds: float
    busy: float
    megabytes: float


def generated(layers: int) -> Writer:
    """Return an IR with ``layers`` layers."""
    ir = Writer("chain")
    fact = Fact(F32, Shape([SIZE]))
    x = ir.parameter("x", F32, Shape([SIZE]))
    kinds = ("Add", "Multiply", "ReLU", "Clamp")
    written = 2
    while written < layers:
        kind = kinds[written // 2 % len(kinds)]
        if kind in ("Add", "Multiply"):
            values = np.full(SIZE, 1 + written % 977, dtype=np.float32)
            inputs, attributes = [x, ir.constant(values, F32)], {"auto_broadcast": "numpy"}
        else:
            inputs, attributes = [x], {"min": "0", "max": "6"} if kind == "Clamp" else {}
        (x,) = ir.layer(kind, "opset1", inputs, [fact], attributes)
        written += len(inputs)
    ir.result(x)
    return ir


def run(command: Sequence[str]) -> Run:
    """Return the resources of a process that must succeed."""
    launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, *command]
    done = subprocess.run(launcher, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return Run(*map(float, done.stdout.split()))


def median(command: Sequence[str], runs: int) -> Run:
    found = [run(command) for _ in range(runs)]
    return Run(*(statistics.median(values) for values in zip(*found, strict=True)))


def compiled(engine: str, path: Path, runs: int) -> tuple[float, float]:
    """Seconds of read_model and of compile_model, of the best of some runs in one process."""
    script = COMPILED.format(engine=engine, device=() if engine == "irrun" else ("CPU",))
    done = subprocess.run([sys.executable, "-c", script, str(path), str(runs)], check=True, capture_output=True)
    total, read = map(float, done.stdout.split())
    return read, total - read


def growth(path: Path, runs: int) -> list[str]:
    """The lines of a table: reading and linting of more and more layers, and the exponents from each to the next.

    The seconds of ``read_model`` are those in a process that has imported the engine, those of ``irrun lint`` and the
    memory are those of a whole process. Exponents are those of the seconds beyond the start of a process.
    """
    heads = ["layers", "MB", "read_model, s", "OpenVINO, s", "ratio", "exponent"]
    heads += ["irrun lint, s", "exponent", "read_model, MiB", "irrun lint, MiB"]
    rows = []
    start = min(run(BARE).seconds for _ in range(max(runs, 3)))
    before: tuple[float, ...] = ()
    for layers in SIZES:
        write(generated(layers), path)
        measures = (
            lambda: reading("irrun", path),
            lambda: reading("openvino", path),
            lambda: whole([*LINT, str(path)]),
        )
        (read, read_memory), (theirs, _), (lint, lint_memory) = least(measures, runs)
        now = (layers, read, lint - start)
        exponents = ["", ""]
        if before:
            exponents = [f"{math.log(now[n] / before[n]) / math.log(now[0] / before[0]):.2f}" for n in (1, 2)]
        before = now
        size = path.stat().st_size / 1e6
        cells = [f"{layers:,}", f"{size:.1f}", f"{read:.2f}", f"{theirs:.3f}", f"{read / theirs:.1f}", exponents[0]]
        rows.append([*cells, f"{lint:.2f}", exponents[1], f"{read_memory:,.0f}", f"{lint_memory:,.0f}"])
    return [*report.table(heads, rows), f"Of `irrun lint`, {start:.2f} s are its start."]


def least(measures: Sequence[Callable[[], tuple[float, float]]], runs: int) -> list[tuple[float, float]]:
    """The least seconds, and the least memory, of some runs of each, which take turns."""
    found = zip(*[[measure() for measure in measures] for _ in range(runs)], strict=True)
    return [(min(seconds), min(memory)) for seconds, memory in (zip(*each, strict=True) for each in found)]


def whole(command: Sequence[str]) -> tuple[float, float]:
    """The seconds of a process and its MiB at its peak."""
    used = run(command)
    return used.seconds, used.megabytes


def reading(engine: str, path: Path) -> tuple[float, float]:
    """The seconds of ``read_model`` in a process of its own, and the MiB of that at its peak."""
    done = subprocess.run(
        [sys.executable, "-c", READING.format(engine=engine), str(path)], check=True, capture_output=True
    )
    seconds, kibibytes = map(float, done.stdout.split())
    return seconds, kibibytes / 1024


def print_compiled(path: Path, runs: int) -> None:
    ours, theirs = (compiled(engine, path, runs) for engine in ("irrun", "openvino"))
    figures = "".join(f"{1000 * read:9.0f} +{1000 * rest:6.0f}" for read, rest in (ours, theirs))
    print(f"{path.parent.name:22}{figures}{sum(ours) / sum(theirs):8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="write the IR there")
    parser.add_argument("--models", action="store_true", help="time read_model and compile_model, too")
    parser.add_argument("--growth", action="store_true", help="compare several sizes in a table in Markdown")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.keep or Path(folder) / "chain.xml"
        if arguments.growth:
            print("\n".join(growth(path, arguments.runs)))
            return
        write(generated(arguments.layers), path)
        print_lint(path, arguments.layers, arguments.runs)
        if arguments.models:
            print("read_model + compile_model in ms     irrun        openvino   ratio")
            for model in (path, *sorted(DEFAULT_FOLDER.glob("*/model.xml"))):
                print_compiled(model, arguments.runs)


def write(ir: Writer, path: Path) -> None:
    """The IR at ``path`` without indentation, and beside it ``faulty.xml``, in the middle of which a dim is wrong."""
    text = ir.text.replace("\t", "")
    dim = text.index(f"<dim>{SIZE}</dim>", len(text) // 2)
    faulty = path.with_name("faulty.xml")
    for file, content in ((path, text), (faulty, f"{text[:dim]}<dim>{SIZE + 1}{text[dim + 6 :]}")):
        file.write_text(content, encoding="utf-8")
        file.with_suffix(".bin").write_bytes(ir.weights)


def print_lint(path: Path, layers: int, runs: int) -> None:
    size = path.stat().st_size / 2**20
    faulty = str(path.with_name("faulty.xml"))
    bare = median(BARE, runs)
    lint = median([*LINT, str(path)], runs)
    one = median([*LINT, "--exit-zero", faulty], runs)
    openvino = median([sys.executable, "-c", READ_MODEL, str(path)], runs)
    imported = median([sys.executable, "-c", "import openvino"], runs)
    print(f"{layers} layers, {size:.1f} MB, median of {runs} runs, start-up included")
    for name, item, start in (
        ("irrun lint", lint, bare),
        ("  of which start-up", bare, None),
        ("  with one wrong dim", one, bare),
        ("openvino read_model", openvino, imported),
        ("  of which import", imported, None),
    ):
        multiple = ""
        if start is not None:
            over = item.megabytes - start.megabytes
            multiple = f" = {item.megabytes / size:5.1f} x the file, {over / size:5.1f} x over start-up"
        print(f"{name:22}{item.seconds:7.2f} s, {item.busy:5.2f} s busy {item.megabytes:6.0f} MB peak{multiple}")
    without = (lint.seconds - bare.seconds) / max(openvino.seconds - imported.seconds, 1e-3)
    total = lint.seconds / openvino.seconds
    print(f"irrun lint takes {total:.1f} times as long as read_model, {without:.1f} without start-up")


if __name__ == "__main__":
    main()

"""Start-up: processor time, user and system, from the start of a process to its end. Prints medians.

Each command runs with the bytecode of irrun cached, and without.

With --answers, it measures the time from the start of a process to the first answer of whole models beside OpenVINO, in
turns, and prints the least seconds and the least processor time of all runs.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import report
from exports import DEFAULT_FOLDER, STARTED, ensure
from processes import Worker, compile_bytecode

ROOT = Path(__file__).resolve().parents[1]
DIGITS = ROOT / "examples" / "digits"
COMMANDS = {
    "import numpy": ["-c", "import numpy"],
    "irrun --version": ["-m", "irrun", "--version"],
    "irrun lint digits": ["-m", "irrun", "lint", str(DIGITS / "model.xml")],
    "irrun run digits": ["-m", "irrun", "run", str(DIGITS / "model.xml"), "-i", str(DIGITS / "seven.npy")],
}


def seconds(arguments: list[str], environment: Mapping[str, str]) -> float:
    """The processor time of a Python process, in seconds."""
    before = spent()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment, cwd="/")
    return spent() - before


def spent() -> float:
    """The processor time of all processes that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def answers(names: Sequence[str], folder: Path, threads: int, runs: int) -> list[str]:
    """The lines of a table in Markdown: the starts of models in fresh processes, with the ratios to OpenVINO's."""
    rows, ratios = [], {}
    for name in names:
        made = ensure(name, folder)
        least = {engine: [math.inf, math.inf] for engine in ("irrun", "openvino")}
        for _ in range(runs):
            for engine, found in least.items():
                before = spent()
                worker = Worker(engine, made, threads)
                worker.close()
                least[engine] = [min(found[0], worker.started["start_ms"] / 1000), min(found[1], spent() - before)]
        (ours, own), (theirs, other) = least.values()
        ratios[name] = ours / theirs
        rows.append([name, *(f"{each:.2f}" for each in (ours, theirs, ours / theirs, own, other, own / other))])
    heads = ["model", "irrun, s", "OpenVINO f32, s", "ratio", "irrun, processor", "OpenVINO, processor", "ratio"]
    return [*report.table(heads, rows), *report.mean_starts(ratios)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--answers", metavar="NAMES", nargs="?", const="", help="models, with commas between them")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER, help="where the models are, or are made")
    options = parser.parse_args()
    runs = options.runs
    if options.answers is not None:
        compile_bytecode()
        names = options.answers.split(",") if options.answers else [name for each in STARTED.values() for name in each]
        print(*answers(names, options.folder, options.threads, runs), sep="\n")
        return
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with tempfile.TemporaryDirectory() as cached, tempfile.TemporaryDirectory() as bare:
        for folder in (cached, bare):
            shutil.copytree(ROOT / "irrun", Path(folder, "irrun"), ignore=shutil.ignore_patterns("__pycache__"))
        kinds = {
            "cached": {**inherited, "PYTHONPATH": cached},
            "no bytecode": {**inherited, "PYTHONPATH": bare, "PYTHONDONTWRITEBYTECODE": "1"},
        }
        times: dict[tuple[str, str], list[float]] = {(name, kind): [] for name in COMMANDS for kind in kinds}
        for count in range(runs + 1):
            for name, kind in times:
                spent = seconds(COMMANDS[name], kinds[kind])
                if count > 0:
                    times[name, kind].append(spent)
    print(f"{'milliseconds':20} {'cached':>12} {'no bytecode':>12}")
    for name in COMMANDS:
        cells = (f"{1000 * statistics.median(times[name, kind]):12.0f}" for kind in kinds)
        print(f"{name:20} {' '.join(cells)}")


if __name__ == "__main__":
    main()

"""Start-up: processor time, user and system, from the start of a process to its end. Prints medians.

Each command runs with the bytecode of irrun cached, and without.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

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
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment, cwd="/")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
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

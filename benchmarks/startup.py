"""Start-up: what irrun adds to the bare interpreter. Prints medians over a number of runs."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

DIGITS = Path(__file__).resolve().parents[1] / "examples" / "digits" / "model.xml"
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "irrun --version": [sys.executable, "-m", "irrun", "--version"],
    "irrun lint digits": [sys.executable, "-m", "irrun", "lint", str(DIGITS)],
    "irrun run digits": [
        sys.executable,
        "-m",
        "irrun",
        "run",
        str(DIGITS),
        "-i",
        str(DIGITS.with_name("seven.npy")),
    ],
}


def seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, command in COMMANDS.items():
            times[name].append(seconds(command))
    bare = statistics.median(times["python -c pass"])
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:20} {1000 * median:7.0f} ms   {1000 * (median - bare):+7.0f} ms over the bare interpreter")


if __name__ == "__main__":
    main()

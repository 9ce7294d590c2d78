"""Meet every path that writes with every fault, many times at random points."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.lab import drawing
from tests.lab.faults.events import faults_of
from tests.lab.faults.paths import PATHS
from tests.lab.faults.trials import trials


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab faults", description=__doc__)
    parser.add_argument("--times", type=int, default=200, help="of each path and fault, in a round")
    drawing.add_options(parser, 1, "rounds")
    given = parser.parse_args(arguments)
    failed = False
    for seed in drawing.seeds(given):
        for name, path in PATHS.items():
            for fault in faults_of(path):
                found = trials(path, [fault], given.times, seed)
                print(f"{name}, {fault}: {given.times} times, {len(found)} wrong", flush=True)
                print("".join(f"  {line}\n" for line in found[:3]), end="", flush=True)
                failed = failed or bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

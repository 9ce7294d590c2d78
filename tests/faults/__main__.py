"""``python -m tests.faults --times 200``: every fault at every path that writes."""

from __future__ import annotations

import argparse
import sys

from tests.faults.events import FAULTS, OF_WEIGHTS, trials
from tests.faults.paths import PATHS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    failed = False
    for name, path in PATHS.items():
        for fault in FAULTS:
            if fault in OF_WEIGHTS and not path.large:
                continue
            found = trials(path, fault, given.times, given.seed)
            print(f"{name}, {fault}: {given.times} times, {len(found)} wrong", flush=True)
            print("".join(f"  {line}\n" for line in found[:3]), end="", flush=True)
            failed = failed or bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

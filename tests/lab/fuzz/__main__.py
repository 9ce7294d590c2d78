"""Run random mutants through a target, or through all of them in turn."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.lab.fuzz.campaign import campaign
from tests.lab.fuzz.targets import TARGETS


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab fuzz", description=__doc__)
    parser.add_argument("target", choices=[*TARGETS, "all"])
    parser.add_argument("--seconds", type=float, default=60, help="time of each target")
    parser.add_argument("--inputs", type=int, help="number of inputs of each target, where the time allows it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("crashes"), help="where inputs that fail are written")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in TARGETS if given.target == "all" else [given.target]:
        outcome = campaign(name, given.seconds, given.seed, given.folder, given.inputs)
        print(
            f"{name}: {outcome.count} inputs, {outcome.peak >> 20} MiB, {len(outcome.failures)} kinds of failure",
            flush=True,
        )
        for kind in outcome.failures:
            print(f"  {kind}", flush=True)
        failed = failed or bool(outcome.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

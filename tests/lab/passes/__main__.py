"""Run every IR below a folder with each pass of the optimiser alone, and with each left out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from irrun.diagnostics import IRError, OpError
from tests.lab.passes.each_pass import NAMES, TOLERANCE, outcomes


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab passes", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", action="append", choices=NAMES, help="this pass only; several are possible")
    parser.add_argument("--tier", default="numpy", choices=("numpy", "compiled"))
    given = parser.parse_args(arguments)
    count = found = skipped = 0
    for path in sorted(given.folder.rglob("*.xml")):
        try:
            for outcome in outcomes(path, given.name or NAMES, TIER=given.tier):
                count += 1
                if not outcome.error <= TOLERANCE:
                    found += 1
                    print(outcome, flush=True)
        except (IRError, OpError) as error:
            skipped += 1
            print(f"{path} cannot run: {error}", flush=True)
    print(f"{count} runs, {found} with an error above {TOLERANCE:g}; {skipped} models that cannot run")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

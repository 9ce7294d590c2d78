"""``python -m tests.lab mutants``: plant the faults of a seed, and see which tests notice them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.lab.mutants.draw import ROOT
from tests.lab.mutants.study import study


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--tree", type=Path, default=Path("mutants/tree"), help="where the copy of the tree is")
    parser.add_argument(
        "--records", type=Path, help="faults and outcomes; docs/measurements/faults-SEED.json by default"
    )
    parser.add_argument("--before", type=Path, help="a tree with other tests, for what these do not notice")
    given = parser.parse_args(arguments)
    records = given.records or ROOT / "docs" / "measurements" / f"faults-{given.seed}.json"
    study(given.tree.absolute(), given.seed, given.count, records, given.before)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

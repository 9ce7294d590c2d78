"""Plant faults, write the folder of each, and print those that do not show the same fault."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tests.lab.pairs.judging import NETWORKS
from tests.lab.reductions.judging import reductions


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab reductions", description=__doc__)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=7, help="Take one in so many faults.")
    parser.add_argument("--show", action="store_true", help="Print each.")
    given = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    layers = 0
    for item in reductions(given.networks, given.seed, given.every):
        counts["another fault" if item.problem else "the same fault"] += 1
        counts["reduced" if item.after < item.before else "whole models"] += 1
        layers += item.after
        if item.problem or given.show:
            size = f"{item.before} layers to {item.after}"
            print(f"{item.pair.name}: {item.fault.kind}, {size} {item.problem}".rstrip(), flush=True)
    for what, count in counts.items():
        print(f"{what}: {count}")
    return int(counts["another fault"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

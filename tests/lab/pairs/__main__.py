"""Judge pairs of models, and print where a verdict is not right."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tests.lab.pairs.judging import run


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab pairs", description=__doc__)
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--exporters", action="store_true", help="models exported twice, one beside the other")
    parser.add_argument("--surroundings", type=int, help="the number of surroundings drawn for each kind of fault")
    given = parser.parse_args(arguments)
    counts: Counter[tuple[str, str]] = Counter()
    judged = run(given.networks, given.seed, exporters=given.exporters, most=given.surroundings)
    for name, outcome, verdict, pair in judged:
        counts["sound" if pair.planted is None else "planted", outcome] += 1
        if outcome != "right":
            wanted = "nobody" if pair.planted is None else f"{pair.planted.layer}, {pair.planted.cause}"
            print(f"{outcome}: {name}\n    planted: {wanted}\n    claimed: {verdict.as_dict()}", flush=True)
    for (kind, outcome), count in sorted(counts.items()):
        print(f"{kind}, {outcome}: {count}")
    return int(any(outcome == "wrong" for _, outcome in counts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

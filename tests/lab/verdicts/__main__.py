"""Change each output size and rank of each operation case, as a bare layer, and count what the linter says.

No value of an input is given. The exit status is 1 if a wrong size is verified, or a right one is refuted.
``--record`` writes the counts of all operations, which ``docs/verdicts.md`` has.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Final

from irrun.linter import lint
from tests.cases import all_cases, by_type
from tests.lab import records
from tests.lab.verdicts.fragments import sound, verdict, wrong
from tests.ops import harness

CHANGES: Final = ("size", "rank")
DATA: Final = records.DATA / "verdicts.json"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab verdicts", description=__doc__)
    parser.add_argument("--op", metavar="TYPE", help="only the cases of this operation")
    parser.add_argument("--show", action="store_true", help="print each layer whose wrong size is not found")
    parser.add_argument("--record", action="store_true", help="write the counts of all operations")
    given = parser.parse_args(arguments)
    if given.record and given.op:
        parser.error("--record is about all operations")
    status, total = 0, Counter[str]()
    for type, cases in by_type(all_cases()).items():
        if given.op not in (None, type):
            continue
        count = Counter[str]()
        for case in cases:
            if "state" in harness.declaration(case).spec.run_asks or (text := sound(case)) is None:
                continue
            false = [item.message for item in lint("layer.xml", data=text) if item.code == "IR401"]
            if false:
                print(f"{case}: false finding: {false[0]}")
                status = 1
            for text, change in wrong(case):
                said = verdict(text)
                count[f"{change} {said}"] += 1
                if said == "verified":
                    print(f"{case}: a wrong {change} is verified:\n{text.decode()}")
                    status = 1
                elif said == "not verified" and given.show:
                    print(f"{case}: {change}\n{text.decode()}")
        total += count
        if any("not verified" in key for key in count):
            print(f"{type:32}{_row(count)}")
    print(f"{'all':32}{_row(total)}")
    if given.record and not status:
        counts = {change: _counts(total, change) for change in CHANGES}
        records.write(DATA, {change: {"found": found, "changed": all} for change, (found, all) in counts.items()})
    return status


def _row(count: Counter[str]) -> str:
    return "   ".join("{} {:5} of {:5}".format(change, *_counts(count, change)) for change in CHANGES)


def _counts(count: Counter[str], change: str) -> tuple[int, int]:
    """Return how many changes of a kind were found, and how many there were."""
    return count[f"{change} found"], sum(count[key] for key in count if key.startswith(change))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Run every operation case on OpenVINO's CPU plugin, record the outcomes, and write the scoreboard.

The folder keeps the answers, so that the next run computes only new ones. With ``--op TYPE``, the recorded outcomes of
other operations are kept. The exit status is 1 if a case has a wrong outcome and no departure, or a departure and a
right outcome.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from irrun.ops.departures import GENERAL
from tests.cases import all_cases, all_models
from tests.lab import records
from tests.lab.conformance.page import files
from tests.lab.conformance.record import BY_CHANCE, RECORD, Outcomes, merged, repeated
from tests.lab.oracle.cases import ask, is_asked


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab conformance", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="folder that keeps the answers; missing ones are computed")
    parser.add_argument("--op", metavar="TYPE", help="record the cases of this operation only")
    given = parser.parse_args(arguments)
    known = [case for case in (*all_cases(), *all_models()) if is_asked(case)]
    asked = [case for case in known if given.op in (None, case.type)]
    if not asked:
        print(f"no case of {given.op} is run on the plugin")
        return 1
    alike = repeated(asked)
    if alike:
        print(f"several cases are called {', '.join(alike)}: give each a name of its own, name=")
        return 1
    with TemporaryDirectory() as temporary:
        replies = ask(asked, given.folder or Path(temporary))
    found: dict[str, Outcomes] = {}
    status = 0
    for case in asked:
        outcome, detail = replies[str(case)]
        found.setdefault(f"{case.type}-{case.opset}", {}).setdefault(outcome, []).append(case.name)
        if case.departs != BY_CHANCE and bool(case.departs) == (outcome == "agrees"):
            print(f"{case} departs in {case.departs or 'nothing'}, but it {outcome}: {detail[-300:]}")
            print(_advice(case.departs), end="")
            status = 1
    if given.op is not None:
        found = merged(records.read(RECORD)["cases"], found, known)
    records.write(RECORD, {"openvino": version("openvino"), "cases": found})
    for path, text in files():
        path.write_text(text, encoding="utf-8")
    return status


def _advice(departs: str) -> str:
    """Return what to write into a case without a departure that the plugin does not answer as expected."""
    known = ", ".join(f'"{key}"' for key in GENERAL)
    return "" if departs else f"  name the departure, departs=: one of the operation, or {known}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

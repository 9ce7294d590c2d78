"""Runs every operation case on OpenVINO's CPU plugin and writes docs/conformance.md, the scoreboard of the IR.

Run it by hand, with the OpenVINO wheel installed: ``python tools/conformance.py [FOLDER]``. It records the outcomes in
docs/data/cpu-plugin.json; FOLDER keeps the answers, so that the next run computes only new ones. With ``--op TYPE`` it
runs the cases of one operation, and keeps the recorded outcomes of the others. The exit status is 1
if a case has a wrong outcome and no departure, or a departure and a right outcome. ``tools/generate.py`` makes the page
from the record.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from irrun.ops.departures import GENERAL
from irrun.ops.registry import declarations
from irrun.ops.spec import OpSpec
from tests.cases import AnyCase, all_cases, all_models
from tests.ops import harness
from tests.oracle.cases import ask, is_asked, reason
from tools import onnx_suite, records

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "conformance.md"
RECORD = ROOT / "docs" / "data" / "cpu-plugin.json"
BY_CHANCE = "memory"
"""The departure of cases that sometimes agree."""

Outcomes = dict[str, list[str]]
"""The names of the cases of an operation version, by outcome."""

HEAD = """\
# Conformance

The number of cases in which irrun and OpenVINO's CPU plugin return what the specification says.
`tools/generate.py` makes this page from recorded answers; see [how it is measured](#how-it-is-measured).

| | cases | irrun | CPU plugin of OpenVINO {version} |
|---|---:|---:|---:|
"""
MEASURED = """
## How it is measured

An operation case is one call of an operation: its attributes, its inputs and the expected outputs. These come from an
example of the specification, from a formula beside the case, or, where the specification is silent, from OpenVINO. The
cases are irrun's own tests (`tests/cases/`), and each runs in several forms: as a kernel, as a model with static and
with dynamic shapes, in half precision. A case that irrun fails also fails the tests, so the column of irrun shows how
much is checked; each kernel runs again for this page.

The CPU plugin runs the same case as a model with `INFERENCE_PRECISION_HINT=f32`, in a separate process: input 0 is a
Parameter, the others are constants unless the case says otherwise. New memory is filled with a pattern
(`MALLOC_PERTURB_`), so that elements that are never written show. Types and shapes must be equal, and values within the
tolerance of the case, which is at least 1e-4 relative and 1e-5 absolute. A case does not count if the plugin returns
something else, refuses the model, crashes, or is right only by chance. The last column of a table lists the reasons,
with the number of cases.

```
python tools/conformance.py                  # run every case on the plugin: docs/data/cpu-plugin.json
python tools/onnx_suite.py FOLDER --record   # run ONNX's suite, its IRs in FOLDER: docs/data/onnx-suite.json
python tools/generate.py                     # write this page
```
"""


class Score(NamedTuple):
    """A number of cases, and the numbers of those in which irrun and the CPU plugin return the expected outputs."""

    cases: int
    irrun: int
    native: int

    def row(self, *cells: str, bold: bool = False) -> str:
        numbers = (f"**{number:,}**" if bold else f"{number:,}" for number in self)
        return f"| {' | '.join((*cells, *numbers))} |"


class Scoreboard:
    """The cases by operation version, with their recorded outcomes."""

    def __init__(self) -> None:
        record = records.read(RECORD)
        self.version = record["openvino"]
        self._outcomes = outcomes(record)
        self._cases = cases()

    @property
    def cases(self) -> list[AnyCase]:
        return [case for members in self._cases.values() for case in members]

    def of(self, spec: OpSpec) -> list[AnyCase]:
        return self._cases[spec.type, spec.version]

    def score(self, members: Sequence[AnyCase]) -> Score:
        native = sum(self._outcomes.get(str(case)) == "agrees" and not case.departs for case in members)
        return Score(len(members), sum(map(harness.passes, members)), native)


def cases() -> dict[tuple[str, str], list[AnyCase]]:
    """Return the cases of each operation version."""
    found: dict[tuple[str, str], list[AnyCase]] = defaultdict(list)
    for case in (*all_cases(), *all_models()):
        spec = harness.declaration(case).spec
        found[spec.type, spec.version].append(case)
    return found


def repeated(members: Iterable[AnyCase]) -> list[str]:
    """Return the names that several cases have, whose outcomes could not be told apart."""
    return [name for name, count in Counter(map(str, members)).items() if count > 1]


def outcomes(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the recorded outcome of each case, by name."""
    return {
        f"{version}{'-' if name else ''}{name}": outcome
        for version, by_outcome in record["cases"].items()
        for outcome, names in by_outcome.items()
        for name in names
    }


def merged(
    recorded: Mapping[str, Outcomes], found: Mapping[str, Outcomes], known: Iterable[AnyCase]
) -> dict[str, Outcomes]:
    """Return the recorded outcomes with those that were found, for the versions of the known cases."""
    versions = dict.fromkeys(f"{case.type}-{case.opset}" for case in known)
    return {name: found.get(name) or recorded[name] for name in versions if name in found or name in recorded}


def page() -> str:
    board = Scoreboard()
    specs = sorted((cls.spec for cls in declarations()), key=lambda spec: (spec.category, spec.type.lower()))
    examples = [case for case in board.cases if case.source == "page"]
    lines = [
        board.score(board.cases).row(f"[operation cases](#operations) of {len(specs)} operation versions"),
        board.score(examples).row("of these, examples of a specification page"),
        onnx_suite.row(),
        *_general(board.cases),
        *_operations(specs, board),
        *onnx_suite.section(),
    ]
    return HEAD.format(version=board.version) + "\n".join(lines) + "\n" + MEASURED


def _general(members: Iterable[AnyCase]) -> Iterator[str]:
    counts = Counter(reason(case) for case in members if case.departs)
    yield from ("", "## Departures in many operations", "", "| OpenVINO's CPU plugin | cases |", "|---|---:|")
    yield from (f"| {text} | {counts[text]} |" for text in GENERAL.values())


def _operations(specs: Iterable[OpSpec], board: Scoreboard) -> Iterator[str]:
    yield from ("", "## Operations")
    for category, members in groupby(specs, key=lambda spec: spec.category):
        yield from ("", f"### {category}", "")
        yield "| operation | version | cases | irrun | CPU plugin | OpenVINO's CPU plugin |"
        yield "|---|---|---:|---:|---:|---|"
        scores = []
        for spec in members:
            scores.append(board.score(board.of(spec)))
            name = f"[{spec.type}]({spec.page.removeprefix('docs/')})" if spec.page else spec.type
            yield f"{scores[-1].row(name, spec.version)} {_departures(spec, board.of(spec))} |"
        yield f"{Score(*map(sum, zip(*scores, strict=True))).row('**all**', '', bold=True)} |"


def _departures(spec: OpSpec, members: Iterable[AnyCase]) -> str:
    """Return the departures of an operation, with the number of cases of each that has any."""
    counts = Counter(reason(case) for case in members if case.departs)
    texts = dict.fromkeys((*spec.departures.values(), *counts))
    return "; ".join(f"{text} ({counts[text]})" if counts[text] else text for text in texts).replace("|", "\\|")


def _advice(departs: str) -> str:
    """Return what to write into a case without a departure that the plugin does not answer as expected."""
    known = ", ".join(f'"{key}"' for key in GENERAL)
    return "" if departs else f"  name the departure, departs=: one of the operation, or {known}\n"


def files() -> Iterator[tuple[Path, str]]:
    """Yield the page. Does not need OpenVINO."""
    yield PAGE, page()


def main() -> int:
    from importlib.metadata import version

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="folder that keeps the answers; missing ones are computed")
    parser.add_argument("--op", metavar="TYPE", help="record the cases of this operation only")
    given = parser.parse_args()
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


if __name__ == "__main__":
    sys.exit(main())

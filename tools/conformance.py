"""Asks OpenVINO's CPU plugin every operation case, and writes docs/conformance.md: the scoreboard of the IR.

Needs the OpenVINO wheel, and is run by hand: ``python tools/conformance.py [FOLDER]``. It records the outcomes in
docs/data/cpu-plugin.json; FOLDER keeps the answers, so that the next run asks only about what is new. The exit status
is 1 where a case has no reason for its outcome, or a reason and no departure. ``tools/generate.py`` makes the page from
the record.
"""

from __future__ import annotations

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
"""The departure whose cases may agree now and then."""

HEAD = """\
# Conformance

How often irrun and OpenVINO's CPU plugin answer as the specification says. Made by `tools/generate.py` from
recorded answers; [how it is measured](#how-it-is-measured).

| | cases | irrun | CPU plugin of OpenVINO {version} |
|---|---:|---:|---:|
"""
MEASURED = """
## How it is measured

An operation case is one call of an operation: its attributes, its inputs, and the outputs that are expected. They come
from an example of the specification page, from a formula that is written out beside the case, or, where the page says
nothing, from OpenVINO. The cases are irrun's own tests (`tests/cases/`), and each runs in several forms: as a kernel,
as a model with static and with dynamic shapes, in half precision. A case that irrun fails fails the tests, so its
column tells how much is checked; for this page each kernel has run again.

The CPU plugin gets the same case as a model, with `INFERENCE_PRECISION_HINT=f32`, in a process of its own: input 0 is a
Parameter, the others are constants unless the case says otherwise. New memory is filled with a pattern
(`MALLOC_PERTURB_`), so that elements which are never written show. Types and shapes must be equal, values within the
tolerance of the case, and at least 1e-4 relative and 1e-5 absolute. The case does not count where the plugin gives
something else, refuses the model, crashes, or is right by chance only. The last column of a table says why, with the
number of cases.

```
python tools/conformance.py                  # ask the plugin every case: docs/data/cpu-plugin.json
python tools/onnx_suite.py FOLDER --record   # run ONNX's suite, its IRs in FOLDER: docs/data/onnx-suite.json
python tools/generate.py                     # write this page
```
"""


class Score(NamedTuple):
    """A number of cases, and how many of them irrun and the CPU plugin answer as expected."""

    cases: int
    irrun: int
    native: int

    def row(self, *cells: str, bold: bool = False) -> str:
        numbers = (f"**{number:,}**" if bold else f"{number:,}" for number in self)
        return f"| {' | '.join((*cells, *numbers))} |"


class Scoreboard:
    """The cases by operation version, with the outcomes that are recorded of them."""

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
    """The cases of each operation version."""
    found: dict[tuple[str, str], list[AnyCase]] = defaultdict(list)
    for case in (*all_cases(), *all_models()):
        spec = harness.declaration(case).spec
        found[spec.type, spec.version].append(case)
    return found


def outcomes(record: Mapping[str, Any]) -> dict[str, str]:
    """The recorded outcome of each case by its name."""
    return {
        f"{version}{'-' if name else ''}{name}": outcome
        for version, by_outcome in record["cases"].items()
        for outcome, names in by_outcome.items()
        for name in names
    }


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
            yield f"{scores[-1].row(f'[{spec.type}]({spec.page})', spec.version)} {_departures(spec, board.of(spec))} |"
        yield f"{Score(*map(sum, zip(*scores, strict=True))).row('**all**', '', bold=True)} |"


def _departures(spec: OpSpec, members: Iterable[AnyCase]) -> str:
    """The departures of an operation, with the number of cases of each."""
    counts = Counter(reason(case) for case in members if case.departs)
    texts = dict.fromkeys((*spec.departures.values(), *counts))
    return "; ".join(f"{text} ({counts[text]})" for text in texts).replace("|", "\\|")


def files() -> Iterator[tuple[Path, str]]:
    """The page. Takes no OpenVINO."""
    yield PAGE, page()


def main() -> int:
    from importlib.metadata import version

    asked = [case for case in (*all_cases(), *all_models()) if is_asked(case)]
    with TemporaryDirectory() as temporary:
        replies = ask(asked, Path(sys.argv[1] if len(sys.argv) > 1 else temporary))
    found: dict[str, dict[str, list[str]]] = {}
    status = 0
    for case in asked:
        outcome, detail = replies[str(case)]
        found.setdefault(f"{case.type}-{case.opset}", {}).setdefault(outcome, []).append(case.name)
        if case.departs != BY_CHANCE and bool(case.departs) == (outcome == "agrees"):
            print(f"{case} departs in {case.departs or 'nothing'}, but it {outcome}: {detail[-300:]}")
            status = 1
    records.write(RECORD, {"openvino": version("openvino"), "cases": found})
    for path, text in files():
        path.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())

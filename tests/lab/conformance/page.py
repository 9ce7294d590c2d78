"""The scoreboard of the IR, ``docs/conformance.md``, made from recorded answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from irrun.ops.departures import GENERAL
from irrun.ops.registry import declarations
from irrun.ops.spec import OpSpec
from tests.cases import AnyCase
from tests.cases.openvino import page as openvino_tests
from tests.lab import records
from tests.lab.conformance import other_types
from tests.lab.conformance.record import RECORD, cases, outcomes
from tests.lab.onnx_suite import page as onnx_suite
from tests.lab.oracle.cases import reason
from tests.ops import harness

PAGE: Final = records.ROOT / "docs" / "conformance.md"

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
python -m tests.lab conformance                  # run every case on the plugin: docs/data/cpu-plugin.json
python -m tests.lab onnx_suite FOLDER --record   # run ONNX's suite, its IRs in FOLDER: docs/data/onnx-suite.json
python tools/generate.py                         # write this page
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
        *other_types.section(),
        *onnx_suite.section(),
        *openvino_tests.section(),
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
            yield f"{scores[-1].row(linked(spec), spec.version)} {_departures(spec, board.of(spec))} |"
        yield f"{Score(*map(sum, zip(*scores, strict=True))).row('**all**', '', bold=True)} |"


def linked(spec: OpSpec) -> str:
    """Return the type of an operation, as a link to its page where it has one."""
    return f"[{spec.type}]({spec.page.removeprefix('docs/')})" if spec.page else spec.type


def _departures(spec: OpSpec, members: Iterable[AnyCase]) -> str:
    """Return the departures of an operation, with the number of cases of each that has any."""
    counts = Counter(reason(case) for case in members if case.departs)
    texts = dict.fromkeys((*spec.departures.values(), *counts))
    return "; ".join(f"{text} ({counts[text]})" if counts[text] else text for text in texts).replace("|", "\\|")


def files() -> Iterator[tuple[Path, str]]:
    """Yield the page. Does not need OpenVINO."""
    yield PAGE, page()

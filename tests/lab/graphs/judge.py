"""Runs one graph through all engines and says what is wrong."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final, NamedTuple

import irrun
from irrun.diagnostics import IRError
from irrun.diagnostics.internal import InternalError
from irrun.tensor import Shape
from tests.lab.graphs.compare import Tolerance
from tests.lab.graphs.engines import HASTE, TIMEOUT, Answer, OpenVINO, run_irrun, save_inputs
from tests.lab.graphs.evaluate import hidden
from tests.lab.graphs.generate import STEPS as RUNS
from tests.lab.graphs.graph import Graph
from tests.lab.graphs.write import write

OPENVINO: Final = "OpenVINO"
"""The prefix of the names of checks that ask OpenVINO."""

SAMPLES: Final = 100
HASTY_SAMPLES: Final = 6
"""The number of computations with noise if results differ."""

FORMS: Final = ("as written", "optimized", "sizes hidden", "ranks hidden")
"""The forms in which irrun runs a graph."""
CHECKS: Final = (*FORMS, "lint", OPENVINO)

_ANY_TEXT: Final = ("OpenVINO: value", *FORMS)

FREE: Final = {
    "IR406": "some graphs have a constant pattern for dynamic sizes on purpose",
    "IR608": "scales are random, and may be 0",
}
"""Findings of the linter that are true."""


Expected = Callable[[], Tolerance]
"""The allowed results of a graph, computed on demand."""


class Finding(NamedTuple):
    """A difference: the check that found it, and its message."""

    check: str
    text: str

    def is_like(self, other: Finding) -> bool:
        """Return whether another finding may have the same cause. Values may differ; messages must be equal."""
        return self.check == other.check and (self.check in _ANY_TEXT or self.kind == other.kind)

    @property
    def family(self) -> str:
        """The name of the check that makes such findings."""
        return self.check.split(":")[0]

    @property
    def kind(self) -> str:
        """The beginning of the text without numbers; the whole text where that says nothing of the cause."""
        return str(self) if self.check in _ANY_TEXT else re.sub(r"[0-9][0-9.e+-]*", "N", str(self))[:70]

    def __str__(self) -> str:
        return f"{self.check}: {self.text}"


class Judge:
    """Writes graphs into a folder and runs them there."""

    def __init__(self, folder: Path, openvino: OpenVINO | None = None) -> None:
        self.folder = folder
        self.openvino = openvino
        self._hasty = False
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, graph: Graph, checks: Collection[str] = CHECKS, *, hasty: bool = False) -> list[Finding]:
        """Everything that some checks find wrong with a graph; ``hasty`` where very many graphs are tried."""
        self.write(graph)
        tolerance = functools.cache(lambda: Tolerance(graph, RUNS, HASTY_SAMPLES if hasty else SAMPLES))
        self._hasty = hasty
        made = {check: function for check, function in self._checks().items() if check in checks}
        return [finding for function in made.values() for finding in function(graph, tolerance)]

    def write(self, graph: Graph) -> None:
        """Save the model and its inputs."""
        write(graph, self.folder / "model.xml")
        save_inputs(graph, self.folder)

    def _checks(self) -> dict[str, Callable[[Graph, Expected], list[Finding]]]:
        checks = {
            "as written": self._as_written,
            "optimized": self._optimized,
            "sizes hidden": self._sizes_hidden,
            "ranks hidden": self._ranks_hidden,
            "lint": self._lint,
        }
        if self.openvino is not None:
            checks[OPENVINO] = self._native
        return checks

    def _as_written(self, graph: Graph, tolerance: Expected) -> list[Finding]:
        return self._irrun("as written", "model.xml", graph, tolerance, optimize=False)

    def _optimized(self, graph: Graph, tolerance: Expected) -> list[Finding]:
        return self._irrun("optimized", "model.xml", graph, tolerance, optimize=True)

    def _sizes_hidden(self, graph: Graph, tolerance: Expected) -> list[Finding]:
        self._write_hidden("sizes.xml", graph, ranks=False)
        return self._irrun("sizes hidden", "sizes.xml", graph, tolerance, optimize=True)

    def _ranks_hidden(self, graph: Graph, tolerance: Expected) -> list[Finding]:
        self._write_hidden("ranks.xml", graph, ranks=True)
        return self._irrun("ranks hidden", "ranks.xml", graph, tolerance, optimize=True)

    def _write_hidden(self, name: str, graph: Graph, *, ranks: bool) -> None:
        other, given = hidden(graph, ranks=ranks)
        write(other, self.folder / name, given)

    def _irrun(self, check: str, name: str, graph: Graph, tolerance: Expected, *, optimize: bool) -> list[Finding]:
        try:
            results = run_irrun(self.folder / name, graph, RUNS, optimize=optimize)
        except (IRError, InternalError, ValueError, ArithmeticError, AssertionError) as error:
            return [Finding(check, f"{type(error).__name__}: {error}")]
        text = tolerance().difference(results, exact=True)
        return [Finding(check, text)] if text is not None else []

    def _lint(self, graph: Graph, tolerance: Expected) -> list[Finding]:
        del graph, tolerance
        return _linted("lint", self.folder / "model.xml")

    def _native(self, graph: Graph, tolerance: Expected) -> list[Finding]:
        del graph
        assert self.openvino is not None
        written = self.folder / "written.xml"
        written.unlink(missing_ok=True)
        answer = self.openvino.run(self.folder, RUNS, timeout=HASTE if self._hasty else TIMEOUT)
        problem = _problem(answer, tolerance)
        if problem is not None and not answer.refused and not self._hasty:
            answer = self.openvino.run(self.folder, RUNS, alone=True)
            problem = _problem(answer, tolerance)
        found = _linted("OpenVINO: lint", written) if written.exists() else []
        if problem is not None:
            found.append(problem)
        if not answer.results:
            return found
        for index, (fact, shape) in enumerate(zip(tolerance().facts, answer.shapes, strict=True)):
            if not fact.shape.compatible(Shape.parse(shape)):
                text = f"output {index} has shape {fact.shape}, by OpenVINO {shape}"
                found.append(Finding("OpenVINO: shape", text))
        return found


def _problem(answer: Answer, tolerance: Expected) -> Finding | None:
    """Return the finding about an answer of OpenVINO, if any."""
    if answer.crashed:
        return Finding("OpenVINO: crash", "the process dies")
    if answer.refused:
        return Finding("OpenVINO: refused", _last(answer.refused))
    text = tolerance().difference(answer.results)
    return Finding("OpenVINO: value", text) if text is not None else None


def _linted(check: str, path: Path) -> list[Finding]:
    return [Finding(check, f"{item.code} {item.message}") for item in irrun.lint(path) if item.code not in FREE]


def _last(message: str) -> str:
    """Return the message of OpenVINO without locations in its source."""
    lines = [line for line in message.splitlines() if line.strip() and not line.startswith("Exception from")]
    return re.sub(r"\S*\d{3,}", "", " ".join(lines or [message]))[-400:]

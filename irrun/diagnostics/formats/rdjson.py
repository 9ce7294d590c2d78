"""The diagnostic format of reviewdog: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf"""

from __future__ import annotations

import json
from typing import Any, Final

from irrun.diagnostics.diagnostic import Severity
from irrun.diagnostics.render import FileRange, Finding, Source, message, plain
from irrun.diagnostics.results import ADDRESS, Problem, Results

TELLS_PROBLEMS: Final = True

_SEVERITIES: Final = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(results: Results) -> str:
    severest = max((finding.diagnostic.severity for finding in results.findings), default=Severity.WARNING)
    severest = Severity.ERROR if results.problems else severest
    report = {
        "source": {"name": "irrun", "url": ADDRESS},
        "severity": _SEVERITIES[severest],
        "diagnostics": [
            *(_problem(problem, results) for problem in results.problems),
            *(_diagnostic(finding, results) for finding in results.findings),
        ],
    }
    return json.dumps(report, indent=2, ensure_ascii=False)


def _problem(problem: Problem, results: Results) -> dict[str, Any]:
    path = results.relative(problem.filename) if problem.filename else "."
    return {"message": plain(problem.message), "location": {"path": path}, "severity": "ERROR"}


def _diagnostic(finding: Finding, results: Results) -> dict[str, Any]:
    diagnostic = finding.diagnostic
    path = results.relative(finding.filename)
    found: dict[str, Any] = {
        "message": "\n".join([message(diagnostic), *diagnostic.notes]),
        "location": {"path": path, "range": _range(finding.place, finding.source)},
        "severity": _SEVERITIES[diagnostic.severity],
        "code": {"value": diagnostic.code, **({"url": finding.url} if finding.url else {})},
    }
    if diagnostic.fix is not None:
        found["suggestions"] = [
            {"range": _range(finding.source.span(edit.start, edit.end), finding.source), "text": edit.content}
            for edit in diagnostic.fix.edits
        ]
    return found


def _range(place: FileRange, source: Source) -> dict[str, Any]:
    return {
        "start": {"line": place.row, "column": _bytes(place.row, place.column, source)},
        "end": {"line": place.end_row, "column": _bytes(place.end_row, place.end_column, source)},
    }


def _bytes(row: int, column: int, source: Source) -> int:
    """Return the column in bytes of UTF-8, from 1."""
    line = source.line(row)
    return column if line.isascii() else len(line[: column - 1].encode("utf-8", errors="replace")) + 1

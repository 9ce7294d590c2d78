"""Annotations of GitHub Actions, which shows at most ten: failures, the severest findings, and a count of the rest.

The summary page lists all of them: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from typing import Final

from irrun.diagnostics.diagnostic import Severity
from irrun.diagnostics.render import Finding, message, plain
from irrun.diagnostics.results import Problem, Results
from irrun.diagnostics.statistics import checked, unverified, verdict

TELLS_PROBLEMS: Final = True

MOST_ANNOTATIONS: Final = 10
MOST_ROWS: Final = 1000
"""A limit that keeps the summary page below the one mebibyte that GitHub allows."""

_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(results: Results) -> str:
    severest = sorted(results.findings, key=lambda finding: -finding.diagnostic.severity)
    lines = [_error(problem, results) for problem in results.problems[:MOST_ANNOTATIONS]]
    lines += [_annotation(finding, results) for finding in severest[: MOST_ANNOTATIONS - len(lines)]]
    rest = len(severest) + len(results.problems) - MOST_ANNOTATIONS
    if rest > 0:
        more = "1 more finding" if rest == 1 else f"{rest} more findings"
        lines.append(f"::notice title=irrun::and {more}, in the summary of the run")
    return "\n".join(lines)


def summary(results: Results) -> str:
    """Return the verdict, what could not be checked or verified, and a Markdown table of the findings."""
    count = len(results.findings)
    lines = ["### irrun", "", f"{_cell(checked(results))}: {verdict(results)}."]
    if results.problems:
        lines += ["", "| not checked | reason |", "|---|---|"]
        lines += [f"| {_cell(_path(item, results))} | {_cell(item.message)} |" for item in results.problems[:MOST_ROWS]]
    if undecided := unverified(results):
        lines += ["", *(f"* {_cell(line)}" for line in undecided)]
    if count:
        lines += ["", "| place | severity | rule | finding |", "|---|---|---|---|"]
        lines += [_row(finding, results) for finding in results.findings[:MOST_ROWS]]
    if count > MOST_ROWS:
        lines += ["", f"and {count - MOST_ROWS} more"]
    return "\n".join(lines) + "\n"


def _error(problem: Problem, results: Results) -> str:
    place = f"file={_property(_path(problem, results))}," if problem.filename else ""
    return f"::error {place}title=irrun::{_data(plain(problem.message))}"


def _path(problem: Problem, results: Results) -> str:
    return results.relative(problem.filename) if problem.filename else "irrun"


def _annotation(finding: Finding, results: Results) -> str:
    diagnostic, place = finding.diagnostic, finding.place
    properties = {
        "title": f"irrun {diagnostic.code} {finding.name}".rstrip(),
        "file": results.relative(finding.filename),
        "line": str(place.row),
        "endLine": str(place.end_row),
    }
    if place.row == place.end_row:
        properties |= {"col": str(place.column), "endColumn": str(place.end_column)}
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    said = "\n".join([message(diagnostic), *(plain(note) for note in diagnostic.notes)])
    return f"::{_LEVELS[diagnostic.severity]} {given}::{_data(said)}"


def _row(finding: Finding, results: Results) -> str:
    diagnostic, place = finding.diagnostic, finding.place
    where = _cell(f"{results.relative(finding.filename)}:{place.row}:{place.column}")
    code = f"[{diagnostic.code}]({finding.url})" if finding.url else diagnostic.code
    return f"| {where} | {diagnostic.severity} | {code} | {_cell(message(diagnostic))} |"


def _cell(text: str) -> str:
    """Escape text for a Markdown table cell, so that none of it is read as Markdown or HTML."""
    escaped = plain(text).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{letter}" if letter in "\\|`*_[]" else letter for letter in escaped)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(plain(text)).replace(":", "%3A").replace(",", "%2C")

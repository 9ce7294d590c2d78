"""The report of a run of ``irrun lint``: on standard output or in a file, and on the summary page of a CI run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from irrun.cli.console import result, warn
from irrun.diagnostics import formats, statistics
from irrun.diagnostics.naming import naming, of_system
from irrun.diagnostics.render import Finding
from irrun.diagnostics.results import Problem, Results
from irrun.diagnostics.version import __version__
from irrun.document.replacing import replacing
from irrun.linter.batch import Checked
from irrun.linter.catalogue import catalogue
from irrun.ops.releases import release

_ROOTS: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Environment variables in which CI systems store the root of the project."""


def results_of(
    findings: Sequence[Finding], checked: Sequence[Checked], problems: Sequence[Problem], *, colour: bool
) -> Results:
    codes = {finding.diagnostic.code for finding in findings}
    done = [item for item in checked if not item.problem and not item.passed_over]
    return Results(
        findings,
        [item.filename for item in done],
        sum(item.verified.ports for item in done),
        catalogue(sorted(codes)),
        next((Path(os.environ[name]) for name in _ROOTS if os.environ.get(name)), Path.cwd()),
        __version__,
        colour,
        max((item.openvino for item in done if item.openvino is not None), key=release, default=None),
        {item.filename: item.verified.unverified for item in done if item.verified.unverified},
        problems,
        [item.filename for item in checked if item.passed_over],
        sum(item.verified.refuted for item in done),
    )


def say(results: Results, output_format: str, output_file: Path | None, *, counts: bool = False) -> None:
    """Print the findings, or with ``counts`` the number of findings of each rule."""
    if counts:
        shown = statistics.as_json(results) if output_format == "json" else statistics.as_text(results)
    else:
        shown = formats.render(output_format, results)
    if output_file is not None:
        content = f"{shown}\n" if shown else ""
        with replacing(output_file) as file:
            file.write(content.encode("utf-8", errors="backslashreplace"))
    elif shown:
        result(shown)
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    summary = formats.summary(output_format, results) if page else None
    if page and summary is not None:
        _append(Path(page), summary)


def say_failure(error: Exception, output_format: str, output_file: Path | None) -> None:
    """Write the report of a run that failed, in a format that has a place for failures."""
    if formats.tells_problems(output_format):
        results = results_of([], [], [Problem("", str(error))], colour=False)
        say(results, output_format, output_file)


def _append(path: Path, text: str) -> None:
    try:
        with naming(path), path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        warn(f"the summary was not written: {of_system(error)}")

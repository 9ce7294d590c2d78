"""The code quality report of GitLab: https://docs.gitlab.com/ci/testing/code_quality/"""

from __future__ import annotations

import json
from typing import Any, Final

from irrun.diagnostics.diagnostic import Severity
from irrun.diagnostics.fingerprint import counted, digest
from irrun.diagnostics.render import message, plain
from irrun.diagnostics.results import Problem, Results

TELLS_PROBLEMS: Final = True

_SEVERITIES: Final = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(results: Results) -> str:
    issues: list[dict[str, Any]] = []
    for finding, mark, index in counted(results.findings):
        path, place = results.relative(finding.filename), finding.place
        issues.append(
            {
                "description": message(finding.diagnostic),
                "check_name": finding.diagnostic.code,
                "fingerprint": digest(path, mark, str(index)),
                "severity": _SEVERITIES[finding.diagnostic.severity],
                "location": {"path": path, "lines": {"begin": place.row, "end": place.end_row}},
            }
        )
    issues += [_issue(problem, results) for problem in results.problems]
    return json.dumps(issues, indent=2, ensure_ascii=False)


def _issue(problem: Problem, results: Results) -> dict[str, Any]:
    path = results.relative(problem.filename) if problem.filename else "."
    return {
        "description": plain(problem.message),
        "check_name": "irrun",
        "fingerprint": digest(path, problem.message),
        "severity": "blocker",
        "location": {"path": path, "lines": {"begin": 1}},
    }

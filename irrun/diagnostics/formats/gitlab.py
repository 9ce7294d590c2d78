"""The code quality report of GitLab: https://docs.gitlab.com/ci/testing/code_quality/"""

from __future__ import annotations

import json
from typing import Final

from irrun.diagnostics.diagnostic import Severity
from irrun.diagnostics.fingerprint import counted, digest
from irrun.diagnostics.render import message
from irrun.diagnostics.results import Results

_SEVERITIES: Final = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(results: Results) -> str:
    issues = []
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
    return json.dumps(issues, indent=2, ensure_ascii=False)

"""A JSON object: the verdict, the counts of files and ports, and the findings: ``schemas/lint-run.schema.json``."""

from __future__ import annotations

import json
from typing import Any, Final

from irrun.diagnostics.render import record
from irrun.diagnostics.results import Results
from irrun.diagnostics.statistics import verdict

TELLS_PROBLEMS: Final = True


def render(results: Results) -> str:
    report: dict[str, Any] = {
        "version": results.version,
        "verdict": verdict(results),
        "files": list(results.files),
        "skipped": list(results.skipped),
        "problems": [item._asdict() for item in results.problems],
        "verified": results.ports,
        "unverified": [
            {"filename": filename, **item._asdict()} for filename, items in results.unverified.items() for item in items
        ],
        "openvino": results.openvino,
        "findings": [record(finding) for finding in results.findings],
    }
    return json.dumps(report, indent=2, ensure_ascii=False)

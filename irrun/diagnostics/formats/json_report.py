"""A JSON object: the verdict, the counts of files and ports, and the findings: ``schemas/lint-run.schema.json``."""

from __future__ import annotations

import json
from typing import Annotated, Final, TypedDict

from irrun.diagnostics.render import FindingRecord, record
from irrun.diagnostics.results import Results
from irrun.diagnostics.statistics import verdict

TELLS_PROBLEMS: Final = True


class ProblemRecord(TypedDict):
    """A file that could not be checked; ``filename`` is empty if the run failed."""

    filename: str
    message: str


class UnverifiedRecord(TypedDict):
    """Output ports of a file that are not verified, and their common reason."""

    filename: str
    reason: str
    ports: Annotated[int, {"minimum": 1}]


class ReportRecord(TypedDict):
    """A run: the files that were checked, those that are not IRs, the output ports by verdict, and the findings."""

    version: str
    verdict: Annotated[str, {"description": "all is well, no findings, the number of findings, ..."}]
    files: list[str]
    skipped: list[str]
    problems: list[ProblemRecord]
    verified: Annotated[int, {"minimum": 0}]
    unverified: list[UnverifiedRecord]
    openvino: Annotated[str | None, {"description": "the first release that reads the files"}]
    findings: list[FindingRecord]


def render(results: Results) -> str:
    report: ReportRecord = {
        "version": results.version,
        "verdict": verdict(results),
        "files": list(results.files),
        "skipped": list(results.skipped),
        "problems": [{"filename": item.filename, "message": item.message} for item in results.problems],
        "verified": results.ports,
        "unverified": [
            {"filename": filename, "reason": item.reason, "ports": item.ports}
            for filename, items in results.unverified.items()
            for item in items
        ],
        "openvino": results.openvino,
        "findings": [record(finding) for finding in results.findings],
    }
    return json.dumps(report, indent=2, ensure_ascii=False)

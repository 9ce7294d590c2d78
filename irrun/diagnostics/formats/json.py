"""A JSON list, one object for each finding: ``schemas/lint-report.schema.json``."""

from __future__ import annotations

from irrun.diagnostics.render import as_json
from irrun.diagnostics.results import Results


def render(results: Results) -> str:
    return as_json(results.findings)

"""The objects of the JSON list, one on each line."""

from __future__ import annotations

import json

from irrun.diagnostics.render import record
from irrun.diagnostics.results import Results


def render(results: Results) -> str:
    return "\n".join(json.dumps(record(finding), ensure_ascii=False) for finding in results.findings)

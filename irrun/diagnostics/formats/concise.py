"""Text for a terminal or an editor: one line for each finding."""

from __future__ import annotations

from irrun.diagnostics.render import concise
from irrun.diagnostics.results import Results


def render(results: Results) -> str:
    return concise(results.findings, results.colour)

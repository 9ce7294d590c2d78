"""Text for a terminal: each finding with its line of the file, carets under the place, and notes."""

from __future__ import annotations

from irrun.diagnostics.render import full
from irrun.diagnostics.results import Results


def render(results: Results) -> str:
    return full(results.findings, results.colour)

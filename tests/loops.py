"""A model with a loop."""

from __future__ import annotations

from pathlib import Path

from irrun.document.writer import Writer
from tests.cases.infrastructure.loop import sums


def loop_model(folder: Path, trip: int, limit: float) -> Path:
    """Save sum = x; do { sum = sum + i } while (sum < limit), with the sums of all iterations concatenated."""
    ir = Writer("loop")
    sums(trip, limit)(ir)
    ir.save(folder / "model.xml")
    return folder / "model.xml"

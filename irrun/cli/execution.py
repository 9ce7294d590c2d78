"""Tiers, bailouts and steps on NumPy of the runs of a model, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irrun.runtime.tiers import tier_text


def rows(record: Mapping[str, Any]) -> list[list[str]]:
    """Return a record of `tiers_used` as rows of a table."""
    found = [["tier", tier_text(record["tier"])]]
    numpy = record["runs_by_tier"]["numpy"]
    if numpy and record["runs_by_tier"]["compiled"]:
        found.append(["", f"{_counted(numpy, 'run')} on NumPy: {_reasons(numpy)}"])
    elif numpy and record["tier"] == "numpy":
        found[0][1] += "" if any(reason in found[0][1] for reason in numpy) else f": {', '.join(numpy)}"
    if record["steps"]:
        steps = record["interpreted"]
        found.append(["steps", f"{sum(steps.values())} of {record['steps']:,} on NumPy{_behind(steps)}"])
        bailouts = record["bailouts"]
        found.append(["bailouts", f"{sum(bailouts.values())}{_behind(bailouts)}"])
    return found


def _counted(counts: Mapping[str, int], what: str) -> str:
    total = sum(counts.values())
    return f"{total:,} {what}{'' if total == 1 else 's'}"


def _behind(counts: Mapping[str, int]) -> str:
    return f": {_reasons(counts)}" if counts else ""


def _reasons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items()))

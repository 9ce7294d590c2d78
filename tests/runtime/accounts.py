"""The counts of the runs of a compiled model."""

from __future__ import annotations

from typing import Any

from irrun.model.compiled import Compiled


def counts(compiled: Compiled) -> tuple[Any, ...]:
    """Return the runs on compiled kernels, those on NumPy by reason, bailouts, steps, and interpreted steps."""
    account = compiled.executor.account
    return (*account["runs_by_tier"].values(), account["bailouts"], account["steps"], account["interpreted"])

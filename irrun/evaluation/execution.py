"""Tiers, bailouts and steps on NumPy of the runs of a model."""

from __future__ import annotations

from typing import Any

from irrun.runtime.tiers import Tiers


def tiers_used(tiers: Tiers) -> dict[str, Any]:
    """Return the tier of the last run, and the counts of all runs: bailouts and steps on NumPy by reason."""
    account = tiers.account
    return {
        "tier": tiers.last,
        "runs_by_tier": {"compiled": account.compiled, "numpy": dict(account.numpy)},
        "bailouts": dict(account.bailouts),
        "steps": account.steps,
        "interpreted": dict(account.interpreted),
    }

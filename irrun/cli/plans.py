"""Print what runs of a model: the optimised graph, and the program or the plan that is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irrun.cli import values
from irrun.cli.console import result
from irrun.cli.tables import columns
from irrun.model import Loaded, build
from irrun.model.config import read_config
from irrun.reporting.plans import as_data, optimized, running
from irrun.reporting.plans.lines import WIDTH
from irrun.runtime.tiers import has_kernels


def show(loaded: Loaded, config: Mapping[str, Any], output_format: str, *, graph: bool, plan: bool) -> None:
    """Print the optimised graph, the program, or both."""
    compiled = build(loaded, {**config, "TIER": "numpy"})
    has_kernels()
    found: dict[str, Any] = {"graph": optimized(compiled)} if graph else {}
    if plan:
        found["plan"] = running(compiled, _why_numpy(config))
    if output_format == "json":
        result(values.as_json({key: as_data(made) for key, made in found.items()}))
    else:
        result("\n\n".join(made.text(columns() or WIDTH) for made in found.values()))


def _why_numpy(config: Mapping[str, Any]) -> str:
    """Return why a model runs on NumPy with these settings; nothing if compiled kernels may run it."""
    settings = read_config(config)
    if settings.tier == "numpy":
        return "TIER is numpy"
    return "" if settings.budget.seconds is None else "there is a time limit, which is checked before each layer"

"""Descriptions of what runs: the optimised graph, the plan on NumPy, and the program of compiled kernels."""

from __future__ import annotations

from irrun.reporting.plans.lines import as_data
from irrun.reporting.plans.running import optimized, running

__all__ = ["as_data", "optimized", "running"]

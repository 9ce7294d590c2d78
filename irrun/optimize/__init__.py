"""Rewrites a graph so that it runs faster and means the same."""

from irrun.optimize.packed import chains, packed_values
from irrun.optimize.pipeline import Settings, optimize, passes
from irrun.optimize.rewrite import PatchError, Rewriter

__all__ = ["PatchError", "Rewriter", "Settings", "chains", "optimize", "packed_values", "passes"]

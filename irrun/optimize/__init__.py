"""Rewrites a graph so that it runs faster and means the same."""

from irrun.optimize.pipeline import optimize
from irrun.optimize.rewrite import PatchError, Rewriter
from irrun.optimize.schedule import PASSES
from irrun.optimize.settings import Settings

__all__ = ["PASSES", "PatchError", "Rewriter", "Settings", "optimize"]

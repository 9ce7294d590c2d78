"""Explanations of layers in words."""

from irrun.reporting.explain.explanation import Explanation, explain

__all__ = ["Explanation", "explain"]

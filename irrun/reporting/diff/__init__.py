"""The structural difference of two models."""

from irrun.reporting.diff.changes import KINDS, Change, Difference, diff

__all__ = ["KINDS", "Change", "Difference", "diff"]

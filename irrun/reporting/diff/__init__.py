"""The structural difference of two models."""

from irrun.reporting.diff.changes import KINDS, Change, Difference
from irrun.reporting.diff.comparison import diff

__all__ = ["KINDS", "Change", "Difference", "diff"]

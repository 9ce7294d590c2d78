"""Findings: the diagnostic record, the errors that turn into one, and the renderers."""

from irrun.diagnostics.diagnostic import (
    Anchor,
    Diagnostic,
    Edit,
    Fix,
    IRError,
    LayerRef,
    Severity,
    Suggestion,
)
from irrun.diagnostics.fault import Fault, OpError
from irrun.diagnostics.words import amount, did_you_mean, listing, near_match, nearest

__all__ = [
    "Anchor",
    "Diagnostic",
    "Edit",
    "Fault",
    "Fix",
    "IRError",
    "LayerRef",
    "OpError",
    "Severity",
    "Suggestion",
    "amount",
    "did_you_mean",
    "listing",
    "near_match",
    "nearest",
]

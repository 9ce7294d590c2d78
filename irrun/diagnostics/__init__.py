"""Findings: the diagnostic record, the errors that turn into one, and the renderers."""

from irrun.diagnostics.diagnostic import (
    Anchor,
    Diagnostic,
    Edit,
    Fix,
    IRError,
    LayerRef,
    OpError,
    Severity,
    listing,
    near_match,
)

__all__ = [
    "Anchor",
    "Diagnostic",
    "Edit",
    "Fix",
    "IRError",
    "LayerRef",
    "OpError",
    "Severity",
    "listing",
    "near_match",
]

"""Checks of connectionist temporal classification."""

from __future__ import annotations

from irrun.ops import Dim, OpError


def check_classes(classes: Dim) -> None:
    """Raise OpError where there is no class, not even the blank."""
    if classes.hi < 1:
        raise OpError(f"input 0 has {classes} classes, expected 1 or more", input=0)

"""Checks of connectionist temporal classification."""

from __future__ import annotations

from irrun.ops import Array, Dim, OpError


def check_classes(classes: Dim) -> None:
    """Raise OpError where there is no class, not even the blank."""
    if classes.hi < 1:
        raise OpError(f"input 0 has {classes} classes, expected 1 or more", input=0)


def check_lengths(lengths: Array, steps: int, index: int) -> None:
    """Raise OpError where a sequence is longer than its axis."""
    if any(not 0 <= length <= steps for length in lengths.tolist()):
        raise OpError(f"the lengths are {lengths.tolist()}, expected 0 to {steps}", input=index)


def check_labels(labels: Array, classes: int, index: int) -> None:
    """Raise OpError where a label is not a class."""
    wrong = labels[(labels < 0) | (labels >= classes)]
    if wrong.size:
        raise OpError(f"class {wrong.flat[0]} is outside {classes} classes", input=index)

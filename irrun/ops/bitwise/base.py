"""What the bitwise operations have in common."""

from __future__ import annotations

from irrun.ops import In, Out, TypeVar
from irrun.ops.arithmetic.elementwise import Binary
from irrun.tensor.element_type import BOOLEAN, INTEGER

T = TypeVar("T", INTEGER | {BOOLEAN})
T_INTEGER = TypeVar("T", INTEGER)


class Bitwise(Binary):
    """A connective of the bits of two integers, or of two booleans, broadcast as ``auto_broadcast`` says."""

    inputs = (In("a", T), In("b", T))
    outputs = (Out("output", T),)


class Shift(Binary):
    """A shift of the bits of an integer, broadcast as ``auto_broadcast`` says."""

    inputs = (In("a", T_INTEGER, "what is shifted"), In("b", T_INTEGER, "by how many bits"))
    outputs = (Out("output", T_INTEGER),)

"""Base classes of bitwise operations."""

from __future__ import annotations

from irrun.ops import In, Out, TypeVar
from irrun.ops._declared.arithmetic.elementwise import Binary
from irrun.tensor.element_type import BOOLEAN, INTEGER

T = TypeVar("T", INTEGER | {BOOLEAN})
T_INTEGER = TypeVar("T", INTEGER)


class Bitwise(Binary):
    """A bitwise function of two integers, or of two booleans, broadcast by ``auto_broadcast``."""

    inputs = (In("a", T), In("b", T))
    outputs = (Out("output", T),)


class Shift(Binary):
    """A bit shift of an integer, broadcast by ``auto_broadcast``."""

    inputs = (In("a", T_INTEGER, "the operand"), In("b", T_INTEGER, "the number of bits"))
    outputs = (Out("output", T_INTEGER),)

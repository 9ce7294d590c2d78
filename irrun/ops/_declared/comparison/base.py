"""Base classes of comparisons and of tests of floats."""

from __future__ import annotations

from irrun.ops import Fold, In, Out, TypeVar
from irrun.ops._declared.arithmetic.elementwise import Binary, Unary
from irrun.tensor.element_type import ANY, BOOLEAN, FLOAT

T = TypeVar("T", ANY)
T_FLOAT = TypeVar("T", FLOAT)


class Comparison(Binary):
    """A comparison of two elements of one type, broadcast by ``auto_broadcast``. NaN is unequal to everything."""

    inputs = (In("a", T), In("b", T))
    outputs = (Out("output", BOOLEAN),)
    foldable = Fold.DIMS


class FloatTest(Unary):
    """A test of each element of a float tensor."""

    inputs = (In("data", T_FLOAT),)
    outputs = (Out("output", BOOLEAN),)

"""What the element-wise operations of one input, and of two, have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np

from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr
from irrun.ops.shapes import broadcast, broadcast_pdpd
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


class Unary(Op):
    """A function of each element; the result has the type and shape of the input.

    Integers are computed in float64 where ``function`` knows floats only, and truncated toward zero.
    """

    inputs = (In("data", T),)
    outputs = (Out("output", T),)
    function: ClassVar[Callable[..., Any]]

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        return np.asarray(type(self).function(data))


class Binary(Op):
    """A function of two elements, broadcast as ``auto_broadcast`` says."""

    inputs = (In("a", T), In("b", T))
    outputs = (Out("output", T),)
    function: ClassVar[Callable[..., Any]]

    auto_broadcast: Literal["numpy", "none", "pdpd"] = attr("numpy", doc="how shapes that differ are matched")
    axis: int = attr(-1, name="auto_broadcast.auto_broadcast_axis", doc="where b is laid on a, for pdpd")

    def infer(self, a: Fact, b: Fact) -> Shape:
        if self.auto_broadcast == "numpy":
            return broadcast(a.shape, b.shape)
        if self.auto_broadcast == "pdpd":
            return broadcast_pdpd(a.shape, b.shape, self.axis)
        merged = a.shape.merge(b.shape)
        if merged is None:
            raise OpError(f"shapes {a.shape} and {b.shape} differ; auto_broadcast is none", input=1)
        return merged

    def run(self, a: Array, b: Array) -> Array:
        if self.auto_broadcast == "pdpd":
            b = align_pdpd(b, a.ndim, self.axis)
        return np.asarray(type(self).function(a, b))


def align_pdpd(b: Array, rank: int, axis: int) -> Array:
    """``b`` with ones around its shape, so that NumPy broadcasts it from ``axis`` of a tensor of ``rank`` on."""
    start = rank - b.ndim if axis == -1 else axis
    shape = b.shape
    while len(shape) + start > rank and shape[-1] == 1:
        shape = shape[:-1]
    return b.reshape((1,) * start + shape + (1,) * (rank - start - len(shape)))



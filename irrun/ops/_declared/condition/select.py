from __future__ import annotations

from typing import Any, Literal

import numpy as np

from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.arithmetic.elementwise import align_pdpd
from irrun.ops.departures import NUMPY, refuses_pdpd
from irrun.ops.shapes import EXPLICIT, broadcast, broadcast_pdpd
from irrun.tensor.element_type import ANY, BOOLEAN

T = TypeVar("T", ANY)


@op("Select", opset=1)
class Select(Op):
    """Elements of one tensor where a condition is true, of another where it is false."""

    departures = {"pdpd": refuses_pdpd("Select")}
    workarounds = {"pdpd": NUMPY}

    workspace = 8
    inputs = (
        In("cond", BOOLEAN),
        In("then", T, "the values where cond is true"),
        In("else", T, "the values where cond is false"),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    auto_broadcast: Literal["numpy", "none", "pdpd"] = attr(
        "numpy", doc="rule for broadcasting different shapes", aliases=EXPLICIT
    )
    axis: int = attr(
        0, name="auto_broadcast.auto_broadcast_axis", doc="axis of then on which another tensor begins, for pdpd"
    )

    def infer(self, cond: Fact, then: Fact, other: Fact) -> Shape:
        if self.auto_broadcast == "numpy":
            return broadcast(cond.shape, then.shape, other.shape)
        if self.auto_broadcast == "pdpd":
            return broadcast_pdpd(broadcast_pdpd(then.shape, other.shape, self.axis), cond.shape, self.axis)
        result = then.shape
        for index, fact in ((2, other), (0, cond)):
            merged = result.merge(fact.shape)
            if merged is None:
                what = f"shapes {fact.shape} and {result} differ; auto_broadcast is none"
                raise OpError(what, input=index)
            result = merged
        return result

    def run(self, cond: Array, then: Array, other: Array) -> Array:
        if self.auto_broadcast == "pdpd":
            other, cond = (align_pdpd(array, then.ndim, self.axis) for array in (other, cond))
        if cond.dtype == object:
            return np.asarray(np.frompyfunc(_either, 3, 1)(cond, then, other), dtype=object)
        return np.where(cond, then, other)


def _either(cond: Any, then: Any, other: Any) -> Any:
    """Return a size that is one of two; Undecided for other elements."""
    return Dim.of(then).union(Dim.of(other)) if isinstance(cond, Dim) else then if cond else other

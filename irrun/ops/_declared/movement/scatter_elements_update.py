from __future__ import annotations

from typing import Literal

from irrun.kernels.gather import along_axis
from irrun.kernels.scatter import scatter
from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.declaration import FLAGS
from irrun.ops.departures import IN_F32
from irrun.ops.shapes import normalize_axis, single_axis
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


@op("ScatterElementsUpdate", opset=3)
class ScatterElementsUpdateV3(Op):
    """Copy a tensor and write each update at its own position, with the index along one axis replaced.

    The last of several updates of one place is kept.

    Note: the page requires indices from 0 on; negative ones count from the end, as in ScatterElementsUpdate-12.
    """

    inputs = (
        In("data", T, "the tensor to copy"),
        In("indices", INTEGER, "the places along the axis", also=FLAGS),
        In("updates", T, "the new values, in the shape of indices"),
        In("axis", INTEGER, "the axis, one element", rank=(0, 1)),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    def infer(self, data: Fact, indices: Fact, updates: Fact, axis: Fact) -> Shape:
        return _shape(data, indices, updates, axis)

    def run(self, data: Array, indices: Array, updates: Array, axis: Array) -> Array:
        return scatter(data, _places(data, indices, axis), updates)


@op("ScatterElementsUpdate", opset=12)
class ScatterElementsUpdateV12(Op):
    """Copy a tensor and combine it with each update at its own position, with the index along one axis replaced.

    Without reduction, the last of several updates of one place is kept. Means of integers are rounded down.
    """

    departures = {
        "mean": "rounds means of integers toward zero, and adds up 8-bit integers in 8 bits",
        "nan": "ignores NaN with the reductions max and min",
    }
    workarounds = {"mean": IN_F32}

    inputs = (
        In("data", T, "the tensor to copy"),
        In("indices", INTEGER, "the places along the axis; negative ones count from the end", also=FLAGS),
        In("updates", T, "the updates, in the shape of indices"),
        In("axis", INTEGER, "the axis, one element", rank=(0, 1)),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    reduction: Literal["none", "sum", "prod", "min", "max", "mean"] = attr(
        "none", doc="combination of updates with data"
    )
    use_init_val: bool = attr(True, doc="whether the reduction begins with the element of data")

    def infer(self, data: Fact, indices: Fact, updates: Fact, axis: Fact) -> Shape:
        if self.reduction == "mean" and data.type.kind == "boolean":
            raise OpError("reduction is mean, which boolean data do not have", attribute="reduction")
        if self.reduction != "none" and data.type.kind == "string":
            raise OpError(f"reduction is {self.reduction}, which strings do not have", attribute="reduction")
        return _shape(data, indices, updates, axis)

    def run(self, data: Array, indices: Array, updates: Array, axis: Array) -> Array:
        return scatter(data, _places(data, indices, axis), updates, self.reduction, keep_initial=self.use_init_val)


def _shape(data: Fact, indices: Fact, updates: Fact, axis: Fact) -> Shape:
    if not indices.shape.compatible(updates.shape):
        raise OpError(f"updates have shape {updates.shape}, expected {indices.shape} as indices", input=2)
    if data.shape.dims is None:
        return data.shape
    rank = len(data.shape)
    where = single_axis(axis, rank, input=3)
    shape = indices.shape.merge(updates.shape)
    if shape is None or shape.dims is None:
        return data.shape
    if len(shape) != rank:
        raise OpError(f"indices have rank {len(shape)}, expected {rank} as data", input=1)
    for index, (size, most) in enumerate(zip(shape, data.shape, strict=True)):
        if where is not None and index != where and size.lo > most.hi:
            raise OpError(f"indices have size {size} on axis {index}, more than {most} of data", input=1)
    return data.shape


def _places(data: Array, indices: Array, axis: Array) -> tuple[Array, ...]:
    where = normalize_axis(int(axis.reshape(-1)[0]), data.ndim, attribute=None, input=3)
    try:
        return along_axis(indices, where, data.shape[where])
    except IndexError as error:
        raise OpError(str(error), input=1) from None

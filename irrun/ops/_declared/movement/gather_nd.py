from __future__ import annotations

import math

from irrun.diagnostics import amount
from irrun.kernels.gather import gather_nd
from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import broadcast_dim
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


@op("GatherND", opset=5)
class GatherNDV5(Op):
    """Gather elements or slices at tuples of indices; the result merges several batch axes into one.

    Note: the page requires indices from 0 on; negative ones count from the end, as in GatherND-8.
    """

    departures = {"batch": "refuses data and indices whose batches differ"}
    workarounds = {"batch": "Broadcast data to the batch of the indices"}

    inputs = (
        In("data", T, "a tensor of rank 1 or more"),
        In("indices", INTEGER, "tuples of indices along the last axis"),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    batch_dims: int = attr(0, doc="number of leading batch axes of data and indices", ge=0)

    def infer(self, data: Fact, indices: Fact) -> Shape:
        shape = _shape(data, indices, self.batch_dims)
        if shape.dims is None or self.batch_dims < 2:
            return shape
        batch = math.prod(shape[: self.batch_dims], start=Dim.exactly(1))
        return Shape([batch, *shape[self.batch_dims :]])

    def run(self, data: Array, indices: Array) -> Array:
        output = _run(data, indices, self.batch_dims)
        if self.batch_dims < 2:
            return output
        batch = math.prod(output.shape[: self.batch_dims])
        return output.reshape(batch, *output.shape[self.batch_dims :])


@op("GatherND", opset=8)
class GatherNDV8(Op):
    """Gather elements or slices at tuples of indices; negative ones count from the end."""

    departures = {"batch": "refuses data and indices whose batches differ"}
    workarounds = {"batch": "Broadcast data to the batch of the indices"}

    inputs = (
        In("data", T, "a tensor of rank 1 or more"),
        In("indices", INTEGER, "tuples of indices along the last axis"),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    batch_dims: int = attr(0, doc="number of leading batch axes of data and indices", ge=0)

    def infer(self, data: Fact, indices: Fact) -> Shape:
        return _shape(data, indices, self.batch_dims)

    def run(self, data: Array, indices: Array) -> Array:
        return _run(data, indices, self.batch_dims)


def _shape(data: Fact, indices: Fact, batch_dims: int) -> Shape:
    for index, (name, fact) in enumerate((("data", data), ("indices", indices))):
        if fact.rank == 0:
            raise OpError(f"{name} is a scalar, expected rank 1 or more", input=index)
        if fact.rank is not None and fact.rank <= batch_dims:
            raise OpError(f"batch_dims is {batch_dims}, but {name} has rank {fact.rank}", attribute="batch_dims")
    if data.shape.dims is None or indices.shape.dims is None:
        return Shape.unknown()
    batch = []
    for axis, (a, b) in enumerate(zip(data.shape[:batch_dims], indices.shape[:batch_dims], strict=True)):
        dim = broadcast_dim(a, b)
        if dim is None:
            raise OpError(f"size {axis} is {a} in data and {b} in indices, expected the same or 1", input=1)
        batch.append(dim)
    depth = indices.shape[-1]
    if depth.lo > len(data.shape) - batch_dims:
        raise OpError(
            f"indices name {amount(depth, 'axis', 'axes')}, but data has {len(data.shape) - batch_dims} to name",
            input=1,
        )
    if not depth.is_static:
        return Shape.unknown()
    return Shape([*batch, *indices.shape[batch_dims:-1], *data.shape[batch_dims + depth.lo :]])


def _run(data: Array, indices: Array, batch_dims: int) -> Array:
    try:
        return gather_nd(data, indices, batch_dims)
    except IndexError as error:
        raise OpError(str(error), input=1) from None

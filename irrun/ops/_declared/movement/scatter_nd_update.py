from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels.gather import in_range
from irrun.kernels.scatter import scatter
from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.tensor.element_type import ANY, I32, I64

T = TypeVar("T", ANY)
INDEX = frozenset({I32, I64})


@op("ScatterNDUpdate", opset=4, page="scatter-nd-update-3")
class ScatterNDUpdateV4(Op):
    """Copy a tensor and write elements or slices at tuples of indices.

    The last of several updates of one place is kept.

    Note: the page requires indices from 0 on; negative ones count from the end, as in ScatterNDUpdate-15.
    """

    departures = {"one update": "refuses one update for an index of rank 1"}
    workarounds = {"one update": "Unsqueeze the indices to rank 2"}

    inputs = (
        In("data", T, "the tensor to copy, of rank 1 or more"),
        In("indices", INDEX, "tuples of indices along the last axis"),
        In("updates", T, "the new values"),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    def infer(self, data: Fact, indices: Fact, updates: Fact) -> Shape:
        return _shape(data, indices, updates)

    def run(self, data: Array, indices: Array, updates: Array) -> Array:
        return _run(data, indices, updates, "none")


@op("ScatterNDUpdate", opset=15)
class ScatterNDUpdateV15(Op):
    """Copy a tensor and combine it with elements or slices at tuples of indices; negative ones count from the end.

    Without reduction, the last of several updates of one place is kept. Booleans are reduced by or (sum), exclusive or
    (sub) and and (prod).
    """

    departures = {
        "one update": "refuses one update for an index of rank 1",
        "nan": "ignores NaN with the reductions max and min",
    }
    workarounds = {"one update": "Unsqueeze the indices to rank 2"}

    inputs = (
        In("data", T, "the tensor to copy, of rank 1 or more"),
        In("indices", INDEX, "tuples of indices along the last axis; negative ones count from the end"),
        In("updates", T, "the updates"),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    reduction: Literal["none", "sum", "sub", "prod", "min", "max"] = attr(
        "none", doc="combination of updates with data"
    )

    def infer(self, data: Fact, indices: Fact, updates: Fact) -> Shape:
        if self.reduction != "none" and data.type.kind == "string":
            raise OpError(f"reduction is {self.reduction}, which strings do not have", attribute="reduction")
        return _shape(data, indices, updates)

    def run(self, data: Array, indices: Array, updates: Array) -> Array:
        return _run(data, indices, updates, self.reduction)


def _shape(data: Fact, indices: Fact, updates: Fact) -> Shape:
    for index, (name, fact) in enumerate((("data", data), ("indices", indices))):
        if fact.rank == 0:
            raise OpError(f"{name} is a scalar, expected rank 1 or more", input=index)
    if data.shape.dims is None or indices.shape.dims is None:
        return data.shape
    depth = indices.shape[-1]
    if depth.lo > len(data.shape):
        raise OpError(f"indices name {amount(depth, 'axis', 'axes')}, but data has rank {len(data.shape)}", input=1)
    if not depth.is_static:
        return data.shape
    expected = Shape([*indices.shape[:-1], *data.shape[depth.lo :]])
    single = len(expected) == 0 and (updates.shape.dims is None or updates.shape.size.admits(1))
    if not single and not expected.compatible(updates.shape):
        raise OpError(f"updates have shape {updates.shape}, expected {expected}", input=2)
    return data.shape


def _run(data: Array, indices: Array, updates: Array, reduction: str) -> Array:
    depth = indices.shape[-1]
    try:
        index = tuple(in_range(indices[..., axis], data.shape[axis], axis) for axis in range(depth))
    except IndexError as error:
        raise OpError(str(error), input=1) from None
    updates = updates.reshape(indices.shape[:-1] + data.shape[depth:])
    if depth == 0:
        everywhere = np.zeros(indices.shape[:-1], dtype=np.int64)
        return scatter(data[np.newaxis], (everywhere,), updates, reduction).reshape(data.shape)
    return scatter(data, index, updates, reduction)

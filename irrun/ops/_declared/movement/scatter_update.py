from __future__ import annotations

from irrun.kernels.gather import in_range
from irrun.kernels.scatter import scatter
from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.shapes import normalize_axis, single_axis
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T_NUMERIC", ANY)


@op("ScatterUpdate", opset=3)
class ScatterUpdate(Op):
    """Copy a tensor and replace the slices that the indices select along an axis.

    The last of several slices for one place is kept.
    """

    departures = {"scalar": "refuses a scalar index"}
    workarounds = {"scalar": "Unsqueeze index and updates"}

    inputs = (
        In("data", T, "the tensor to copy"),
        In("indices", INTEGER, "the slices to write, from 0 on"),
        In("updates", T, "the slices, the shape of indices in place of the axis"),
        In("axis", INTEGER, "the axis, one element", rank=(0, 1)),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    def infer(self, data: Fact, indices: Fact, updates: Fact, axis: Fact) -> Shape:
        if data.shape.dims is None:
            return data.shape
        where = single_axis(axis, len(data.shape), input=3)
        if indices.shape.dims is None or updates.shape.dims is None:
            return data.shape
        rank = len(data.shape) + len(indices.shape) - 1
        if len(updates.shape) != rank:
            raise OpError(f"updates have rank {len(updates.shape)}, expected {rank}", input=2)
        if where is not None:
            expected = Shape([*data.shape[:where], *indices.shape, *data.shape[where + 1 :]])
            if not expected.compatible(updates.shape):
                raise OpError(f"updates have shape {updates.shape}, expected {expected}", input=2)
        return data.shape

    def run(self, data: Array, indices: Array, updates: Array, axis: Array) -> Array:
        where = normalize_axis(int(axis.reshape(-1)[0]), data.ndim, attribute=None, input=3)
        size = data.shape[where]
        try:
            index = in_range(indices, size, where)
        except IndexError as error:
            raise OpError(str(error), input=1) from None
        return scatter(data, (slice(None),) * where + (index,), updates)

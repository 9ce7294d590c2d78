from __future__ import annotations

import numpy as np

from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops._declared.movement.slice import sliced_shape, slices
from irrun.ops.departures import Departure, Layer
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


def _bounds_vary(_: object, layer: Layer) -> bool:
    return layer.inputs[0].shape.is_static and layer.varies(2, 3, 4)


@op("SliceScatter", opset=15)
class SliceScatter(Op):
    """Copy a tensor and overwrite a slice of it with the updates."""

    departures = {
        "bounds": Departure("returns garbage where the shape is static and bounds are not constant", _bounds_vary),
    }
    workarounds = {"bounds": "dynamic shapes, as irrun edit reshape writes"}

    inputs = (
        In("data", T, "the tensor to copy"),
        In("updates", ANY, "the new values, in the shape of the slice"),
        In("start", INTEGER, "the first index of each axis; negative ones count from the end", rank=1),
        In("stop", INTEGER, "the index past the last of each axis", rank=1),
        In("step", INTEGER, "the distance between indices along each axis, not 0", rank=1),
        In("axes", INTEGER, "the axes to slice; the leading ones where absent", optional=True, rank=1),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    def infer(self, data: Fact, updates: Fact, start: Fact, stop: Fact, step: Fact, axes: Fact | None) -> Shape:
        part = sliced_shape(data, start, stop, step, axes, first_input=2)
        if not part.compatible(updates.shape):
            raise OpError(f"updates have shape {updates.shape}, expected that of the slice, {part}", input=1)
        return Shape.unknown(updates.rank) if data.shape.dims is None else data.shape

    def run(self, data: Array, updates: Array, start: Array, stop: Array, step: Array, axes: Array | None) -> Array:
        output = data.astype(np.promote_types(data.dtype, updates.dtype))
        part = slices(data.shape, start, stop, step, axes)
        if output[part].shape != updates.shape:
            raise OpError(
                f"updates have shape {list(updates.shape)}, expected that of the slice, {list(output[part].shape)}",
                input=1,
            )
        output[part] = updates
        return output

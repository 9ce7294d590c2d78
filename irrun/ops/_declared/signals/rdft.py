from __future__ import annotations

from collections.abc import Iterator, Sequence

from irrun.kernels.fft import rdft
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops._declared.signals.fourier import INDEX, checked_axes, known_sizes, refuted, transformed, unknown
from irrun.ops.departures import Departure, Layer, constant
from irrun.ops.refuting import Refutation
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


def _grows(_: object, layer: Layer) -> str | None:
    sizes, axes, data = constant(layer, 2), constant(layer, 1), layer.inputs[0].shape.dims
    if sizes is None or axes is None or data is None:
        return None
    for axis, size in zip(axes.reshape(-1).tolist(), sizes.reshape(-1).tolist(), strict=False):
        if -len(data) <= axis < len(data) and size > data[axis].hi:
            return f"writes beyond its memory where signal_size {size} exceeds the {data[axis]} of axis {axis}"
    return None


@op("RDFT", opset=9)
class RDFT(Op):
    """Discrete Fourier transform of real data; complex numbers are pairs in a new last axis.

    Each axis is truncated or zero-padded to its signal size; -1 keeps it. Along the last of the axes, the output has
    only the first size // 2 + 1 frequencies.
    """

    departures = {
        "size": Departure("reads beyond its memory where signal_size exceeds the axis", _grows),
        "infinite": "returns NaN for more elements beside infinities",
    }
    workarounds = {"size": "a Pad with zeros before it, without signal_size"}

    inputs = (
        In("data", T),
        In("axes", INDEX, "the axes to transform", rank=1),
        In("signal_size", INDEX, "the size of each of these axes", optional=True, rank=1),
    )
    outputs = (Out("output", T, "[..., 2]"),)

    def infer(self, data: Fact, axes: Fact, signal_size: Fact | None) -> Shape:
        if data.shape.dims is None:
            return Shape.unknown()
        dims = data.shape.dims
        if len(dims) == 0:
            raise OpError("data is a scalar, expected rank 1 or more", input=0)
        places = checked_axes(axes, len(dims))
        sizes = transformed(dims, axes, places, signal_size)
        if sizes is None or places is None:
            return Shape([*unknown(len(dims)), 2])
        if places:
            sizes[places[-1]] = sizes[places[-1]] // 2 + 1
        return Shape([*sizes, 2])

    def refute(
        self, declared: Sequence[Shape], data: Fact, axes: Fact, signal_size: Fact | None
    ) -> Iterator[Refutation]:
        if data.shape.dims is not None and axes.ints() is None and declared[0].dims:
            half = Shape(declared[0][:-1])
            return refuted(half, data.shape.dims, axes, signal_size, lambda size: size // 2 + 1)
        return iter(())

    def run(self, data: Array, axes: Array, signal_size: Array | None) -> Array:
        places = [int(axis) % data.ndim for axis in axes]
        return rdft(data, places, known_sizes(data.shape, places, signal_size))

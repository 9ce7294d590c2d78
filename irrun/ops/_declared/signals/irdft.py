from __future__ import annotations

from collections.abc import Iterator, Sequence

from irrun.kernels.fft import irdft
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, op
from irrun.ops._declared.signals.fourier import (
    INDEX,
    checked_axes,
    complex_dims,
    known_sizes,
    refuted,
    transformed,
    unknown,
)
from irrun.ops.refuting import Refutation
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("IRDFT", opset=9)
class IRDFT(Op):
    """Inverse discrete Fourier transform to real data; complex numbers are pairs in the last axis, which is dropped.

    Each axis is truncated or zero-padded to its signal size; -1 keeps it. The last of the axes holds the first half of
    a symmetric spectrum: without a signal size its result has the size 2 * (size - 1).
    """

    departures = {
        "size": "reads beyond its memory where signal_size exceeds the axis",
        "infinite": "returns NaN for more elements beside infinities",
    }
    workarounds = {"size": "a Pad of the frequencies with zeros before it"}

    inputs = (
        In("data", T, "[..., 2]"),
        In("axes", INDEX, "the axes to transform, without the last one", rank=1),
        In("signal_size", INDEX, "the size of each of these axes in the output", optional=True, rank=1),
    )
    outputs = (Out("output", T),)

    def infer(self, data: Fact, axes: Fact, signal_size: Fact | None) -> Shape:
        dims = complex_dims(data)
        if dims is None:
            return Shape.unknown()
        places = checked_axes(axes, len(dims))
        if places is None:
            transformed(dims, axes, places, signal_size)
            return Shape(unknown(len(dims)))
        full = list(dims)
        if places:
            full[places[-1]] = (dims[places[-1]] - 1) * 2
        sizes = transformed(full, axes, places, signal_size)
        return Shape(sizes if sizes is not None else unknown(len(dims)))

    def refute(
        self, declared: Sequence[Shape], data: Fact, axes: Fact, signal_size: Fact | None
    ) -> Iterator[Refutation]:
        dims = complex_dims(data)
        if dims is not None and axes.ints() is None:
            return refuted(declared[0], dims, axes, signal_size, lambda size: (size - 1) * 2)
        return iter(())

    def run(self, data: Array, axes: Array, signal_size: Array | None) -> Array:
        places = [int(axis) % (data.ndim - 1) for axis in axes]
        shape = list(data.shape[:-1])
        if places:
            shape[places[-1]] = max(2 * (shape[places[-1]] - 1), 0)
        return irdft(data, places, known_sizes(shape, places, signal_size))

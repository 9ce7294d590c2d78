from __future__ import annotations

from collections.abc import Iterator, Sequence

from irrun.kernels.fft import dft
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, op
from irrun.ops._declared.signals.fourier import (
    INDEX,
    checked_axes,
    complex_dims,
    known_sizes,
    refuted_complex,
    transformed,
    unknown,
)
from irrun.ops.departures import LEFT_OUT
from irrun.ops.refuting import Refutation
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("DFT", opset=7)
class DFT(Op):
    """Discrete Fourier transform of complex data.

    Complex numbers are pairs in the last axis. Each axis is truncated or zero-padded to its signal size; -1 keeps it.
    """

    departures = {
        "no axes": "returns garbage where axes are empty",
        "infinite": "returns NaN for more elements beside infinities",
    }
    workarounds = {"no axes": LEFT_OUT}

    inputs = (
        In("data", T, "[..., 2]"),
        In("axes", INDEX, "the axes to transform, without the last one", rank=1),
        In("signal_size", INDEX, "the size of each of these axes", optional=True, rank=1),
    )
    outputs = (Out("output", T, "[..., 2]"),)

    def infer(self, data: Fact, axes: Fact, signal_size: Fact | None) -> Shape:
        dims = complex_dims(data)
        if dims is None:
            return Shape.unknown()
        sizes = transformed(dims, axes, checked_axes(axes, len(dims)), signal_size)
        return Shape([*(sizes if sizes is not None else unknown(len(dims))), 2])

    def refute(
        self, declared: Sequence[Shape], data: Fact, axes: Fact, signal_size: Fact | None
    ) -> Iterator[Refutation]:
        return refuted_complex(declared[0], data, axes, signal_size)

    def run(self, data: Array, axes: Array, signal_size: Array | None) -> Array:
        places = [int(axis) % (data.ndim - 1) for axis in axes]
        return dft(data, places, known_sizes(data.shape, places, signal_size), inverse=False)

from __future__ import annotations

from irrun.ops import Array, Fact, In, Out, Shape, TypeVar, op
from irrun.ops._declared.convolution.base import NO_PADDING, Convolving, forward_shape, in_wide_integers, saturated
from irrun.ops.work import per_output
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


@op("Convolution", opset=1)
class Convolution(Convolving):
    """1D, 2D or 3D convolution: cross-correlation of the input with a kernel.

    Note: sums of 8- and 16-bit integers saturate, as in OpenVINO's CPU plugin. Negative padding crops.
    """

    departures = {"negative padding": "refuses negative padding", "beside nan": NO_PADDING}
    workarounds = {
        "negative padding": "a Slice before it, and padding of 0",
        "beside nan": "a Concat of zeros before it, and auto_pad valid",
    }

    workspace = 8
    inputs = (
        In("data", T, "[N, C_IN, Z, Y, X]", rank=(3, 4, 5)),
        In("kernel", T, "[C_OUT, C_IN, Z, Y, X]", rank=(3, 4, 5)),
    )
    outputs = (Out("output", T, "[N, C_OUT, Z, Y, X]"),)
    multiply_adds = per_output(kernel=1, skipped=1)

    def infer(self, data: Fact, kernel: Fact) -> Shape:
        return forward_shape(self, data, kernel, grouped=False)

    def run(self, data: Array, kernel: Array) -> Array:
        from irrun.kernels.convolution import convolve

        geometry = self.windows(data.ndim - 2).geometry(data.shape[2:], kernel.shape[2:])
        return saturated(convolve(in_wide_integers(data), in_wide_integers(kernel[None]), geometry), data)

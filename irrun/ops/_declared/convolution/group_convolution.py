from __future__ import annotations

from irrun.ops import Array, Fact, In, Out, Shape, TypeVar, op
from irrun.ops._declared.convolution.base import NO_PADDING, Convolving, forward_shape, in_wide_integers, saturated
from irrun.ops.work import per_output
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


@op("GroupConvolution", opset=1)
class GroupConvolution(Convolving):
    """1D, 2D or 3D convolution of groups of channels, each with separate kernels.

    Note: sums of 8- and 16-bit integers saturate, as in OpenVINO's CPU plugin.
    """

    departures = {"beside nan": NO_PADDING}
    workspace = 8

    inputs = (
        In("data", T, "[N, GROUPS * C_IN, Z, Y, X]", rank=(3, 4, 5)),
        In("kernel", T, "[GROUPS, C_OUT, C_IN, Z, Y, X]", rank=(4, 5, 6)),
    )
    outputs = (Out("output", T, "[N, GROUPS * C_OUT, Z, Y, X]"),)
    multiply_adds = per_output(kernel=1, skipped=2)

    def infer(self, data: Fact, kernel: Fact) -> Shape:
        return forward_shape(self, data, kernel, grouped=True)

    def run(self, data: Array, kernel: Array) -> Array:
        from irrun.kernels.convolution import convolve

        geometry = self.windows(data.ndim - 2).geometry(data.shape[2:], kernel.shape[3:])
        return saturated(convolve(in_wide_integers(data), in_wide_integers(kernel), geometry), data)

from __future__ import annotations

from typing import Literal

from irrun.kernels.convolution import binary_convolve
from irrun.ops import Array, Fact, In, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.convolution.base import Convolving, forward_shape
from irrun.ops.work import per_output
from irrun.tensor.element_type import NUMERIC, U1

T1 = TypeVar("T1", NUMERIC)


@op("BinaryConvolution", opset=1)
class BinaryConvolution(Convolving):
    """2D convolution of binary data with a binary kernel: 0 counts as -1, 1 as 1.

    Note: an element that is neither 0 nor 1, such as padding with another pad_value, matches no bit of the kernel.
    """

    departures = {
        "bits": "reads the bits of the kernel in the opposite order, and ignores padding with 0",
        "integers": "refuses integers",
    }
    workarounds = {
        "bits": "a Convolution of -1 and 1 in f32, after a Pad with -1 or 1",
        "integers": "a Convolution of -1 and 1 in f32, and Convert after it",
    }

    inputs = (
        In("data", T1, "[N, C_IN, Y, X], of zeros and ones", rank=4),
        In("kernel", U1, "[C_OUT, C_IN, Y, X]", rank=4),
    )
    outputs = (Out("output", T1, "[N, C_OUT, Y, X]"),)
    multiply_adds = per_output(kernel=1, skipped=1)

    mode: Literal["xnor-popcount"] = attr(doc="meaning of the bits", openvino="xnor-popcount")
    pad_value: float = attr(doc="the value of padding", openvino=0.0)

    def infer(self, data: Fact, kernel: Fact) -> Shape:
        return forward_shape(self, data, kernel, grouped=False)

    def run(self, data: Array, kernel: Array) -> Array:
        geometry = self.windows(2).geometry(data.shape[2:], kernel.shape[2:])
        return binary_convolve(data, kernel, geometry, self.pad_value)

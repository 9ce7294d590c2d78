from __future__ import annotations

from irrun.kernels.transposed_convolution import convolve_transposed
from irrun.ops import Array, Fact, In, Out, Shape, TypeVar, op
from irrun.ops._declared.convolution.base import in_wide_integers, saturated
from irrun.ops._declared.convolution.transposed import TransposedConvolving, transposed_shape
from irrun.ops.work import per_input
from irrun.tensor.element_type import INTEGER, NUMERIC

T1 = TypeVar("T1", NUMERIC)


@op("ConvolutionBackpropData", opset=1)
class ConvolutionBackpropData(TransposedConvolving):
    """1D, 2D or 3D transposed convolution.

    Where output_shape exceeds the full result, the elements at the end are zero.
    """

    departures = {
        "output_shape": "uses the padding of the attributes, not of output_shape, with auto_pad explicit or valid",
        "beside nan": "makes NaN of infinite and NaN elements of the kernel where they meet no element of data",
    }
    workarounds = {"output_shape": "without output_shape, the padding that it implies in pads_begin and pads_end"}

    workspace = 8
    inputs = (
        In("data", T1, "[N, C_INPUT, Z, Y, X]", rank=(3, 4, 5)),
        In("kernel", T1, "[C_INPUT, C_OUTPUT, Z, Y, X]", rank=(3, 4, 5)),
        In("output_shape", INTEGER, "the spatial sizes of the output", optional=True, rank=1),
    )
    outputs = (Out("output", T1, "[N, C_OUTPUT, Z, Y, X]"),)
    multiply_adds = per_input(kernel=1, skipped=1)

    def infer(self, data: Fact, kernel: Fact, output_shape: Fact | None) -> Shape:
        return transposed_shape(self, data, kernel, output_shape, grouped=False)

    def run(self, data: Array, kernel: Array, output_shape: Array | None) -> Array:
        windows = self.windows(data.ndim - 2)
        wanted = None if output_shape is None else output_shape.tolist()
        begins, sizes = self.place(data.shape[2:], kernel.shape[2:], wanted)
        weights = in_wide_integers(kernel[None])
        result = convolve_transposed(in_wide_integers(data), weights, windows.strides, windows.dilations, begins, sizes)
        return saturated(result, data)

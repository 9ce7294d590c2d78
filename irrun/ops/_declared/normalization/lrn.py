from __future__ import annotations

from irrun.kernels.casting import in_floats
from irrun.kernels.normalization import local_response
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.normalization.axes import check_axes
from irrun.ops._declared.reduction.base import reduced_axes
from irrun.ops.departures import Departure, Layer, constant, is_empty
from irrun.tensor.element_type import INTEGER, NUMERIC

T = TypeVar("T", NUMERIC)


def _is_along_other_axes(_: object, layer: Layer) -> bool:
    rank, axes = layer.inputs[0].rank, constant(layer, 1)
    if rank is None or rank < 2 or axes is None:
        return False
    return axes.tolist() != [1] and not set(range(2, rank)) <= set(axes.tolist())


@op("LRN", opset=1)
class LRN(Op):
    """Local response normalization: each element divided by a power of the squares around it.

    The divisor is (bias + alpha / size ** n * sum) ** beta, where n is the number of axes and the sum is over the
    squares of all elements up to size // 2 away along every axis.
    """

    departures = {
        "even size": "sums up to (size - 1) // 2 away with an even size",
        "bias": "drops the fraction of bias",
        "no axes": Departure("crashes the process where an LRN has no axes", lambda _, layer: is_empty(layer, 1)),
        "axes": Departure(
            "supports an LRN only along the axes [1] and along all from the third on", _is_along_other_axes
        ),
    }
    workarounds = {
        "bias": "bias 1 and alpha / bias, and Multiply the result by bias ** -beta",
        "no axes": "Multiply, Add, Power and Divide in its place",
        "axes": "count the axis from 0",
    }

    inputs = (In("data", T), In("axes", INTEGER, "the axes of the region", rank=1))
    outputs = (Out("output", T),)

    alpha: float = attr(doc="factor of the sum", openvino=0.0)
    beta: float = attr(doc="exponent of the divisor", ge=0, openvino=0.0)
    bias: float = attr(doc="added to the sum", openvino=0.0)
    size: int = attr(doc="side of the region", ge=1, openvino=0)

    def infer(self, data: Fact, axes: Fact) -> Shape:
        check_axes(data, axes)
        return data.shape

    def run(self, data: Array, axes: Array) -> Array:
        over = reduced_axes(axes, data.ndim)
        return in_floats(local_response, data, over, self.alpha, self.beta, self.bias, self.size)

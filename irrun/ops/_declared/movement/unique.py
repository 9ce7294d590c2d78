from __future__ import annotations

from typing import Literal

from irrun.kernels.unique import unique
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.departures import IN_I32, Departure, Layer
from irrun.ops.shapes import normalize_axis, single_axis, with_axis
from irrun.tensor.element_type import ANY, I8, I32, I64, U8

T = TypeVar("T", ANY)


def _has_slices_of_bytes(_: object, layer: Layer) -> bool:
    data = layer.inputs[0]
    return len(layer.inputs) > 1 and data.rank != 1 and data.type in (I8, U8)


@op("Unique", opset=10)
class Unique(Op):
    """Find the distinct elements of a tensor, or its distinct slices along an axis.

    Slices are sorted lexicographically. NaNs are equal to each other.
    """

    departures = {
        "nan": "does not order NaN",
        "bytes": Departure("leaves indices of slices of 8-bit integers unwritten", _has_slices_of_bytes),
    }
    workarounds = {"bytes": IN_I32}

    alike = ((1, 3),)
    inputs = (
        In("data", T),
        In("axis", frozenset({I32, I64}), "the axis of the slices, one element", optional=True, rank=(0, 1)),
    )
    outputs = (
        Out("unique", T, "the distinct elements or slices"),
        Out("indices", "index_element_type", "index of the first occurrence of each"),
        Out("inverse", "index_element_type", "index in unique of each element or slice"),
        Out("counts", "count_element_type", "number of occurrences of each"),
    )

    sorted: bool = attr(True, doc="whether to sort the output instead of keeping the order of first occurrence")
    index_element_type: Literal["i64", "i32"] = attr("i64", doc="the type of indices and inverse")
    count_element_type: Literal["i64", "i32"] = attr("i64", doc="the type of counts")

    def infer(self, data: Fact, axis: Fact | None) -> tuple[Shape, ...]:
        if axis is not None and data.rank == 0:
            raise OpError("axis is given, but data is a scalar", input=1)
        if data.shape.dims is None:
            line = Shape.unknown(1)
            return Shape.unknown(1 if axis is None else None), line, line, line
        if axis is None and data.constant is not None:
            return tuple(Shape(array.shape) for array in self.run(data.constant, None))
        if axis is None:
            total = data.shape.size
            found = Shape([_distinct(total)])
            return found, found, Shape([total]), found
        where = single_axis(axis, len(data.shape), input=1)
        if where is None:
            line = Shape.unknown(1)
            return Shape([Dim(0, size.hi) for size in data.shape]), line, line, line
        size = data.shape[where]
        found = Shape([_distinct(size)])
        return with_axis(data.shape, where, _distinct(size)), found, Shape([size]), found

    def run(self, data: Array, axis: Array | None) -> tuple[Array, ...]:
        if axis is None:
            return unique(data, None, ordered=self.sorted)
        where = normalize_axis(int(axis.reshape(-1)[0]), data.ndim, attribute=None, input=1)
        return unique(data, where, ordered=self.sorted)


def _distinct(total: Dim) -> Dim:
    return Dim(min(total.lo, 1), total.hi)

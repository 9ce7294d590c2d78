from __future__ import annotations

from typing import Literal

from irrun.kernels.topk import top_k
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.declaration import FLAGS
from irrun.ops.shapes import normalize_axis, with_axis
from irrun.tensor.element_type import I32, INTEGER, NUMERIC

T = TypeVar("T", NUMERIC, also=FLAGS)


@op("TopK", opset=1)
class TopKV1(Op):
    """The k largest or smallest elements along an axis, and their indices.

    Note: of equal elements the first ones are selected, and come first.
    """

    alike = ((0, 1),)
    inputs = (In("data", T), In("k", INTEGER, "the number of elements to select", rank=0))
    outputs = (Out("values", T), Out("indices", I32))

    axis: int = attr(doc="the axis along which elements are selected", openvino=0)
    mode: Literal["min", "max"] = attr(doc="whether the largest or the smallest are selected", openvino="max")
    sort: Literal["value", "index", "none"] = attr(doc="the order of the output", openvino="none")
    index_element_type: Literal["i32"] = attr("i32", doc="written by OpenVINO; the only value")

    def infer(self, data: Fact, k: Fact) -> tuple[Shape, Shape]:
        return _shapes(data, k, self.axis)

    def run(self, data: Array, k: Array) -> tuple[Array, Array]:
        return _run(data, k, self.axis, self.mode, self.sort)


@op("TopK", opset=3)
class TopKV3(Op):
    """The k largest or smallest elements along an axis, and their indices.

    NaN counts as smaller than any number.

    Note: of equal elements the first ones are selected, and come first.
    """

    departures = {"nan": "does not order NaN"}

    alike = ((0, 1),)
    inputs = (In("data", T), In("k", INTEGER, "the number of elements to select", rank=0))
    outputs = (Out("values", T), Out("indices", "index_element_type"))

    axis: int = attr(doc="the axis along which elements are selected", openvino=0)
    mode: Literal["min", "max"] = attr(doc="whether the largest or the smallest are selected", openvino="max")
    sort: Literal["value", "index", "none"] = attr(doc="the order of the output", openvino="none")
    index_element_type: Literal["i32", "i64"] = attr("i32", doc="the type of the indices")

    def infer(self, data: Fact, k: Fact) -> tuple[Shape, Shape]:
        return _shapes(data, k, self.axis)

    def run(self, data: Array, k: Array) -> tuple[Array, Array]:
        return _run(data, k, self.axis, self.mode, self.sort)


@op("TopK", opset=11)
class TopKV11(Op):
    """The k largest or smallest elements along an axis, and their indices.

    NaN counts as smaller than any number.

    Note: of equal elements the first ones are selected, and come first, even where stable is false.
    """

    alike = ((0, 1),)
    inputs = (In("data", T), In("k", INTEGER, "the number of elements to select", rank=0))
    outputs = (Out("values", T), Out("indices", "index_element_type"))

    axis: int = attr(doc="the axis along which elements are selected", openvino=0)
    mode: Literal["min", "max"] = attr(doc="whether the largest or the smallest are selected", openvino="max")
    sort: Literal["value", "index", "none"] = attr(doc="the order of the output", openvino="none")
    stable: bool = attr(False, doc="whether equal elements keep their order")
    index_element_type: Literal["i32", "i64"] = attr("i32", doc="the type of the indices")

    def infer(self, data: Fact, k: Fact) -> tuple[Shape, Shape]:
        return _shapes(data, k, self.axis)

    def run(self, data: Array, k: Array) -> tuple[Array, Array]:
        return _run(data, k, self.axis, self.mode, self.sort)


def _shapes(data: Fact, k: Fact, axis: int) -> tuple[Shape, Shape]:
    if data.shape.dims is None:
        return data.shape, data.shape
    axis = normalize_axis(axis, len(data.shape))
    size = data.shape[axis]
    wanted = k.dims()
    count = wanted[0] if wanted is not None else Dim.anything()
    if count.hi < 0 or count.lo > size.hi:
        raise OpError(f"k is {count}, expected 0 to {size}, the size of axis {axis}", input=1)
    taken = count.merge(Dim(0, size.hi))
    shape = with_axis(data.shape, axis, taken if taken is not None else Dim())
    return shape, shape


def _run(data: Array, k: Array, axis: int, mode: str, sort: str) -> tuple[Array, Array]:
    count = int(k.reshape(()))
    if not 0 <= count <= data.shape[axis]:
        raise OpError(f"k is {count}, expected 0 to {data.shape[axis]}, the size of axis {axis}", input=1)
    return top_k(data, count, axis, largest=mode == "max", by_index=sort == "index")

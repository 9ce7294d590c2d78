from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.ops import Array, Dim, Fact, In, Legacy, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import normalize_axis, within
from irrun.tensor import UNBOUNDED
from irrun.tensor.element_type import ANY, INTEGER

T2 = TypeVar("T2", ANY)

_INPUTS = (
    In("indices", INTEGER, "the class of each element"),
    In("depth", INTEGER, "the number of classes", rank=0),
    In("on_value", T2, "the value at the class", rank=0),
    In("off_value", T2, "the value elsewhere", rank=0),
)


@op("OneHot", opset=1)
class OneHotV1(Op):
    """A new axis with on_value at the index and off_value elsewhere.

    Indices outside 0 to depth - 1 yield off_value everywhere.
    """

    inputs = _INPUTS
    outputs = (Out("output", T2),)
    legacy = (Legacy("depth", "off_value", "on_value", since="2019 R2", until="2019 R3"),)

    axis: int = attr(doc="position of the new axis in the output", openvino=0)

    def infer(self, indices: Fact, depth: Fact, *_: Fact) -> Shape:
        return _shape(indices, depth, self.axis)

    def run(self, indices: Array, depth: Array, on_value: Array, off_value: Array) -> Array:
        return _one_hot(indices, int(depth), on_value, off_value, self.axis)


@op("OneHot", opset=16)
class OneHotV16(Op):
    """A new axis with on_value at the index and off_value elsewhere.

    Invalid indices yield off_value everywhere; with normalize those from -depth to -1 count from the end.
    """

    inputs = _INPUTS
    outputs = (Out("output", T2),)

    axis: int = attr(doc="position of the new axis in the output", openvino=0)
    negative_indices_mode: Literal["ignore_negative", "normalize"] = attr(
        "ignore_negative", doc="whether negative indices are ignored, or count from the end"
    )

    def infer(self, indices: Fact, depth: Fact, *_: Fact) -> Shape:
        return _shape(indices, depth, self.axis)

    def run(self, indices: Array, depth: Array, on_value: Array, off_value: Array) -> Array:
        classes = int(depth)
        if self.negative_indices_mode == "normalize":
            indices = indices.astype(np.int64)
            indices = np.where(indices < 0, indices + classes, indices)
        return _one_hot(indices, classes, on_value, off_value, self.axis)


def _shape(indices: Fact, depth: Fact, axis: int) -> Shape:
    classes = (depth.dims() or (Dim.anything(),))[0]
    if classes.hi < 1:
        raise OpError(f"depth is {classes}, expected 1 or more", input=1)
    classes = within(classes, Dim(1, UNBOUNDED))
    if indices.shape.dims is None:
        return indices.shape
    axis = normalize_axis(axis, len(indices.shape) + 1)
    dims = indices.shape.dims
    return Shape([*dims[:axis], classes, *dims[axis:]])


def _one_hot(indices: Array, classes: int, on_value: Array, off_value: Array, axis: int) -> Array:
    axis = axis % (indices.ndim + 1)
    every = np.arange(classes).reshape(-1, *(1,) * (indices.ndim - axis))
    return np.where(np.expand_dims(indices.astype(np.int64), axis) == every, on_value, off_value)

from __future__ import annotations

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels.activation import sigmoid
from irrun.kernels.normalization import softmax
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import ranked
from irrun.ops.shapes import normalize_axis
from irrun.tensor import Dim
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("RegionYolo", opset=1)
class RegionYolo(Op):
    """Convert the predictions of YOLO to coordinates and class probabilities.

    Each region has coords values, an objectness and classes values. The sigmoid is applied to the first two coords and
    to the objectness; softmax to the classes with do_softmax, otherwise the sigmoid.

    Note: with do_softmax only the shape is flattened, in row-major order.
    """

    inputs = (In("data", T, "[N, C, H, W]", rank=4),)
    outputs = (Out("output", T),)

    anchors: tuple[float, ...] = attr((), doc="widths and heights of prior boxes; not used here")
    axis: int = attr(doc="first axis that do_softmax flattens", openvino=0)
    coords: int = attr(doc="coordinates of a region", openvino=0)
    classes: int = attr(doc="classes of a region", openvino=0)
    end_axis: int = attr(doc="last axis that do_softmax flattens", openvino=0)
    num: int = attr(doc="regions, with do_softmax", openvino=0)
    do_softmax: bool = attr(True, doc="whether to use the format of YOLO v2 instead of v3", openvino=False)
    mask: tuple[int, ...] = attr((), doc="one element for each region, without do_softmax")

    def infer(self, data: Fact) -> Shape:
        first = normalize_axis(self.axis, 4)
        last = normalize_axis(self.end_axis, 4, attribute="end_axis")
        shape = ranked(data, 4)
        channels = self._regions * (self.coords + self.classes + 1)
        if shape[1].hi < channels:
            counted = "num" if self.do_softmax else "elements of mask"
            raise OpError(
                f"data has {amount(shape[1], 'channel')}, expected {channels}: coords + classes + 1 for each of"
                f" {self._regions} regions ({counted})",
                input=0,
            )
        if not self.do_softmax:
            return Shape([shape[0], channels, *shape[2:]])
        if first >= last:
            return shape
        flat = Dim.exactly(1)
        for dim in shape[first : last + 1]:
            flat = flat * dim
        return Shape([*shape[:first], flat, *shape[last + 1 :]])

    @property
    def _regions(self) -> int:
        return self.num if self.do_softmax else len(self.mask)

    def run(self, data: Array) -> Array:
        batches, _, height, width = data.shape
        regions, values = self._regions, self.coords + self.classes + 1
        result = data.copy() if self.do_softmax else data[:, : regions * values].copy()
        part = result[:, : regions * values].reshape(batches, regions, values, height, width)
        part[:, :, :2] = sigmoid(part[:, :, :2])
        objectness = slice(self.coords, self.coords + 1 if self.do_softmax else values)
        part[:, :, objectness] = sigmoid(part[:, :, objectness])
        if not self.do_softmax:
            return part.reshape(batches, regions * values, height, width)
        part[:, :, self.coords + 1 :] = softmax(part[:, :, self.coords + 1 :], 2)
        result[:, : regions * values] = part.reshape(batches, regions * values, height, width)
        return result.reshape(self._flattened(data.shape))

    def _flattened(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        first, last = self.axis % 4, self.end_axis % 4
        if first >= last:
            return sizes
        return (*sizes[:first], int(np.prod(sizes[first : last + 1])), *sizes[last + 1 :])

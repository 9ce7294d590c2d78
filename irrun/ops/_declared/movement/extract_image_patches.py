from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from irrun.diagnostics import amount
from irrun.kernels.windows import Geometry, extract_patches
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.tensor.element_type import ANY, STRING

T = TypeVar("T", ANY - {STRING})


@op("ExtractImagePatches", opset=3)
class ExtractImagePatches(Op):
    """Extract the patches of an image that a convolution would see, and stack their elements in the channels."""

    inputs = (In("data", T, "[batch, depth, rows, columns]", rank=4),)
    outputs = (Out("output", T, "[batch, size of a patch * depth, patches down, patches across]"),)

    sizes: tuple[int, ...] = attr(doc="rows and columns of a patch", ge=1)
    strides: tuple[int, ...] = attr(doc="the distance of patches", ge=1)
    rates: tuple[int, ...] = attr(doc="the distance of elements of a patch", ge=1)
    auto_pad: Literal["valid", "same_upper", "same_lower"] = attr(
        doc="whether to pad with zeros, and the side of the odd one"
    )

    def verify(self) -> None:
        for name in ("sizes", "strides", "rates"):
            if len(getattr(self, name)) != 2:
                raise OpError(f"{name} has {amount(len(getattr(self, name)), 'element')}, expected 2", attribute=name)

    def infer(self, data: Fact) -> Shape:
        if data.shape.dims is None:
            return Shape.unknown(4)
        batch, depth, *lengths = data.shape
        count = [self._count(length, axis) for axis, length in enumerate(lengths)]
        return Shape([batch, depth * (self.sizes[0] * self.sizes[1]), *count])

    def run(self, data: Array) -> Array:
        return extract_patches(data, self.geometry(data.shape[2:]))

    def geometry(self, lengths: Sequence[int]) -> Geometry:
        """Return the windows that patches are, over images of these spatial sizes."""
        count = [int(self._count(Dim.exactly(length), axis)) for axis, length in enumerate(lengths)]
        pads = [self._pad(length, axis, count[axis]) for axis, length in enumerate(lengths)]
        return Geometry(self.sizes, self.strides, self.rates, tuple(pads), tuple(lengths), tuple(count))

    def _span(self, axis: int) -> int:
        """Return the number of rows or columns that a patch spans."""
        return (self.sizes[axis] - 1) * self.rates[axis] + 1

    def _count(self, length: Dim, axis: int) -> Dim:
        if self.auto_pad != "valid":
            return length.ceil_div(self.strides[axis])
        return ((length - self._span(axis)) // self.strides[axis] + 1).maximum(0)

    def _pad(self, length: int, axis: int, count: int) -> int:
        """Return the number of zeros before an axis."""
        if self.auto_pad == "valid":
            return 0
        total = max((count - 1) * self.strides[axis] + self._span(axis) - length, 0)
        return total // 2 if self.auto_pad == "same_upper" else total - total // 2

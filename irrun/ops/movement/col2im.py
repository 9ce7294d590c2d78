from __future__ import annotations

import numpy as np

from irrun.kernels.windows import pad, view
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.tensor.element_type import ANY, I32, I64, STRING

T = TypeVar("T", ANY - {STRING})
T_IDX = TypeVar("T_IDX", frozenset({I32, I64}))


@op("Col2Im", opset=15, page="col2im-15")
class Col2Im(Op):
    """Add blocks up into an image, each at the place from which a sliding window would have taken it."""

    inputs = (
        In("data", T, "[N, C * product of kernel_size, L], or without N", rank=(2, 3)),
        In("output_size", T_IDX, "height and width of the image", rank=1),
        In("kernel_size", T_IDX, "height and width of a block", rank=1),
    )
    outputs = (Out("output", T, "[N, C, H, W], or without N"),)

    strides: tuple[int, ...] = attr((1, 1), doc="distance between two blocks", ge=1)
    dilations: tuple[int, ...] = attr((1, 1), doc="distance between two elements of a block", ge=1)
    pads_begin: tuple[int, ...] = attr((0, 0), doc="elements before the image that blocks cover", ge=0)
    pads_end: tuple[int, ...] = attr((0, 0), doc="elements after the image that blocks cover", ge=0)

    def verify(self) -> None:
        for name in ("strides", "dilations", "pads_begin", "pads_end"):
            count = len(getattr(self, name))
            if count != 2:
                raise OpError(f"{name} has {count} elements, expected 2 (rows and columns)", attribute=name)

    def infer(self, data: Fact, output_size: Fact, kernel_size: Fact) -> Shape:
        size, kernel = _pair(output_size, "output_size", 1), _pair(kernel_size, "kernel_size", 2)
        if data.shape.dims is None:
            return Shape.unknown()
        *batch, rows, blocks = data.shape.dims
        taps = kernel[0] * kernel[1]
        if rows.is_static and taps.is_static and (taps.lo < 1 or rows.lo % taps.lo):
            raise OpError(f"data has {rows} rows, expected a multiple of the {taps} elements of a block", input=0)
        channels = rows // taps if taps.lo > 0 else Dim()
        if all(dim.is_static for dim in (*size, *kernel)):
            expected = int(np.prod(self._counts([int(dim) for dim in size], [int(dim) for dim in kernel])))
            if not blocks.admits(expected):
                raise OpError(f"data has {blocks} blocks, expected {expected} for an image of {Shape(size)}", input=0)
        return Shape([*batch, channels, *size])

    def run(self, data: Array, output_size: Array, kernel_size: Array) -> Array:
        size, kernel = output_size.tolist(), kernel_size.tolist()
        counts = self._counts(size, kernel)
        columns = data.reshape(*data.shape[:-2], -1, *kernel, *counts)
        grown = [s + b + e for s, b, e in zip(size, self.pads_begin, self.pads_end, strict=True)]
        canvas = np.zeros((*columns.shape[:-4], *grown), data.dtype)
        for row, column in np.ndindex(*kernel):
            starts = (row * self.dilations[0], column * self.dilations[1])
            part = view(canvas, starts, self.strides, counts)
            part += columns[..., row, column, :, :]
        return pad(canvas, [-begin for begin in self.pads_begin], [-end for end in self.pads_end])

    def _counts(self, size: list[int], kernel: list[int]) -> list[int]:
        """The number of blocks along each axis."""
        rooms = (
            size[axis] + self.pads_begin[axis] + self.pads_end[axis] - self.dilations[axis] * (kernel[axis] - 1) - 1
            for axis in range(2)
        )
        return [max(room // stride + 1, 0) for room, stride in zip(rooms, self.strides, strict=True)]


def _pair(fact: Fact, name: str, index: int) -> tuple[Dim, ...]:
    """The two elements of a shape input as far as they are known."""
    dims = fact.dims() or (Dim(), Dim())
    if len(dims) != 2:
        raise OpError(f"{name} has {len(dims)} elements, expected 2 (rows and columns)", input=index)
    if any(dim.hi < 0 for dim in dims):
        raise OpError(f"{name} is [{','.join(map(str, dims))}], expected no negative sizes", input=index)
    return tuple(dim.as_dimension() for dim in dims)

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irrun.diagnostics import amount
from irrun.kernels.blocks import col2im, sliding_blocks
from irrun.ops import REFUSED, Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.refuting import Refutation
from irrun.ops.shapes import exact_quotient
from irrun.tensor.element_type import ANY, I32, I64, STRING

T = TypeVar("T", ANY - {STRING})
IDX = TypeVar("T_IDX", frozenset({I32, I64}))


@op("Col2Im", opset=15, page="col2im-15")
class Col2Im(Op):
    """Combine sliding blocks into an image, summing overlaps.

    Without a batch axis the result has none either.
    """

    inputs = (
        In("data", T, "[N, C * kernel height * kernel width, number of blocks], or without N", rank=(2, 3)),
        In("output_size", IDX, "height and width of the image", rank=1),
        In("kernel_size", IDX, "height and width of a block", rank=1),
    )
    outputs = (Out("output", T, "[N, C, height, width], or without N"),)

    strides: tuple[int, ...] = attr((1, 1), doc="the distance of blocks", ge=1, openvino=REFUSED)
    dilations: tuple[int, ...] = attr((1, 1), doc="the distance of elements of a block", ge=1, openvino=REFUSED)
    pads_begin: tuple[int, ...] = attr(
        (0, 0), doc="padding of the image that blocks cover, above and left", ge=0, openvino=REFUSED
    )
    pads_end: tuple[int, ...] = attr(
        (0, 0), doc="padding of the image that blocks cover, below and right", ge=0, openvino=REFUSED
    )

    def verify(self) -> None:
        for name in ("strides", "dilations", "pads_begin", "pads_end"):
            if len(getattr(self, name)) != 2:
                raise OpError(f"{name} has {amount(len(getattr(self, name)), 'element')}, expected 2", attribute=name)

    def infer(self, data: Fact, output_size: Fact, kernel_size: Fact) -> Shape:
        sizes, kernel = (_pair(fact, index) for index, fact in ((1, output_size), (2, kernel_size)))
        image = [size.as_dimension() for size in sizes]
        if data.shape.dims is None:
            return Shape.unknown()
        *batch, columns, blocks = data.shape
        self._check_blocks(blocks, sizes, kernel)
        elements = kernel[0] * kernel[1]
        if columns.is_static and elements.is_static and (elements.lo < 1 or columns.lo % elements.lo):
            raise OpError(f"size {columns} of data does not divide into blocks of {elements} elements", input=0)
        return Shape([*batch, exact_quotient(columns, elements), *image])

    def refute(self, declared: Sequence[Shape], data: Fact, *sizes: Fact) -> Iterator[Refutation]:
        if data.shape.dims is None or declared[0].dims is None or len(declared[0]) != len(data.shape) + 1:
            return
        channels, columns = declared[0][-3], data.shape[-2]
        if channels.is_static and columns.is_static and (columns.lo % channels.lo if channels.lo else columns.lo):
            what = f"there are {channels} channels, expected a divisor of {columns}, size {len(data.shape) - 2} of data"
            yield Refutation(what, len(declared[0]) - 3)

    def run(self, data: Array, output_size: Array, kernel_size: Array) -> Array:
        size, kernel = ([int(item) for item in array.tolist()] for array in (output_size, kernel_size))
        batched = data if data.ndim == 3 else data[None]
        image = col2im(batched, size, kernel, self.strides, self.dilations, self.pads_begin, self.pads_end)
        return image if data.ndim == 3 else image[0]

    def _check_blocks(self, blocks: Dim, sizes: tuple[Dim, ...], kernel: tuple[Dim, ...]) -> None:
        if not all(dim.is_static for dim in (*sizes, *kernel)):
            return
        down, across = (
            sliding_blocks(
                sizes[axis].lo,
                kernel[axis].lo,
                self.strides[axis],
                self.dilations[axis],
                self.pads_begin[axis] + self.pads_end[axis],
            )
            for axis in (0, 1)
        )
        if down < 1 or across < 1:
            raise OpError(f"a kernel of {kernel[0]}x{kernel[1]} does not fit into {sizes[0]}x{sizes[1]}", input=2)
        if not blocks.admits(down * across):
            raise OpError(
                f"data has {blocks} blocks, expected {down * across}, {down} down and {across} across", input=0
            )


def _pair(fact: Fact, index: int) -> tuple[Dim, ...]:
    items = fact.dims()
    if items is None:
        return (Dim.anything(),) * 2
    if len(items) != 2:
        raise OpError(
            f"{('output_size', 'kernel_size')[index - 1]} has {amount(len(items), 'element')}, expected 2", input=index
        )
    return items

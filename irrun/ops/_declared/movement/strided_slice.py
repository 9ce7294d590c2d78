from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from irrun.diagnostics import amount
from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.movement.slicing import TO_END, bounds_of, integers, python_slice, sliced
from irrun.ops.declaration import CUT
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)

Part = tuple[Literal["keep", "new", "shrink", "slice"], int, int]


@op("StridedSlice", opset=1)
class StridedSlice(Op):
    """Select every stride-th element from begin to end of each axis, insert axes of size 1 and drop axes.

    A begin before the first element is the first element, also for a negative stride.

    Note: the page says that one element is selected where begin equals end, and that a backward slice with a masked end
    stops before the first element, in contradiction to its equivalent NumPy expressions. As in those and in OpenVINO,
    the former is empty, and the latter includes the first element.
    """

    departures = {"masks": "refuses masks of different lengths"}
    workarounds = {"masks": "write masks of one length"}

    workspace = 8
    inputs = (
        In("data", T, "the tensor to slice"),
        In("begin", INTEGER, "the first index of each axis; negative ones count from the end", rank=1),
        In("end", INTEGER, "the index past the last of each axis", rank=1),
        In("stride", INTEGER, "the distance of indices, not 0; 1 where absent", optional=True, rank=1, also=CUT),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS

    begin_mask: tuple[int, ...] = attr(doc="1 where begin is ignored", ge=0, le=1, openvino=())
    end_mask: tuple[int, ...] = attr(doc="1 where end is ignored", ge=0, le=1, openvino=())
    new_axis_mask: tuple[int, ...] = attr((0,), doc="1 where an axis of size 1 is inserted", ge=0, le=1)
    shrink_axis_mask: tuple[int, ...] = attr(
        (0,), doc="1 where only begin is selected and the axis dropped", ge=0, le=1
    )
    ellipsis_mask: tuple[int, ...] = attr((0,), doc="1 where all remaining axes are kept", ge=0, le=1)

    def verify(self) -> None:
        if sum(self.ellipsis_mask) > 1:
            raise OpError(
                f"ellipsis_mask marks {sum(self.ellipsis_mask)} positions, expected at most one",
                attribute="ellipsis_mask",
            )

    def infer(self, data: Fact, begin: Fact, end: Fact, stride: Fact | None) -> Shape:
        count = _length(begin, end, stride)
        paces = _strides(stride, count)
        if paces is not None and any(pace == 0 for pace in paces):
            raise OpError("stride is 0, expected a positive or negative number", input=3)
        if data.shape.dims is None or count is None:
            return Shape.unknown()
        firsts, lasts = bounds_of(begin), bounds_of(end)
        dims: list[Dim | int] = []
        for what, position, axis in self.parts(len(data.shape), count):
            if what == "keep":
                dims.append(data.shape[axis])
            elif what == "new":
                dims.append(1)
            elif what == "shrink":
                _check_index(data.shape[axis], axis, firsts[position] if firsts is not None else None)
            elif firsts is None or lasts is None or paces is None:
                dims.append(Dim(0, data.shape[axis].hi))
            else:
                dims.append(self._sliced(data.shape[axis], position, firsts, lasts, paces))
        return Shape(dims)

    def run(self, data: Array, begin: Array, end: Array, stride: Array | None) -> Array:
        firsts, lasts = integers(begin), integers(end)
        paces = [1] * len(firsts) if stride is None else integers(stride)
        index: list[Any] = []
        for what, position, axis in self.parts(data.ndim, len(firsts)):
            if what == "keep":
                index.append(slice(None))
            elif what == "new":
                index.append(np.newaxis)
            elif what == "shrink":
                _check_index(Dim.exactly(data.shape[axis]), axis, Dim.exactly(firsts[position]))
                index.append(firsts[position])
            else:
                pace = paces[position]
                if pace == 0:
                    raise OpError("stride is 0, expected a positive or negative number", input=3)
                index.append(python_slice(data.shape[axis], *self.bounds(position, firsts, lasts, pace), pace))
        return data[(*index, ...)]

    def bounds(self, position: int, begin: Sequence[Any], end: Sequence[Any], pace: int) -> tuple[Any, Any]:
        """Return the first place of a slice, and the one where it ends."""
        first = _masked(self.begin_mask, position, begin[position], 0 if pace > 0 else TO_END)
        return first, _masked(self.end_mask, position, end[position], TO_END if pace > 0 else -TO_END)

    def sliced_axes(self, rank: int, count: int) -> Iterator[tuple[int, int, int]]:
        """Yield the axis, its index in the result, and the position of its bounds, for each sliced axis."""
        kept = 0
        for what, position, axis in self.parts(rank, count):
            if what == "slice":
                yield axis, kept, position
            kept += what != "shrink"

    def parts(self, rank: int, count: int) -> Iterator[Part]:
        """Yield ``(what, position in begin, axis of data)`` for each part of the result."""
        new = sum(_marks(self.new_axis_mask, i) and not _marks(self.ellipsis_mask, i) for i in range(count))
        ellipsis = any(self.ellipsis_mask[:count])
        left_over = rank - (count - new - ellipsis)
        if left_over < 0:
            raise OpError(
                f"begin has {amount(count, 'element')}, of which {count - new - ellipsis} slice a tensor of rank {rank}"
            )
        axis = 0
        for position in range(count):
            if _marks(self.ellipsis_mask, position):
                for kept in range(axis, axis + left_over):
                    yield "keep", position, kept
                axis += left_over
            elif _marks(self.new_axis_mask, position):
                yield "new", position, axis
            else:
                yield "shrink" if _marks(self.shrink_axis_mask, position) else "slice", position, axis
                axis += 1
        for kept in range(axis, rank):
            yield "keep", count, kept

    def _sliced(
        self, size: Dim, position: int, firsts: tuple[Dim, ...], lasts: tuple[Dim, ...], paces: tuple[Dim, ...]
    ) -> Dim:
        pace = paces[position]
        if not pace.is_static:
            return Dim(0, size.hi)
        first = _masked(self.begin_mask, position, firsts[position], Dim.exactly(0 if pace.lo > 0 else TO_END))
        last = _masked(self.end_mask, position, lasts[position], Dim.exactly(TO_END if pace.lo > 0 else -TO_END))
        return sliced(size, first, last, pace)


def _marks(mask: tuple[int, ...], position: int) -> bool:
    return position < len(mask) and mask[position] == 1


def _masked(mask: tuple[int, ...], position: int, given: Any, instead: Any) -> Any:
    return instead if _marks(mask, position) else given


def _length(begin: Fact, end: Fact, stride: Fact | None) -> int | None:
    count = None
    for index, fact in enumerate((begin, end, stride), start=1):
        if fact is None or fact.shape.dims is None or not fact.shape[0].is_static:
            continue
        if count is not None and fact.shape[0] != count:
            name = ("begin", "end", "stride")[index - 1]
            raise OpError(f"{name} has {amount(fact.shape[0], 'element')}, expected {count} as the others", input=index)
        count = fact.shape[0].lo
    return count


def _strides(stride: Fact | None, count: int | None) -> tuple[Dim, ...] | None:
    if stride is not None:
        return stride.dims()
    return None if count is None else (Dim.exactly(1),) * count


def _check_index(size: Dim, axis: int, index: Dim | None) -> None:
    if index is not None and (index.lo >= size.hi or index.hi < -size.hi):
        raise OpError(f"begin {index} is outside axis {axis} of size {size}", input=1)

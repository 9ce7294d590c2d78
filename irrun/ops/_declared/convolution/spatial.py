"""Windows on the spatial axes of a tensor: padding, rounding, and their number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from irrun.diagnostics import amount
from irrun.kernels.windows import Geometry
from irrun.ops import Dim, OpError
from irrun.ops.shapes import within
from irrun.tensor import UNBOUNDED

AutoPad = Literal["explicit", "same_upper", "same_lower", "valid"]
Rounding = Literal["floor", "ceil", "ceil_torch"]

_SAME = ("same_upper", "same_lower")

_MOST_PADDING: Final = 64
_SMALL: Final = 1 << 14
"""Padding enlarges a plane of this or more elements, of input or output, by at most ``_MOST_PADDING``."""


class Placement(NamedTuple):
    """Padding and number of windows on each spatial axis of one tensor."""

    begins: tuple[int, ...]
    ends: tuple[int, ...]
    counts: tuple[int, ...]


class Windows(NamedTuple):
    """The geometry of windows, independent of the tensor's sizes; one element for each spatial axis."""

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    auto_pad: AutoPad = "explicit"
    rounding: Rounding = "floor"

    def counts(self, sizes: Sequence[Dim], kernel: Sequence[Dim]) -> list[Dim]:
        """Return the number of windows on each axis; OpError where none fits."""
        counts = [self._count(axis, size, taps) for axis, (size, taps) in enumerate(zip(sizes, kernel, strict=True))]
        if all(dim.is_static for dim in (*sizes, *kernel)):
            self.place([size.lo for size in sizes], [taps.lo for taps in kernel])
        return counts

    def place(self, sizes: Sequence[int], kernel: Sequence[int]) -> Placement:
        """Return the padding selected by ``auto_pad`` and the number of windows, for known sizes."""
        begins, ends, counts = [], [], []
        for axis, (size, taps) in enumerate(zip(sizes, kernel, strict=True)):
            check_taps(axis, taps)
            span = (taps - 1) * self.dilations[axis] + 1
            begin, end = self._padding(axis, size, span)
            room = size + begin + end - span
            is_empty = size == 0 and self.auto_pad in _SAME
            if room < 0 and not is_empty:
                raise _too_small(axis, Dim.of(span), Dim.of(size), begin + end)
            begins.append(begin)
            ends.append(end)
            counts.append(0 if is_empty else self._rounded(axis, size, room, begin))
        _check_padding(sizes, [b + size + e for b, size, e in zip(begins, sizes, ends, strict=True)], counts)
        return Placement(tuple(begins), tuple(ends), tuple(counts))

    def geometry(self, sizes: Sequence[int], kernel: Sequence[int]) -> Geometry:
        """Return the windows of this kernel over a tensor of known sizes."""
        return _geometry(self, tuple(sizes), tuple(kernel))

    def _padding(self, axis: int, size: int, span: int) -> tuple[int, int]:
        if self.auto_pad == "valid":
            return 0, 0
        if self.auto_pad not in _SAME:
            return self.begins[axis], self.ends[axis]
        stride = self.strides[axis]
        total = max((-(-size // stride) - 1) * stride + span - size, 0)
        less = total // 2
        return (less, total - less) if self.auto_pad == "same_upper" else (total - less, less)

    def _rounded(self, axis: int, size: int, room: int, begin: int) -> int:
        stride = self.strides[axis]
        if self.rounding == "floor":
            return room // stride + 1
        count = -(-room // stride) + 1
        starts_in_padding = (count - 1) * stride >= size + begin
        return count - 1 if self.rounding == "ceil_torch" and starts_in_padding else count

    def _count(self, axis: int, size: Dim, taps: Dim) -> Dim:
        check_taps(axis, taps.hi)
        span = (within(taps, Dim(1, UNBOUNDED)) - 1) * self.dilations[axis] + 1
        stride = self.strides[axis]
        if self.auto_pad in _SAME:
            return self._count_same(axis, size, span)
        begin, end = (0, 0) if self.auto_pad == "valid" else (self.begins[axis], self.ends[axis])
        room = (size + begin + end - span).merge(Dim(0, UNBOUNDED))
        if room is None:
            raise _too_small(axis, span, size, begin + end)
        if self.rounding == "floor":
            return room // stride + 1
        if self.rounding == "ceil":
            return room.ceil_div(stride) + 1
        least = max(size.lo, room.lo - begin - end + span.lo)
        low = self._rounded(axis, least, room.lo, begin)
        high = UNBOUNDED if size.hi == UNBOUNDED else self._rounded(axis, size.hi, room.hi, begin)
        return Dim(low, high)

    def _count_same(self, axis: int, size: Dim, span: Dim) -> Dim:
        stride = self.strides[axis]
        count = size.ceil_div(stride)
        if self.rounding != "ceil" or span.lo >= stride or size.hi == 0:
            return count
        if not (size.is_static and span.is_static):
            return Dim(count.lo, count.hi if count.hi == UNBOUNDED else count.hi + 1)
        begin, end = self._padding(axis, size.lo, span.lo)
        return Dim.exactly(self._rounded(axis, size.lo, size.lo + begin + end - span.lo, begin))


@lru_cache(1024)
def _geometry(windows: Windows, sizes: tuple[int, ...], kernel: tuple[int, ...]) -> Geometry:
    placed = windows.place(sizes, kernel)
    return Geometry(kernel, windows.strides, windows.dilations, placed.begins, sizes, placed.counts)


def check_taps(axis: int, taps: int) -> None:
    """Raise OpError where the kernel is empty."""
    if taps < 1:
        raise OpError(f"the kernel has {amount(taps, 'element')} on spatial axis {axis}, expected at least 1", input=1)


def _check_padding(sizes: Sequence[int], padded: Sequence[int], counts: Sequence[int]) -> None:
    """Raise OpError where the padded input is far larger than the input and the output, which a budget counts."""
    if all(math.prod(padded) > _MOST_PADDING * size for size in (math.prod(sizes), math.prod(counts), _SMALL)):
        raise OpError(
            f"padding enlarges the spatial sizes {list(sizes)} to {list(padded)} for {list(counts)} windows, "
            f"expected at most {_MOST_PADDING} times as many elements"
        )


def _too_small(axis: int, span: Dim, size: Dim, padding: int) -> OpError:
    padded = f" and {padding} of padding" if padding else ""
    return OpError(
        f"a window of {span} does not fit on spatial axis {axis} with {amount(size, 'element')}{padded}", input=0
    )


def per_axis(values: tuple[int, ...], axes: int, default: int, name: str) -> tuple[int, ...]:
    """Return one value for each spatial axis; an empty list stands for the default everywhere."""
    if not values:
        return (default,) * axes
    if len(values) != axes:
        raise OpError(
            f"{name} has {amount(len(values), 'element')}, expected {axes}, one for each spatial axis", attribute=name
        )
    return values

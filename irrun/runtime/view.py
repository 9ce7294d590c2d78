"""Values and calls of a program: views of its buffers, whose sizes and strides may be symbolic, and their users."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from irrun.runtime.plan import Step
from irrun.runtime.symbolic import Number, SymInt, as_many, is_found, is_same, largest, least
from irrun.tensor import Array
from irrun_kernels.native import Address, KernelFunction


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """An array in a buffer: from ``offset`` on, with ``strides`` in bytes, as those of NumPy."""

    buffer: int
    offset: Number
    shape: tuple[Number, ...]
    strides: tuple[Number, ...]
    dtype: np.dtype[Any]

    @staticmethod
    def contiguous(buffer: int, shape: Iterable[Number], dtype: np.dtype[Any]) -> View:
        """An array without gaps."""
        sizes = tuple(shape)
        return View(buffer, 0, sizes, row_major(sizes, dtype.itemsize), dtype)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Number:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def T(self) -> View:  # noqa: N802 - as NumPy has it
        return self.transpose()

    @property
    def is_contiguous(self) -> bool:
        """Return whether the elements are in the order of memory without gaps."""
        wanted: Number = self.itemsize
        for size, stride in zip(self.shape[::-1], self.strides[::-1], strict=True):
            if stride != wanted and size != 1:
                return False
            wanted = wanted * size
        return True

    def _with(self, shape: Sequence[Number], strides: Sequence[Number], offset: Number = 0) -> View:
        return View(self.buffer, self.offset + offset, tuple(shape), tuple(strides), self.dtype)

    def transpose(self, *order: Any) -> View:
        """The axes in another order, by default reversed."""
        axes = order[0] if len(order) == 1 and not isinstance(order[0], int) else order
        axes = [int(axis) % self.ndim for axis in axes] if axes else range(self.ndim)[::-1]
        return self._with([self.shape[axis] for axis in axes], [self.strides[axis] for axis in axes])

    def swapaxes(self, a: int, b: int) -> View:
        order = list(range(self.ndim))
        order[a], order[b] = order[b], order[a]
        return self.transpose(order)

    def moveaxis(self, source: int, target: int) -> View:
        order = [axis for axis in range(self.ndim) if axis != source % self.ndim]
        order.insert(target % self.ndim, source % self.ndim)
        return self.transpose(order)

    def broadcast_to(self, shape: Sequence[Number]) -> View:
        """Repeat axes of size 1; ValueError where the sizes do not fit."""
        front = len(shape) - self.ndim
        if front < 0:
            raise ValueError(f"an array of {self.ndim} axes does not broadcast to {len(shape)}")
        strides: list[Number] = [0] * front
        for size, stride, wanted in zip(self.shape, self.strides, shape[front:], strict=True):
            # A size of 1 needs no comparison with one that is known only in a run.
            if isinstance(size, int) and size == 1:
                strides.append(stride if isinstance(wanted, int) and wanted == 1 else 0)
            elif size == wanted:
                strides.append(stride)
            elif size == 1:
                strides.append(0)
            else:
                raise ValueError(f"an axis of size {size} does not broadcast to {wanted}")
        return self._with(shape, strides)

    def reshape(self, *shape: Any) -> View:
        """A view of another shape, in which -1 stands for what is left; ValueError where a copy would be needed."""
        found = self.viewed(shape[0] if len(shape) == 1 and not isinstance(shape[0], int | SymInt) else shape)
        if found is None:
            raise ValueError(f"there is no view of shape {shape} without a copy")
        return found

    def viewed(self, shape: Sequence[Number]) -> View | None:
        """A view of another shape; None where a copy would be needed."""
        sizes = list(shape)
        unknown = [place for place, size in enumerate(sizes) if isinstance(size, int) and size == -1]
        if unknown:
            sizes[unknown[0]] = self.size // math.prod(size for place, size in enumerate(sizes) if place != unknown[0])
        strides = _strides_of(self, sizes)
        return None if strides is None else self._with(sizes, strides)

    def __getitem__(self, key: Any) -> View:
        keys = list(key) if isinstance(key, tuple) else [key]
        places = sum(one is not None and one is not Ellipsis for one in keys)
        rest = [slice(None)] * (self.ndim - places)
        if Ellipsis in keys:
            place = keys.index(Ellipsis)
            keys[place : place + 1] = rest
        else:
            keys += rest
        shape: list[Number] = []
        strides: list[Number] = []
        offset: Number = 0
        axis = 0
        for one in keys:
            if one is None:
                shape.append(1)
                strides.append(0)
                continue
            size, stride = self.shape[axis], self.strides[axis]
            axis += 1
            if isinstance(one, slice):
                start, count, step = _range_of(one, size)
                shape.append(count)
                strides.append(stride * step)
                offset += start * stride
            else:
                place = one + size if one < 0 else one
                if isinstance(size, SymInt) and not is_found(size):
                    _ = 0 <= place < size  # A guard: the program is for sizes for which the element is there.
                offset += place * stride
        return self._with(shape, strides, offset)


Operand = View | Array
"""An input of a lowering: an array of the program, or a constant."""


def row_major(shape: Sequence[Number], itemsize: int) -> tuple[Number, ...]:
    """The strides of an array without gaps."""
    strides: list[Number] = []
    step: Number = itemsize
    for size in reversed(shape):
        strides.append(step)
        step = step * size
    return tuple(reversed(strides))


def _range_of(one: slice, size: Number) -> tuple[Number, Number, int]:
    """The start, count and step of a slice along an axis."""
    if one == slice(None):
        return 0, size, 1
    step = 1 if one.step is None else int(one.step)
    if isinstance(size, int) and not any(isinstance(each, SymInt) for each in (one.start, one.stop)):
        found = range(*one.indices(size))
        return (found.start if len(found) else 0), len(found), step
    backward = step < 0
    start = _bounded(one.start, size, size - 1 if backward else 0, backward)
    stop = _bounded(one.stop, size, -1 if backward else size, backward)
    length = start - stop if backward else stop - start
    if is_found(length):
        return start, largest(-(-length // abs(step)), 0), step
    return start, -(-length // abs(step)) if length >= 0 else 0, step


def _bounded(place: Number | None, size: Number, absent: Number, backward: bool) -> Number:
    """A bound of a slice, within the axis."""
    if place is None:
        return absent
    lowest, most = (-1, size - 1) if backward else (0, size)
    if place < 0:
        place = place + size
    if is_same(place, lowest) or is_same(place, most):
        return place
    if is_found(most - place):
        return largest(least(place, most), lowest)
    if place < lowest:
        return lowest
    return most if place > most else place


def _strides_of(x: View, shape: Sequence[Number]) -> list[Number] | None:
    """The strides of a view of another shape: groups of axes that have as many elements are cut again."""
    if x.is_contiguous or x.size == 0:
        return list(row_major(shape, x.itemsize))
    old = [(size, stride) for size, stride in zip(x.shape, x.strides, strict=True) if size != 1]
    strides: list[Number] = []
    place, target = 0, 0
    sizes = list(shape)
    while target < len(sizes):
        if sizes[target] == 1:
            strides.append(x.itemsize)
            target += 1
            continue
        if place == len(old):
            return None
        have, want = old[place][0], sizes[target]
        last = target + 1
        while have != want:
            if as_many(have) < as_many(want):
                place += 1
                if place == len(old) or old[place - 1][1] != old[place][1] * old[place][0]:
                    return None
                have = have * old[place][0]
            else:
                if last == len(sizes):
                    return None
                want = want * sizes[last]
                last += 1
        place += 1
        inner = old[place - 1][1]
        strides += [inner * step for step in row_major(sizes[target:last], 1)]
        target = last
    return strides if place == len(old) else None


_I64: Final[np.dtype[Any]] = np.dtype(np.int64)


def place_of(address: Address) -> Hashable:
    """The buffer and the offset of an address, to compare them without a guard."""
    offset = address.offset
    return address.buffer, offset.terms if isinstance(offset, SymInt) else offset


class Numbers(NamedTuple):
    """A small tensor of integers that are known when a run begins, such as a shape; ``values`` are of type object."""

    values: Array
    dtype: np.dtype[Any]

    def filled(self, value: Callable[[SymInt], Any]) -> Array:
        """The array, given the value of each number that is not constant."""
        flat = [value(each) if isinstance(each, SymInt) else each for each in self.values.flat]
        return np.array(flat, self.dtype).reshape(self.values.shape)


Value = Operand | Numbers | None
"""A tensor of a plan while it is lowered; None for an input that is absent."""


class Access(NamedTuple):
    """An array that a call reads, writes or updates, as the ``field`` of its arguments declares by its ``mode``.

    ``view`` is the array whose address the lowering took; None for constants that it made, and for the failure flag.
    """

    field: str
    is_in_table: bool
    mode: str
    address: Address
    view: View | None

    @property
    def is_read(self) -> bool:
        return self.mode != "write"

    @property
    def is_written(self) -> bool:
        return self.mode != "read"


class Call(NamedTuple):
    """A call of a kernel. ``tables`` are lists of numbers, addresses among them, by the field that points to each.

    ``views`` are the arrays whose addresses were taken, by `place_of` these.
    """

    kernel: KernelFunction
    arguments: Sequence[Any]
    tasks: Number
    workspace: Number
    tables: Mapping[str, Sequence[Any]]
    views: Mapping[Hashable, View] = MappingProxyType({})

    @property
    def accesses(self) -> list[Access]:
        """All arrays that the call accesses, in the order of its arguments."""
        found = []
        names = self.kernel.record.names or ()
        for name, access, argument in zip(names, self.kernel.accesses, self.arguments, strict=True):
            for each in self.tables.get(name, [argument]):
                if isinstance(each, Address) and each.buffer >= 0:
                    view = self.views.get(place_of(each))
                    found.append(Access(name, name in self.tables, access, each, view))
        return found


class Interpreted(NamedTuple):
    """A step that NumPy computes, with the reason; ``is_part`` of one whose calls do the rest."""

    step: Step
    inputs: tuple[Value, ...]
    outputs: tuple[View, ...]
    reason: str
    is_part: bool = False


class Given(NamedTuple):
    """An array of the run: the stage that it is known in, and the unknown sizes that it tells.

    These are atoms of its shape and of its strides, each with an axis. Without the latter, an array with gaps is
    copied.
    """

    stage: int
    shape: list[tuple[int, int]]
    strides: list[tuple[int, int]]


@dataclass(slots=True)
class Buffer:
    """Memory of one array.

    That of the ``arena`` is needed from one item of a program to another, numbers ``first`` to ``last``. A ``constant``
    has an ``array``. One that is ``given`` has that of a run. ``numbers`` are written when the run begins, or what
    ``make`` returns for them.
    """

    kind: Literal["arena", "constant", "given", "numbers"]
    size: Number = 0
    array: Array | None = None
    numbers: Sequence[Number] = ()
    make: Callable[..., Array] | None = None
    dtype: np.dtype[Any] = _I64
    given: Given | None = None
    first: int = -1
    last: int = -1

"""Collect calls of kernels over arrays that do not exist yet.

While a plan is lowered, every array has memory of its own that nobody touches, so that views are NumPy's and costs are
none. What a call reads and writes follows from the addresses among its arguments; from that follows how long each
array is needed, and so where it is placed in the arena.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from irrun.kernels.layout import axes_in_memory, merged_axes
from irrun.kernels.pages import forget
from irrun.ops import Op
from irrun.runtime.lowering.space import Space
from irrun.runtime.plan import Step
from irrun.tensor import Array, Fact
from irrun_kernels.cache import LATE
from irrun_kernels.native import Address, Kernel

F32: Final = np.dtype(np.float32)
HALVES: Final[np.dtype[Any]] = np.dtype(np.uint16)
U8: Final[np.dtype[Any]] = np.dtype(np.uint8)
"""The types of f32, of the bits of bf16, and of levels."""

WIDEST_VECTOR: Final = 64
"""Bytes; also the most bytes that kernels read beyond the end of an array."""


MISFIT: Final = "misfit"
"""The table of a call that sets its number where NumPy has to compute the run."""

Packs = WeakValueDictionary[Hashable, Array]
"""Packed weights, which the programs of a model share and keep alive. The source of each lives as long."""


class Late(NamedTuple):
    """An array whose shape and address are known only while the program runs; ``row`` is where kernels find them."""

    number: int
    fact: Fact
    row: Array


Value = Array | Late


class Call(NamedTuple):
    """A call of a kernel. ``tables`` are lists of numbers, addresses among them, that arguments point to.

    ``fits`` says whether late arrays, given by their numbers, have the shapes that the kernel expects.
    """

    kernel: Kernel
    arguments: Any
    tasks: int
    workspace: int
    tables: Mapping[str, Sequence[int]]
    fits: Callable[[Sequence[Any]], bool] | None = None


class Interpreted(NamedTuple):
    """A step that NumPy computes. None stands for an absent input.

    ``is_fresh`` says that outputs are never views of inputs, and that no input is kept.
    """

    step: Step
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]
    is_fresh: bool = False


@dataclass(slots=True)
class Buffer:
    """Memory of one array: needed from one call to another, numbers ``first`` to ``last``."""

    start: int
    size: int
    array: Array
    first: int = -1
    last: int = -1


@dataclass(slots=True)
class Builder:
    """Collects calls; ``items`` are in the order in which they run, those of the ``prelude`` before all others.

    ``pending`` are the ids of values that a call or what follows it computes, ``announced`` those of them whose shapes
    and addresses are known at the end of the prelude.
    """

    packs: Packs = field(default_factory=WeakValueDictionary)
    items: list[Call | Interpreted] = field(default_factory=list)
    prelude: list[Call | Interpreted] = field(default_factory=list)
    pending: set[int] = field(default_factory=set)
    announced: set[int] = field(default_factory=set)
    lates: list[Late] = field(default_factory=list)
    summands: dict[int, Value] = field(default_factory=dict)
    buffers: list[Buffer] = field(default_factory=list)
    constants: list[Array] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _space: Space = field(default_factory=Space)

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any] = F32) -> Array:
        """A contiguous array, which stands for one in the arena of an instance."""
        array = self._space.array(shape, dtype)
        start = array.ctypes.data
        place = bisect.bisect(self._starts, start)
        self._starts.insert(place, start)
        self.buffers.insert(place, Buffer(start, max(array.nbytes, 1), array))
        return array

    def value(self, fact: Fact) -> Value:
        """An array, or a late one where the fact leaves its shape open."""
        if fact.shape.is_static and fact.type.is_known and fact.type.kind != "string":
            return self.empty(fact.shape.static, fact.type.dtype)
        self.lates.append(Late(len(self.lates), fact, self.empty((LATE,), np.dtype(np.int64))))
        return self.lates[-1]

    def images(self, shape: Sequence[int], dtype: np.dtype[Any] = F32) -> Array:
        """An array [N, C, *S] whose channels are neighbours in memory."""
        batch, channels, *sizes = shape
        return np.moveaxis(self.empty((batch, *sizes, channels), dtype), -1, 1)

    def constant(self, array: Array | None, dtype: np.dtype[Any] = F32) -> Address:
        """The address of a contiguous copy of a constant, or of itself; 0 for none."""
        if array is None:
            return Address(0)
        kept = np.ascontiguousarray(array, dtype)
        self.constants.append(kept)
        return Address(kept.ctypes.data)

    def packed(self, tag: Hashable, source: Array, vectors: int, make: Callable[[], Array]) -> Address:
        """The address of packed weights, which are made of a source once for all plans of a model."""
        key = (tag, source.ctypes.data, source.shape, source.strides, vectors)
        found = self.packs.get(key)
        if found is None:
            found = self.packs[key] = make()
            forget(source)
        self.constants.append(found)
        return Address(int(found.ctypes.data))

    def call(
        self,
        kernel: Kernel,
        arguments: Any,
        tasks: int,
        workspace: int = 0,
        tables: Mapping[str, Sequence[int]] | None = None,
        fits: Callable[[Sequence[Any]], bool] | None = None,
    ) -> None:
        """Add a call; ``workspace`` are the bytes that each worker needs for it."""
        self.items.append(Call(kernel, kernel.flat(arguments), tasks, workspace, tables or {}, fits))

    def buffer(self, address: int) -> Buffer | None:
        """Return the buffer that contains an address."""
        place = bisect.bisect(self._starts, address) - 1
        if place < 0:
            return None
        found = self.buffers[place]
        return found if address < found.start + found.size else None

    def is_constant(self, array: Array) -> bool:
        """Return whether an array is a constant of the plan."""
        return array.size > 0 and self.buffer(_lowest(array)) is None

    def address(self, array: Array | None) -> Address:
        """The address of an array, which is kept if it is a constant; 0 for none."""
        if array is None:
            return Address(0)
        if self.is_constant(array):
            self.constants.append(array)
        return Address(int(array.ctypes.data))


def _lowest(array: Array) -> int:
    return int(np.lib.array_utils.byte_bounds(array)[0])


Lowering = Callable[..., Any]
"""``lowering(op, builder, *inputs)`` returns the output, or a tuple of outputs; None to leave the step to NumPy."""

LOWERINGS: Final[dict[type[Op], Lowering]] = {}


def lowers(*operations: type[Op]) -> Callable[[Lowering], Lowering]:
    """Declare how operations are lowered."""

    def declare(function: Lowering) -> Lowering:
        for operation in operations:
            LOWERINGS[operation] = function
        return function

    return declare


def is_f32(*arrays: Array | None) -> bool:
    """Return whether all arrays, except absent ones, hold f32 and are not empty."""
    return all(array is None or (array.dtype == F32 and array.size > 0) for array in arrays)


def empty_as(builder: Builder, x: Array, dtype: np.dtype[Any]) -> Array:
    """Return an array of another type with the same memory order of axes, without gaps."""
    order = axes_in_memory(x)
    return builder.empty([x.shape[axis] for axis in order], dtype).transpose(np.argsort(order))


def share(count: int, nanoseconds: float) -> tuple[int, int]:
    """Cut ``count`` things, which take so long together, into tasks: how many in each, and how many tasks."""
    tasks = max(1, min(_MOST_TASKS, count, int(nanoseconds / _LEAST_NANOSECONDS)))
    each = -(-count // tasks)
    return each, -(-count // each)


_MOST_TASKS: Final = 16
_LEAST_NANOSECONDS: Final = 4000


def merged(arrays: Sequence[Array], most: int) -> list[tuple[int, tuple[int, ...]]] | None:
    """Return the merged axes of arrays, one at least; None where more than ``most`` are left."""
    axes = merged_axes(arrays) or [(1, tuple(array.itemsize for array in arrays))]
    return None if len(axes) > most else axes


def in_order_of(array: Array, arrays: Sequence[Array]) -> list[Array]:
    """Transpose all arrays to the memory order of the axes of the first."""
    order = axes_in_memory(array)
    return [other.transpose(order) for other in arrays]

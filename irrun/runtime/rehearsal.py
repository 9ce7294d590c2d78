"""The memory of a crew: one run settles which buffer each array lies in, all later runs use the same."""

from __future__ import annotations

import contextlib
import mmap
import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from irrun.runtime.memory import Memory, is_free
from irrun.tensor import Array

_TURNS: Final = 3
"""Buffers for each result, so that the caller may keep one while the next is made."""
_NOTHING: Final = np.empty(0, np.uint8)


class OtherMemory(Exception):
    """A run takes other memory than the rehearsal did."""


class Arena:
    """Memory that processes share which are made later."""

    def __init__(self, size: int) -> None:
        self._map = mmap.mmap(-1, size)
        self._whole = np.frombuffer(self._map, np.uint8)
        self._used = 0

    def buffer(self, size: int) -> Array:
        """Bytes that nobody else has; MemoryError where there are no more."""
        start, self._used = self._used, self._used + -(-size // 4096) * 4096
        if self._used > self._whole.size:
            raise MemoryError
        return np.frombuffer(self._map, np.uint8, self._used - start, start)

    def like(self, array: Array) -> Array:
        """An array of this shape and type."""
        return self.buffer(array.nbytes)[: array.nbytes].view(array.dtype).reshape(array.shape)

    def holds(self, array: Array) -> bool:
        return np.may_share_memory(self._whole, array)


class Rehearsed(Memory):
    """Notes which buffer it gives each time, and gives the same ones again in all later runs."""

    least = 1

    def __init__(self, arena: Arena) -> None:
        super().__init__()
        self._arena = arena
        self._given: list[tuple[int, int]] = []
        self._sequence: list[Array] = []
        self._arrays: dict[int, Array] = {}
        self._retired: set[int] = set()
        self._results: list[tuple[int, list[Array]]] = []
        self._next = 0
        _ALL.add(self)

    def settle(self, results: Sequence[Array]) -> None:
        """Ends the rehearsal. Each result gets several buffers of its own, which take turns."""
        by_number = {id(buffer): buffer for buffer in self._buffers}
        self._sequence = [by_number[number] for number, _ in self._given]
        for result in results:
            places = [place for place, (number, _) in enumerate(self._given) if number == id(result.base)]
            if places and all(places[-1] != place for place, _ in self._results):
                size = self._sequence[places[-1]].nbytes
                self._results.append((places[-1], [self._arena.buffer(size) for _ in range(_TURNS)]))
        self.end()

    def free_turn(self) -> int | None:
        """The first turn whose buffers nobody sees any more; None where there is none."""
        for turn in range(_TURNS):
            if turn not in self._retired and all(is_free(buffers, turn) for _, buffers in self._results):
                return turn
        return None

    def retire(self) -> None:
        """Never write again to results that somebody has: a copy of the process may see them too."""
        for turn in range(_TURNS):
            if any(not is_free(buffers, turn) for _, buffers in self._results):
                self._retired.add(turn)

    def begin(self, turn: int) -> None:
        """A run begins, whose results are to lie in these buffers."""
        self._next = 0
        for place, buffers in self._results:
            self._sequence[place] = buffers[turn]

    def end(self) -> None:
        """A run has ended."""
        for place, _ in self._results:
            self._sequence[place] = _NOTHING

    @property
    def is_complete(self) -> bool:
        """Whether the run took all that the rehearsal took."""
        return self._next == len(self._sequence)

    @property
    def position(self) -> int:
        """How many arrays the run has taken so far."""
        return self._next

    def skip(self, count: int) -> None:
        """As if so many had been taken: what they were last time is used once more."""
        self._next += count

    def is_for_good(self, array: Any) -> bool:
        """Whether an array lies in shared memory, and nobody keeps it after the run."""
        return isinstance(array, np.ndarray) and self._arena.holds(array) and not self.is_result(array)

    def is_only_in(self, array: Array) -> bool:
        """Whether nothing else lies in the array's buffer, and another one is free for the next run."""
        for _, buffers in self._results:
            for turn in range(_TURNS):
                if buffers[turn] is array.base:
                    return is_free(buffers, turn, 1) and self.free_turn() is not None
        return False

    def is_result(self, array: Array | None) -> bool:
        """Whether the array lies in a buffer of its own."""
        return array is not None and any(array.base is buffer for _, buffers in self._results for buffer in buffers)

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """What was made there before, where it is no part of a result."""
        known = self._arrays.get(self._next)
        if known is not None and known.shape == tuple(shape) and known.dtype == dtype:
            self._next += 1
            return known
        place = self._next
        made = super().empty(shape, dtype)
        if self._sequence and all(place != of for of, _ in self._results):
            self._arrays[place] = made
        return made

    def _take(self, size: int) -> Array:
        if self._sequence:
            place, self._next = self._next, self._next + 1
            if place >= len(self._sequence) or self._given[place][1] != size:
                raise OtherMemory
            return self._sequence[place]
        for number in range(len(self._buffers)):
            if is_free(self._buffers, number) and self._buffers[number].nbytes >= size:
                self._given.append((id(self._buffers[number]), size))
                return self._buffers[number]
        new = self._arena.buffer(size)
        self._given.append((id(new), size))
        self._buffers.append(new)
        self._buffers.sort(key=lambda buffer: buffer.nbytes)
        return new


_LOCAL: Final = threading.local()
_ALL: Final[weakref.WeakSet[Rehearsed]] = weakref.WeakSet()


@contextlib.contextmanager
def own_copies() -> Iterator[None]:
    """Copies that are made meanwhile look at no results."""
    _LOCAL.own = True
    try:
        yield
    finally:
        _LOCAL.own = False


def _retire() -> None:
    if not getattr(_LOCAL, "own", False):
        for memory in list(_ALL):
            memory.retire()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_retire)

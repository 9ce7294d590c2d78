"""Variables that outlive an inference: one set for each request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from irrun.diagnostics import OpError
from irrun.tensor import Array, Fact
from irrun.tensor.dim import UNBOUNDED

_ROOM: Final = 256
"""Elements along its axis that a variable can grow by before it is moved, at least."""


@dataclass(slots=True)
class _Room:
    """A buffer of some ``length`` along ``axis``, and the value that is the first part of it."""

    buffer: Array
    length: int
    axis: int
    value: Array


class State:
    """The variables of a request. An inference reads the values that the previous one wrote."""

    def __init__(self) -> None:
        self.values: dict[str, Array] = {}
        self._written: dict[str, Array] = {}
        self._rooms: dict[str, _Room] = {}

    def copy(self) -> State:
        """Return variables with the same values, whose changes do not affect these."""
        made = State()
        made.values.update(self.values)
        return made

    def read(self, name: str, initial: Array) -> Array:
        """The value of a variable; ``initial`` before it was first written."""
        return self.values.get(name, initial)

    def write(self, name: str, value: Array) -> None:
        """The value that the next inference reads."""
        self._written[name] = value

    def extend(self, name: str, past: Array, shape: tuple[int, ...], axis: int) -> Array:
        """``past``, followed along ``axis`` by room for an array of this shape, which the caller fills.

        ``past`` is not copied if it is what the last inference returned from here and there is room behind it.
        ValueError where the shapes differ along another axis.
        """
        before, size, behind = past.shape[:axis], past.shape[axis], past.shape[axis + 1 :]
        if (*before, shape[axis], *behind) != shape:
            raise ValueError(f"arrays of shapes {past.shape} and {shape} cannot be joined along axis {axis}")
        front = (slice(None),) * axis
        length = size + shape[axis]
        room = self._rooms.get(name)
        if room is None or room.value is not past or room.axis != axis or room.length < length:
            longer = length + max(_ROOM, length // 2)
            buffer = np.empty((*before, longer, *behind), past.dtype)
            buffer[(*front, slice(size))] = past
            room = self._rooms[name] = _Room(buffer, longer, axis, past)
        value = room.value = room.buffer[(*front, slice(length))]
        return value

    def commit(self) -> None:
        """End an inference: what was written becomes what is read."""
        self.values.update(self._written)
        self._written.clear()

    def discard(self) -> None:
        """End an inference that failed: nothing was written."""
        self._written.clear()

    def reset(self, name: str | None = None) -> None:
        """Forget one variable, or all of them."""
        if name is None:
            self.values.clear()
            self._rooms.clear()
        else:
            self.values.pop(name, None)
            self._rooms.pop(name, None)


def fitting(run: Callable[..., Array], fact: Fact) -> Callable[..., Array]:
    """Return a kernel that refuses a variable whose value does not have the inferred shape.

    What was assigned need not have it: a size may be that of an input, or the caller sets the variable.
    """
    rank = fact.rank
    limits = [
        (axis, dim.lo, dim.hi) for axis, dim in enumerate(fact.shape.dims or ()) if dim.lo > 0 or dim.hi < UNBOUNDED
    ]

    def checked(*arrays: Array | None, **asked: Any) -> Array:
        value = run(*arrays, **asked)
        shape = value.shape
        if rank is not None and (len(shape) != rank or any(not lo <= shape[axis] <= hi for axis, lo, hi in limits)):
            raise OpError(f"the variable holds a value of shape [{','.join(map(str, shape))}], expected {fact.shape}")
        return value

    return checked

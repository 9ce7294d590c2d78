"""What a hook may ask for besides its inputs: the sub-graphs of its operation, the variables of its request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from irrun.tensor import Array, Fact


class BodyInput(NamedTuple):
    """A Parameter of the body, by number, and the input that feeds it.

    ``external`` is None for the current iteration. With an ``axis`` each iteration gets a slice of ``part_size``,
    from ``start`` to ``end`` by ``stride``; negative positions count from the end, past the last element.
    """

    internal: int
    external: int | None
    axis: int | None = None
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1


class BodyOutput(NamedTuple):
    """A Result of the body, by number, and the output that it makes.

    ``external`` is None for the condition to go on. With an ``axis`` the values of all iterations are joined along
    it, without one the output is the last value.
    """

    internal: int
    external: int | None
    axis: int | None = None
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1


class BodyPorts(NamedTuple):
    """The port map of one body, in numbers. ``back_edges`` are pairs of a Result and the Parameter it feeds."""

    inputs: tuple[BodyInput, ...]
    outputs: tuple[BodyOutput, ...]
    back_edges: tuple[tuple[int, int], ...]
    parameters: int
    results: int


class BodyCall(NamedTuple):
    """A body as its operation sees it: the port map, and a function from Parameters to Results.

    The function takes and returns facts in ``infer`` and arrays in ``run``, where ``results`` says what is known of
    the Results beforehand.
    """

    ports: BodyPorts
    call: Callable[[Sequence[Any]], tuple[Any, ...]]
    results: tuple[Fact, ...] = ()


class Variables(Protocol):
    """The variables of one request. What is written is read from the next inference on."""

    def read(self, name: str, initial: Array) -> Array: ...

    def write(self, name: str, value: Array) -> None: ...

    def extend(self, name: str, past: Array, shape: tuple[int, ...], axis: int) -> Array:
        """``past``, followed along ``axis`` by room for an array of this shape, which the caller fills."""
        ...

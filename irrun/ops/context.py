"""Optional arguments of hooks: the sub-graphs of the operation and the variables of the request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from irrun.diagnostics import OpError
from irrun.tensor import Array, Fact


class BodyInput(NamedTuple):
    """An input of a body: the index of the Parameter, and the layer's input that feeds it.

    ``external`` is None for the current iteration. With an ``axis``, each iteration receives a slice of ``part_size``,
    from ``start`` to ``end`` by ``stride``; negative positions count from one past the last element.
    """

    internal: int
    external: int | None
    axis: int | None = None
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1


class BodyOutput(NamedTuple):
    """An output of a body: the index of the Result, and the layer's output that it feeds.

    ``external`` is None for the condition of a loop. With an ``axis``, the values of all iterations are concatenated
    along it; otherwise the output is the last value.
    """

    internal: int
    external: int | None
    axis: int | None = None
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1


class BodyPorts(NamedTuple):
    """The port map of one body as indices. ``back_edges`` are pairs of a Result and the Parameter it feeds."""

    inputs: tuple[BodyInput, ...]
    outputs: tuple[BodyOutput, ...]
    back_edges: tuple[tuple[int, int], ...]
    parameters: int
    results: int


class BodyCall(NamedTuple):
    """A body passed to its operation: the port map, and a function from Parameters to Results.

    The function maps facts to facts in ``infer`` and arrays to arrays in ``run``. ``parameters`` are the declared facts
    of the Parameters; ``results``, in ``run``, the inferred facts of the Results.
    """

    ports: BodyPorts
    call: Callable[[Sequence[Any]], tuple[Any, ...]]
    parameters: tuple[Fact, ...] = ()
    results: tuple[Fact, ...] = ()

    def only_of_loops(self, type: str) -> None:
        """Raise OpError where the port map names the number of the iteration, or the condition, which a Loop has."""
        ends = [*(entry.external for entry in self.ports.inputs), *(entry.external for entry in self.ports.outputs)]
        if None in ends:
            raise OpError(f"external_port_id is -1 in a port map of {type}, expected one of its ports")


class Variables(Protocol):
    """The variables of one request; a written value is read from the next inference on."""

    def read(self, name: str, initial: Array) -> Array: ...

    def write(self, name: str, value: Array) -> None: ...

    def extend(self, name: str, past: Array, shape: tuple[int, ...], axis: int) -> Array:
        """``past``, followed along ``axis`` by room for an array of this shape, which the caller fills."""
        ...

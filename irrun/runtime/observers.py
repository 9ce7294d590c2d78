"""Observers of a run: how long each layer takes, and a trace of all of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irrun.runtime.plan import Step
from irrun.tensor import Array

Shapes = tuple[tuple[int, ...] | None, ...]


@dataclass(slots=True)
class Timing:
    """The time of one step of a plan.

    ``own`` is the time of each call in nanoseconds, less that of the steps inside it where it has bodies. Shapes and
    ``bytes``, which is what is read and written, are those of the last call; None stands for an absent input.
    """

    step: Step
    own: list[int] = field(default_factory=list)
    inputs: Shapes = ()
    outputs: Shapes = ()
    bytes: int = 0

    @property
    def median(self) -> float:
        """Nanoseconds of one call."""
        return float(np.median(self.own))


class Profiler:
    """Measures every step. One profiler belongs to one request at a time."""

    def __init__(self) -> None:
        self._timings: dict[int, Timing] = {}
        self._open: list[_Open] = []

    @property
    def timings(self) -> list[Timing]:
        """The timing of each step that ran, in the order in which they first ended."""
        return list(self._timings.values())

    @property
    def total(self) -> int:
        """The nanoseconds of all steps in all runs so far."""
        return sum(sum(timing.own) for timing in self._timings.values())

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        del step
        self._open.append(_Open(shapes(inputs), size(inputs)))
        self._open[-1].began = time.perf_counter_ns()

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        now = time.perf_counter_ns()
        opened = self._open.pop()
        took = now - opened.began
        if self._open:
            self._open[-1].inside += took
        timing = self._timings.setdefault(id(step), Timing(step))
        timing.own.append(took - opened.inside)
        timing.inputs, timing.outputs = opened.shapes, shapes(outputs)
        timing.bytes = opened.bytes + size(outputs)

    def clear(self) -> None:
        """Forget what was measured, and what a run that failed left open."""
        self._timings.clear()
        self._open.clear()


class Tracer:
    """Records every step as an event of a Chrome trace, which Perfetto and chrome://tracing open.

    Times are microseconds since the tracer was made. Steps inside a body lie beneath the step that has the body.
    """

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._zero = time.perf_counter_ns()
        self._open: list[tuple[int, Shapes]] = []

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        del step
        self._open.append((time.perf_counter_ns(), shapes(inputs)))

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        now = time.perf_counter_ns()
        began, given = self._open.pop()
        node = step.node
        self.events.append(
            {
                "name": step.name or str(node.id),
                "cat": "layer",
                "ph": "X",
                "pid": 1,
                "tid": 1,
                "ts": (began - self._zero) / 1000,
                "dur": (now - began) / 1000,
                "args": {"op_name": node.type, "id": node.id, "shapes": {"inputs": given, "outputs": shapes(outputs)}},
            }
        )

    def document(self) -> dict[str, Any]:
        """The trace, ready to be written as JSON."""
        title = {"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "irrun"}}
        return {"traceEvents": [title, *self.events], "displayTimeUnit": "ms"}


@dataclass(slots=True)
class _Open:
    """A step that has begun."""

    shapes: Shapes
    bytes: int
    began: int = 0
    inside: int = 0


def shapes(arrays: Sequence[Array | None]) -> Shapes:
    return tuple(None if array is None else array.shape for array in arrays)


def size(arrays: Sequence[Array | None]) -> int:
    """The bytes of the arrays."""
    return sum(array.nbytes for array in arrays if array is not None)

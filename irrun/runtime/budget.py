"""Limits on the memory, the iterations and the time of an inference, checked before they are exceeded."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.diagnostics import OpError
from irrun.ops.context import BodyCall
from irrun.tensor import Array, Dim, Fact
from irrun.tensor.dim import Polynomial

MOST_ITERATIONS: Final = 1_000_000
"""The default limit on the iterations of a loop."""


class OverBudget(OpError):
    """An inference would exceed, or has exceeded, one of its limits."""

    code = "IR804"


class Budget(NamedTuple):
    """The limits of one inference: bytes of its tensors, iterations of each loop, and seconds. None for no limit."""

    memory: int | None = None
    iterations: int | None = MOST_ITERATIONS
    seconds: float | None = None

    def check_memory(self, size: int, subject: str) -> None:
        """Raise OverBudget if tensors take more bytes than the limit; ``subject`` is a clause with its verb."""
        if self.memory is not None and size > self.memory:
            from irrun.diagnostics.sizes import bytes_text

            raise OverBudget(
                f"{subject} {bytes_text(size)}, the budget is {bytes_text(self.memory)}; "
                "--max-memory or MAX_MEMORY raises it"
            )

    def counted(self, body: BodyCall, deadline: float | None) -> BodyCall:
        """Return a body that raises OverBudget where its iterations, its results or its time exceed the limits."""
        joined = [entry.internal for entry in body.ports.outputs if entry.axis is not None]
        done = size = 0

        def call(parameters: Sequence[Any]) -> tuple[Any, ...]:
            nonlocal done, size
            done += 1
            if self.iterations is not None and done > self.iterations:
                raise OverBudget(
                    f"the loop has not ended after {self.iterations:,} iterations, which is the budget; "
                    "--max-iterations or MAX_ITERATIONS raises it"
                )
            self.check_time(deadline)
            results = body.call(parameters)
            size += sum(results[index].nbytes for index in joined)
            if self.memory is not None:
                held = size + sum(result.nbytes for result in results)
                self.check_memory(held, f"the results of {done:,} iterations take")
            return results

        return body._replace(call=call)

    @property
    def deadline(self) -> float | None:
        """The time at which an inference that begins now must have ended, by the monotonic clock."""
        return None if self.seconds is None else time.monotonic() + self.seconds

    def check_time(self, deadline: float | None) -> None:
        """Raise OverBudget after the deadline."""
        if deadline is not None and time.monotonic() > deadline:
            raise OverBudget(f"the inference has not ended after {self.seconds:g} s; --timeout or TIMEOUT raises it")


UNLIMITED: Final = Budget(None, None, None)


def least_elements(fact: Fact, sizes: Mapping[str, int]) -> int:
    """Return a lower bound of the elements of a tensor, given the values of named unknown dims."""
    if fact.shape.dims is None:
        return 0
    return math.prod([dim.lo if dim.expr is None else _least(dim, dim.expr, sizes) for dim in fact.shape.dims])


def _least(dim: Dim, expr: Polynomial, sizes: Mapping[str, int]) -> int:
    try:
        terms = [factor * math.prod([sizes[name] for name in names]) for names, factor in expr]
    except KeyError:
        return dim.lo
    return max(sum(terms), dim.lo)


def named_sizes(facts: Sequence[Fact], shapes: Sequence[Sequence[int]]) -> dict[str, int]:
    """Return the value of each named unknown dim of the Parameters, given the shapes of the inputs."""
    found: dict[str, int] = {}
    for fact, shape in zip(facts, shapes, strict=True):
        for dim, size in zip(fact.shape.dims or (), shape, strict=False):
            if dim.expr is not None and len(dim.expr) == 1:
                names, factor = dim.expr[0]
                if len(names) == 1 and factor == 1:
                    found[names[0]] = size
    return found


def held_bytes(arrays: Sequence[Array | None]) -> int:
    """Return the bytes of the buffers of arrays, each buffer once; mapped files are not counted."""
    owners: dict[int, int] = {}
    for array in arrays:
        if array is None:
            continue
        owner = owner_of(array)
        if owner.base is None:
            owners[id(owner)] = owner.nbytes
    return sum(owners.values())


def owner_of(array: Array) -> Array:
    """Return the array that owns the memory which an array is in, or is the first in memory of something else."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner

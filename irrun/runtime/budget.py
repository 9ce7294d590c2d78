"""Limits on the memory, the iterations and the time of an inference, checked before they are exceeded."""

from __future__ import annotations

import itertools
import math
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.diagnostics import OpError
from irrun.kernels.control_groups import control_groups, text_of
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


SHARE: Final = 0.8
"""The part of the available memory that an inference may take by default."""

_LOOK_AGAIN: Final = 1.0
"""Seconds after which the memory that is free is looked up again."""

_NOT_LIMITED: Final = 1 << 60
"""Limits of version 1 from here on mean that there is none."""


def default_memory() -> int | None:
    """Return the default budget in bytes: a share of what is available; None where that is unknown."""
    free = _recent(int(time.monotonic() / _LOOK_AGAIN))
    return None if free is None else int(SHARE * free)


@lru_cache(maxsize=1)
def _recent(_period: int) -> int | None:
    return available_memory()


def available_memory(root: Path = Path("/")) -> int | None:
    """Return the bytes that the system, the control groups and the limits of this process leave; None if unknown.

    ``root`` is the folder with ``proc`` and ``sys``.
    """
    found = [*_of_system(root / "proc"), *_of_groups(root), *_of_process(root / "proc")]
    return max(min(found), 0) if found else None


def _of_system(proc: Path) -> Iterator[int]:
    match = re.search(r"^MemAvailable:\s+(\d+) kB", text_of(proc / "meminfo"), re.MULTILINE)
    if match is not None:
        yield int(match[1]) * 1024
        return
    try:
        yield os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return


_FILES: Final = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""The files with the limit and the usage of a group, and the entry of ``memory.stat`` for what may be given back."""


def _of_groups(root: Path) -> Iterator[int]:
    """Yield what each control group of this process, and each group around it, leaves."""
    for folder, (limit, usage, cache) in itertools.product(control_groups("memory", root), _FILES):
        most = text_of(folder / limit).strip()
        if most.isdigit() and int(most) < _NOT_LIMITED:
            used = text_of(folder / usage).strip()
            files = re.search(rf"^{cache} (\d+)$", text_of(folder / "memory.stat"), re.MULTILINE)
            taken = (int(used) if used.isdigit() else 0) - (int(files[1]) if files is not None else 0)
            yield int(most) - max(taken, 0)


def _of_process(proc: Path) -> Iterator[int]:
    """Yield what the limits on the address space and on the data segment leave."""
    try:
        import resource
    except ImportError:
        return
    pages = text_of(proc / "self/statm").split()
    size = int(pages[0]) * resource.getpagesize() if pages else 0
    data = int(pages[5]) * resource.getpagesize() if len(pages) > 5 else 0
    for kind, taken in ((resource.RLIMIT_AS, size), (resource.RLIMIT_DATA, data)):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            yield soft - taken

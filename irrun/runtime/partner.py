"""One process of a crew: what it does of each kernel, when it waits for the others, and what it remembers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from irrun.runtime.rehearsal import Rehearsed
from irrun.tensor import Array

LINE: Final = 8
"""Numbers in a line of the cache: each process writes a line of its own."""
_LOOKS: Final = 2_000
"""Looks at another process's mark before the processor is offered to somebody else."""
_SUSPICION: Final = 0.05
"""Seconds of waiting after which to see whether the others still live."""


class CrewError(Exception):
    """The others are gone, or do something else."""


Work = tuple[Callable[[int, int], object], int, int]
"""A function, and the range that this process calls it for."""


class Routine(NamedTuple):
    """What a kernel did in this process, to be done again: its inputs, its works, its result.

    The inputs are kept, not only where they lie: an address says nothing once its array is gone. So many arrays were
    ``taken`` from memory.
    """

    inputs: tuple[Array | None, ...]
    works: tuple[Work, ...]
    result: Array
    taken: int

    def is_for(self, arrays: Sequence[Array | None]) -> bool:
        """Whether these are the inputs, or lie where they lie."""
        return all(one is other or _is_same(one, other) for one, other in zip(self.inputs, arrays, strict=True))


def _is_same(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return False
    return one.__array_interface__ == other.__array_interface__


class Partner:
    """One process of a crew: the number ``rank`` of ``size``. Without marks it plays all of them, as a rehearsal."""

    def __init__(
        self,
        rank: int,
        size: int,
        memory: Rehearsed,
        layouts: list[Any],
        marks: memoryview | None,
        lives: Callable[[], bool],
        patience: float,
    ) -> None:
        self.rank = rank
        self.size = size
        self.empty = memory.empty
        self._memory = memory
        self._marks = marks
        self._layouts = layouts
        self._step = 0
        self._routines: dict[int, Routine | None] = {}
        self._noted: list[Work] | None = None
        self._position = 0
        self._lives = lives
        self._patience = patience
        self._meetings = 0
        self._own = LINE * rank
        self._others = tuple(LINE * other for other in range(size) if other != rank)

    def begin(self) -> None:
        """A run begins."""
        self._step = 0

    def gather(self, arrays: Sequence[Array | None]) -> None:
        """All begin a kernel: nobody reads any more what its results may overwrite.

        What the kernel takes must lie in memory as in the rehearsal. CrewError otherwise: then a view may be alive
        where there was a copy, and buffers are not free that were.
        """
        layout = [None if array is None else (array.shape, array.strides) for array in arrays]
        if self._marks is None:
            self._layouts.append(layout)
        elif self._step >= len(self._layouts) or self._layouts[self._step] != layout:
            raise CrewError("a tensor does not lie in memory as it did in the rehearsal")
        self._step += 1
        self.meet()
        if self._marks is not None and self._step not in self._routines:
            self._noted, self._position = [], self._memory.position

    def split(self, work: Callable[[int, int], object], count: int, parts: int, repeatable: bool) -> None:
        """Of ``parts`` ranges that make up ``range(count)``, this process does the one with its number."""
        parts = max(parts, 1)
        ranks = range(parts) if self._marks is None else (self.rank,)
        for rank in ranks:
            start, stop = count * rank // parts, min(count * (rank + 1) // parts, count)
            if start < stop:
                work(start, stop)
            if self._noted is not None:
                self._noted.append((work, start, stop))
        if not repeatable:
            self._noted = None
        self.meet()

    def learn(self, arrays: Sequence[Array | None], result: Any) -> None:
        """A kernel has ended: what it shared is all that it did, where it has said so."""
        noted, self._noted = self._noted, None
        if self._marks is None or self._step in self._routines:
            return
        self._routines[self._step] = None
        if noted and self._memory.is_for_good(result) and not any(self._memory.is_result(array) for array in arrays):
            taken = self._memory.position - self._position
            self._routines[self._step] = Routine(tuple(arrays), tuple(noted), result, taken)

    def repeat(self, arrays: Sequence[Array | None]) -> Array | None:
        """Does what the next kernel did last time, and returns its result; None where it has to be called."""
        routine = self._routines.get(self._step + 1)
        if routine is None:
            return None
        if not routine.is_for(arrays):
            self._routines[self._step + 1] = None
            return None
        self._step += 1
        self.meet()
        for work, start, stop in routine.works:
            # Here it meets no crew, as within `split`.
            if start < stop:
                work(start, stop)
            self.meet()
        self._memory.skip(routine.taken)
        return routine.result

    def meet(self) -> None:
        """Returns when all processes have come here."""
        marks = self._marks
        if marks is None:
            return
        self._meetings = number = self._meetings + 1
        marks[self._own] = number
        for other in self._others:
            left = _LOOKS
            while marks[other] < number:
                left -= 1
                if not left:
                    self._wait(marks, other, number)

    def _wait(self, marks: memoryview, other: int, number: int) -> None:
        """Another process has much to do, or has no processor."""
        began = time.monotonic()
        ends = began + _SUSPICION
        pause = 0.0
        while marks[other] < number:
            time.sleep(pause)
            if time.monotonic() > ends:
                if not self._lives() or ends - began > self._patience:
                    raise CrewError("a process of the crew has ended, or stands still")
                ends, pause = time.monotonic() + _SUSPICION, 0.001

"""Processes that run one plan together, each its part of every kernel, over memory they share.

Python threads wait for the interpreter after each call of NumPy; processes do not. So a plan that is run again and
again gets a crew: copies of this process, made by ``fork``, that hold the same plan and the same constants without a
copy of either, and go through the same steps at the same time. Kernels that take their results from ``memory`` share
their work through `split`; everything else each process computes for itself, which takes no longer than waiting for it.

What the steps need is asked of the operating system once: the first run in a crew is a rehearsal in this process alone,
which settles which buffer each array lies in. Only then the others are made.
"""

from __future__ import annotations

import mmap
import os
import platform
import select
import socket
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, NoReturn, Protocol

import numpy as np

from irrun.kernels.threads import hold_blas
from irrun.runtime.memory import Memory
from irrun.runtime.processes import Processes, are_alive, can_be_copied, copy, end
from irrun.runtime.rehearsal import Arena, OtherMemory, Rehearsed, own_copies
from irrun.tensor import Array

_LINE: Final = 8
"""Numbers in a line of the cache: each process writes a line of its own."""
_LOOKS: Final = 2_000
"""Looks at another process's mark before the processor is offered to somebody else."""
_SUSPICION: Final = 0.05
"""Seconds of waiting after which to see whether the others still live."""
_AWAKE: Final = 0.002
"""Seconds for which a process that has done its part looks out for the next run."""
_BREAK: Final = 5.0
"""Seconds between two looks whether the process that called still lives, while there is nothing to do."""
_GREETING: Final = 2.0
"""Seconds in which a new process must answer."""
_ROOM: Final = 1 << 25
"""Bytes of shared memory beyond what is expected; what is never touched costs nothing."""


class CrewError(Exception):
    """The others are gone, or do something else."""


class Busy(CrewError):
    """This process cannot be copied now, or all buffers of the results are in use."""


class Run(Protocol):
    """Runs the plan in a crew; ``observers`` see what this process does."""

    def __call__(
        self, inputs: Sequence[Array], observers: Sequence[Any], memory: Memory, crew: Partner, /
    ) -> tuple[Array, ...]: ...


def is_possible() -> bool:
    """Whether this machine has what a crew needs: ``fork``, and processors that show writes in the order of writing."""
    return (
        sys.platform == "linux"
        and platform.machine() in ("x86_64", "AMD64")
        and sys.implementation.name == "cpython"
        and getattr(sys, "_is_gil_enabled", lambda: True)()
    )


Work = tuple[Callable[[int, int], object], int, int]
"""A function, and the range that this process calls it for."""


class Routine(NamedTuple):
    """What a kernel does in a process each time: ``taken`` are the arrays that it takes from memory."""

    arrays: tuple[Array | None, ...]
    works: tuple[Work, ...]
    result: Array
    taken: int

    def takes(self, arrays: Sequence[Array | None]) -> bool:
        """Whether these are the arrays that it took, or lie where they lay."""
        return all(one is other or _is_same(one, other) for one, other in zip(self.arrays, arrays, strict=True))


def _is_same(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return False
    return one.__array_interface__ == other.__array_interface__ and one.strides == other.strides


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
        self._lives = lives
        self._patience = patience
        self._meetings = 0
        self._own = _LINE * rank
        self._others = tuple(_LINE * other for other in range(size) if other != rank)

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
            self._noted, self._before = [], self._memory.position

    def split(self, work: Callable[[int, int], object], count: int, parts: int, whole: bool) -> None:
        """Of ``parts`` ranges that make up ``range(count)``, this process does the one with its number."""
        parts = max(parts, 1)
        ranks = range(parts) if self._marks is None else (self.rank,)
        for rank in ranks:
            start, stop = count * rank // parts, min(count * (rank + 1) // parts, count)
            if start < stop:
                work(start, stop)
            if self._noted is not None:
                self._noted.append((work, start, stop))
        if not whole:
            self._noted = None
        self.meet()

    def learn(self, arrays: Sequence[Array | None], result: Any) -> None:
        """A kernel has ended: what it shared is all that it did, where it has said so."""
        noted, self._noted = self._noted, None
        if self._marks is None or self._step in self._routines:
            return
        self._routines[self._step] = None
        if noted and self._memory.is_for_good(result) and not any(self._memory.is_result(array) for array in arrays):
            taken = self._memory.position - self._before
            self._routines[self._step] = Routine(tuple(arrays), tuple(noted), result, taken)

    def repeat(self, arrays: Sequence[Array | None]) -> Array | None:
        """Does what the next kernel did last time, and returns its result; None where it has to be called."""
        routine = self._routines.get(self._step + 1)
        if routine is None:
            return None
        if not routine.takes(arrays):
            self._routines[self._step + 1] = None
            return None
        self._step += 1
        self.meet()
        for work, start, stop in routine.works:
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


class Crew:
    """This process and others made from it, for one plan and inputs of one shape. One run at a time.

    ``expected`` are the bytes of memory that a run takes, ``patience`` the seconds that one process may keep the others
    waiting, ``shared`` the bytes of constants. MemoryError where a run takes far more, OSError or RuntimeError where no
    process can be made, CrewError where one does not answer.
    """

    def __init__(
        self, run: Run, inputs: Sequence[Array], size: int, expected: int, patience: float, shared: int
    ) -> None:
        self._shared = shared + expected
        self._patience = patience
        self._layouts: list[Any] = []
        self._arena = Arena(3 * expected + 2 * sum(array.nbytes for array in inputs) + _ROOM)
        self._run = run
        self._wanted = size
        self._memory = Rehearsed(self._arena)
        self._inputs = [self._arena.like(array) for array in inputs]
        self._marks = memoryview(mmap.mmap(-1, 8 * _LINE * (size + 1))).cast("q")
        self._turn = _LINE * size
        self._processes: Processes = {}
        self._partner = self._as(0, partial(are_alive, self._processes))
        self._end = weakref.finalize(self, end, os.getpid(), self._processes)

    def rehearse(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """The results, made by this process alone; then there are others, which know what is to be done."""
        if not can_be_copied(self._shared):
            raise Busy
        self._accept(inputs)
        alone = Partner(0, self._wanted, self._memory, self._layouts, None, bool, 0)
        results = self._run(self._inputs, (), self._memory, alone)
        self._memory.settle(results)
        self._form()
        return tuple(self._kept(result) for result in results)

    @property
    def memory(self) -> Memory:
        """Where the results of a run lie."""
        return self._memory

    def takes(self, inputs: Sequence[Array]) -> bool:
        """Whether the inputs have the shapes and types that were rehearsed."""
        pairs = zip(inputs, self._inputs, strict=True)
        return all(array.shape == own.shape and array.dtype == own.dtype for array, own in pairs)

    @property
    def size(self) -> int:
        """How many processes there are, this one included."""
        return 1 + len(self._processes)

    def run(self, inputs: Sequence[Array], observers: Sequence[Any] = ()) -> tuple[Array, ...]:
        """The results; they lie in ``memory``. CrewError where the others do not take part any more."""
        turn = self._memory.free_turn()
        if turn is None:
            raise Busy
        self._accept(inputs)
        self._marks[self._turn] = turn
        for orders in self._processes.values():
            orders.send(b"\0", socket.MSG_NOSIGNAL)
        return self._go(self._partner, turn, observers)

    def close(self) -> None:
        """Ends the other processes."""
        self._end()

    def _accept(self, inputs: Sequence[Array]) -> None:
        for own, array in zip(self._inputs, inputs, strict=True):
            np.copyto(own, array)

    def _as(self, rank: int, lives: Callable[[], bool]) -> Partner:
        return Partner(rank, self._wanted, self._memory, self._layouts, self._marks, lives, self._patience)

    def _look_out(self, orders: select.poll) -> None:
        """Stays awake for a moment: the next run often follows at once, and waking up takes longer than a layer."""
        ends = time.monotonic() + _AWAKE
        while time.monotonic() < ends and not orders.poll(0):
            pass

    def _go(self, partner: Partner, turn: int, observers: Sequence[Any] = ()) -> tuple[Array, ...]:
        self._memory.begin(turn)
        partner.begin()
        try:
            results = self._run(self._inputs, observers, self._memory, partner)
        except OtherMemory as error:
            raise CrewError("a run takes other memory than the rehearsal") from error
        results = tuple(self._kept(result) for result in results)
        partner.meet()
        self._memory.end()
        if not self._memory.is_complete:
            raise CrewError("a run took less memory than the rehearsal")
        return results

    def _kept(self, result: Array) -> Array:
        """The result in memory that the next run does not write to."""
        if self._memory.is_result(result) or not self._arena.holds(result):
            return result
        return result.copy()

    def _form(self) -> None:
        caller = os.getpid()
        try:
            for rank in range(1, self._wanted):
                if not can_be_copied(self._shared):
                    raise Busy
                with own_copies():
                    orders = copy(self._processes)
                if orders is not None:
                    self._serve(rank, orders, caller)
            self._greet()
        except BaseException:
            self.close()
            raise

    def _greet(self) -> None:
        """Waits until each of the others has shown that it can compute: a lock held at the fork would stop it."""
        ends = time.monotonic() + _GREETING
        while any(not self._marks[_LINE * rank] for rank in range(1, self._wanted)):
            if time.monotonic() > ends or not are_alive(self._processes):
                raise CrewError("a process of the crew does not answer")
            time.sleep(0.0005)
        self._partner.meet()

    def _serve(self, rank: int, orders: socket.socket, caller: int) -> NoReturn:
        """The life of another process: it runs the plan as often as it is told to."""
        try:
            hold_blas()
            partner = self._as(rank, lambda: os.getppid() == caller)
            np.matmul(np.ones((64, 64), np.float32), np.ones((64, 64), np.float32))
            partner.meet()
            mail = select.poll()
            mail.register(orders, select.POLLIN)
            while os.getppid() == caller:
                self._look_out(mail)
                if mail.poll(1000 * _BREAK):
                    if not orders.recv(1):
                        break
                    self._go(partner, self._marks[self._turn])
        finally:
            os._exit(1)

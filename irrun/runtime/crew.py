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
from typing import Any, Final, NoReturn, Protocol

import numpy as np

from irrun.kernels.threads import hand_over_scratch, hold_blas, scratch_in
from irrun.runtime.memory import Memory
from irrun.runtime.partner import LINE, CrewError, Partner
from irrun.runtime.processes import Processes, are_alive, can_be_copied, copy, end
from irrun.runtime.rehearsal import Arena, OtherMemory, Rehearsed, own_copies
from irrun.tensor import Array

_AWAKE: Final = 0.002
"""Seconds for which a process that has done its part looks out for the next run."""
_BREAK: Final = 5.0
"""Seconds between two looks whether the process that called still lives, while there is nothing to do."""
_GREETING: Final = 2.0
"""Seconds in which a new process must answer."""
_ROOM: Final = 1 << 25
"""Bytes of shared memory beyond what is expected; what is never touched costs nothing."""


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
        self._buffers = hand_over_scratch()
        self._inputs = [self._arena.like(array) for array in inputs]
        self._marks = memoryview(mmap.mmap(-1, 8 * LINE * (size + 1))).cast("q")
        self._turn = LINE * size
        self._processes: Processes = {}
        self._partner = self._as(0, partial(are_alive, self._processes))
        self._end = weakref.finalize(self, end, os.getpid(), self._processes)

    def rehearse(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """The results, made by this process alone; then there are others, which know what is to be done."""
        if not can_be_copied(self._shared):
            raise Busy
        self._accept(inputs)
        alone = Partner(0, self._wanted, self._memory, self._layouts, None, bool, 0)
        with scratch_in(self._buffers):
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
            with scratch_in(self._buffers):
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
        while any(not self._marks[LINE * rank] for rank in range(1, self._wanted)):
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

"""Processes that run one plan together, each its part of every kernel, over memory they share.

Python threads wait for the interpreter after each call of NumPy; processes do not. So a plan that is run again and
again gets a crew: copies of this process, made by ``fork``, that hold the same plan and the same constants without a
copy of either, and go through the same steps at the same time. Kernels that take their results from ``memory`` share
their work through `split`; everything else each process computes for itself, which takes no longer than waiting for it.

What the steps need is asked of the operating system once: the first run in a crew is a rehearsal in this process alone,
which settles which buffer each array lies in. Only then the others are made.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import platform
import select
import signal
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NoReturn, Protocol

import numpy as np

from irrun.kernels.threads import hold_blas
from irrun.runtime.memory import Memory, is_free
from irrun.tensor import Array

_LINE: Final = 8
"""Numbers in a line of the cache: each process writes a line of its own."""
_PATIENCE: Final = 2_000
"""Looks at another process's mark before the processor is offered to somebody else."""
_SUSPICION: Final = 0.05
"""Seconds of waiting after which to see whether the others still live."""
_AWAKE: Final = 0.002
"""Seconds for which a process that has done its part looks out for the next run."""
_BREAK: Final = 5.0
"""Seconds between two looks whether the process that called still lives, while there is nothing to do."""
_REST: Final = 0.25
"""Seconds in which other threads must come to rest: those of the BLAS library look for work for a tenth of one."""
_TURNS: Final = 3
"""Buffers for each result, so that the caller may keep one while the next is made."""
_GREETING: Final = 2.0
"""Seconds in which a new process must answer."""
_ROOM: Final = 1 << 25
"""Bytes of shared memory beyond what is expected; what is never touched costs nothing."""


class CrewError(Exception):
    """The others are gone, or do something else."""


class Busy(CrewError):
    """Other threads of this process compute: it cannot be copied now."""


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


class Partner:
    """One process of a crew: the number ``rank`` of ``size``. Without marks it plays all of them, as a rehearsal."""

    def __init__(
        self, rank: int, size: int, memory: Memory, marks: memoryview | None, lives: Callable[[], bool]
    ) -> None:
        self.rank = rank
        self.size = size
        self.empty = memory.empty
        self._marks = marks
        self._lives = lives
        self._meetings = 0
        self._own = _LINE * rank
        self._others = tuple(_LINE * other for other in range(size) if other != rank)

    def split(self, work: Callable[[int, int], object], count: int, parts: int) -> None:
        """Of ``parts`` ranges that make up ``range(count)``, this process does the one with its number."""
        parts = max(parts, 1)
        ranks = range(parts) if self._marks is None else (self.rank,)
        for rank in ranks:
            start, stop = count * rank // parts, min(count * (rank + 1) // parts, count)
            if start < stop:
                work(start, stop)
        self.meet()

    def meet(self) -> None:
        """Returns when all processes have come here."""
        marks = self._marks
        if marks is None:
            return
        self._meetings = number = self._meetings + 1
        marks[self._own] = number
        for other in self._others:
            left = _PATIENCE
            while marks[other] < number:
                left -= 1
                if not left:
                    self._wait(marks, other, number)

    def _wait(self, marks: memoryview, other: int, number: int) -> None:
        """Another process has much to do, or has no processor."""
        ends = time.monotonic() + _SUSPICION
        while marks[other] < number:
            time.sleep(0)
            if time.monotonic() > ends:
                if not self._lives():
                    raise CrewError("a process of the crew has ended")
                ends = time.monotonic() + _SUSPICION


class _Arena:
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


class _Rehearsed(Memory):
    """Notes which buffer it gives each time, and gives the same ones again in all later runs."""

    least = 1

    def __init__(self, arena: _Arena) -> None:
        super().__init__()
        self._arena = arena
        self._given: list[tuple[int, int]] = []
        self._sequence: list[Array] = []
        self._arrays: dict[int, Array] = {}
        self._results: list[tuple[int, list[Array]]] = []
        self._next = 0

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
            if all(is_free(buffers, turn) for _, buffers in self._results):
                return turn
        return None

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

    def is_only_in(self, array: Array) -> bool:
        """Whether nothing else lies in the array's buffer, and another one is free for the next run."""
        for _, buffers in self._results:
            for turn in range(_TURNS):
                if buffers[turn] is array.base:
                    return is_free(buffers, turn, 1) and self.free_turn() is not None
        return False

    def is_result(self, array: Array) -> bool:
        """Whether the array lies in a buffer of its own."""
        return any(array.base is buffer for _, buffers in self._results for buffer in buffers)

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
                raise CrewError("a run takes other memory than the rehearsal")
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


_NOTHING: Final = np.empty(0, np.uint8)


class Crew:
    """This process and others made from it, for one plan and inputs of one shape. One run at a time.

    ``expected`` are the bytes of memory that a run takes. MemoryError where that is far from true, OSError where no
    process can be made, CrewError where one does not answer.
    """

    def __init__(self, run: Run, inputs: Sequence[Array], size: int, expected: int) -> None:
        self._arena = _Arena(3 * expected + 2 * sum(array.nbytes for array in inputs) + _ROOM)
        self._run = run
        self._wanted = size
        self._memory = _Rehearsed(self._arena)
        self._inputs = [self._arena.like(array) for array in inputs]
        self._marks = memoryview(mmap.mmap(-1, 8 * _LINE * (size + 1))).cast("q")
        self._turn = _LINE * size
        self._processes: dict[int, int] = {}
        self._partner = Partner(0, size, self._memory, self._marks, partial(_live, self._processes))
        self._end = weakref.finalize(self, _end, os.getpid(), self._processes)

    def rehearse(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """The results, made by this process alone; then there are others, which know what is to be done."""
        if not _comes_to_rest():
            raise Busy
        for own, array in zip(self._inputs, inputs, strict=True):
            np.copyto(own, array)
        alone = Partner(0, self._wanted, self._memory, None, _always)
        results = self._run(self._inputs, (), self._memory, alone)
        self._memory.settle(results)
        self._form()
        return tuple(self._kept(result) for result in results)

    @property
    def memory(self) -> Memory:
        """Where the results of a run lie."""
        return self._memory

    def takes(self, inputs: Sequence[Array]) -> bool:
        """Whether the inputs have the shapes that were rehearsed."""
        return all(array.shape == own.shape for array, own in zip(inputs, self._inputs, strict=True))

    @property
    def size(self) -> int:
        """How many processes there are, this one included."""
        return 1 + len(self._processes)

    def run(self, inputs: Sequence[Array], observers: Sequence[Any] = ()) -> tuple[Array, ...]:
        """The results; they lie in ``memory``. CrewError where the others do not take part any more."""
        turn = self._memory.free_turn()
        if turn is None:
            raise CrewError("all buffers of the results are in use")
        for own, array in zip(self._inputs, inputs, strict=True):
            np.copyto(own, array)
        self._marks[self._turn] = turn
        for pipe in self._processes.values():
            os.write(pipe, b"\0")
        return self._go(self._partner, turn, observers)

    def close(self) -> None:
        """Ends the other processes."""
        self._end()

    def _look_out(self, orders: int) -> None:
        """Stays awake for a moment: the next run often follows at once, and waking up takes longer than a layer."""
        ends = time.monotonic() + _AWAKE
        while time.monotonic() < ends and not select.select([orders], [], [], 0)[0]:
            pass

    def _go(self, partner: Partner, turn: int, observers: Sequence[Any] = ()) -> tuple[Array, ...]:
        self._memory.begin(turn)
        results = self._run(self._inputs, observers, self._memory, partner)
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
                reading, writing = os.pipe()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    if not _comes_to_rest():
                        raise Busy
                    process = os.fork()
                if not process:
                    self._serve(rank, reading, caller)
                os.close(reading)
                self._processes[process] = writing
            self._greet()
        except BaseException:
            self.close()
            raise

    def _greet(self) -> None:
        """Waits until each of the others has shown that it can compute: a lock held at the fork would stop it."""
        ends = time.monotonic() + _GREETING
        while any(not self._marks[_LINE * rank] for rank in range(1, self._wanted)):
            if time.monotonic() > ends or not _live(self._processes):
                raise CrewError("a process of the crew does not answer")
            time.sleep(0.0005)
        self._partner.meet()

    def _serve(self, rank: int, orders: int, caller: int) -> NoReturn:
        """The life of another process: it runs the plan as often as it is told to."""
        try:
            _leave_the_caller_alone(orders)
            hold_blas()
            partner = Partner(rank, self._wanted, self._memory, self._marks, lambda: os.getppid() == caller)
            np.matmul(np.ones((64, 64), np.float32), np.ones((64, 64), np.float32))
            partner.meet()
            while os.getppid() == caller:
                self._look_out(orders)
                if select.select([orders], [], [], _BREAK)[0]:
                    if not os.read(orders, 1):
                        break
                    self._go(partner, self._marks[self._turn])
        finally:
            os._exit(1)


def _comes_to_rest() -> bool:
    """Whether no other thread runs, at once or soon. If it is so, none can enter NumPy before the caller waits again.

    A fork stops the threads of the BLAS library, and with them a product that another thread is waiting for.
    """
    ends = time.monotonic() + _REST
    while not _is_at_rest():
        if time.monotonic() > ends:
            return False
        time.sleep(0.001)
    return True


def _is_at_rest() -> bool:
    """The states of all threads, looked up without letting go of the interpreter."""
    library, text = ctypes.PyDLL(None), ctypes.create_string_buffer(512)
    own = threading.get_native_id()
    for thread in os.listdir("/proc/self/task"):
        if int(thread) == own:
            continue
        file = library.open(f"/proc/self/task/{thread}/stat".encode(), os.O_RDONLY)
        if file < 0:
            continue
        count = library.read(file, text, 511)
        library.close(file)
        if count > 0 and text.raw[:count].rpartition(b")")[2].split()[0] != b"S":
            return False
    return True


def _live(processes: Mapping[int, int]) -> bool:
    """Whether all of the processes do."""
    try:
        return all(os.waitpid(process, os.WNOHANG) == (0, 0) for process in processes)
    except ChildProcessError:
        return False


def _always() -> bool:
    return True


def _leave_the_caller_alone(orders: int) -> None:
    """Let go of everything that belongs to the process that was copied: its files, its signals, its garbage."""
    gc.disable()
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    os.closerange(3, orders)
    os.closerange(orders + 1, max(os.sysconf("SC_OPEN_MAX"), orders + 1))
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(caller: int, processes: dict[int, int]) -> None:
    if os.getpid() != caller:
        return
    while processes:
        process, pipe = processes.popitem()
        os.close(pipe)
        try:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        except (ProcessLookupError, ChildProcessError):
            continue

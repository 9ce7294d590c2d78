"""Work shared between processes or threads, and memory that a thread keeps for intermediate results.

A crew of processes runs the same kernels side by side: there, `split` gives each its part. Without one, either the BLAS
library has threads, or we have: those of the library wait in a loop for their next product, and take the processors
away from ours meanwhile. So work is then only shared while the library is held to one thread.

NumPy lets go of the interpreter inside its loops, so blocks of an array can be computed side by side. Taking it back
may mean to wait, so that only calls that take long are worth it: blocks are large.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from irrun.kernels import blas

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Array = npt.NDArray[Any]

WORTH_A_THREAD: Final = 250_000
"""Nanoseconds of work for each thread below which another one costs more than it saves."""

WORTH_A_PROCESS: Final = 5_000
"""The same for a process of a crew, which waits in a loop for its part."""

_MOST_SHAPES: Final = 256
"""Shapes in which memory for intermediate results is kept at hand."""

_BLOCK: Final = 1 << 17
"""Elements that are worked on at a time, so that passes over them meet the cache."""


class Crew(Protocol):
    """Processes that run the same kernel at the same time, and share the memory of its results."""

    size: int

    def split(self, work: Callable[[int, int], object], count: int, parts: int, repeatable: bool) -> None:
        """Calls ``work`` in this process for its part of ``range(count)``, and waits until the others are done too.

        ``parts`` is how many of them have something to do, ``repeatable`` as in `split`.
        """
        ...

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """An array that all of them see, with anything in it."""
        ...


class _Job:
    """Ranges that whoever has time takes, one after the other; the caller takes them all if nobody else does."""

    def __init__(self, work: Callable[[int, int], object], edges: Sequence[int]) -> None:
        self.work = work
        self.edges = edges
        self.numbers = itertools.count()
        self.ended = threading.Semaphore(0)
        self.errors: list[BaseException] = []
        self.handling = np.geterr()

    def help(self) -> None:
        """Takes part from another thread, with the caller's handling of floating-point errors."""
        with np.errstate(**self.handling):
            self.take_part()

    def take_part(self) -> None:
        """Works until no range is left."""
        with by_itself():
            while (number := next(self.numbers)) < len(self.edges) - 1:
                try:
                    self.work(self.edges[number], self.edges[number + 1])
                except BaseException as error:
                    self.errors.append(error)
                finally:
                    self.ended.release()

    def wait(self) -> None:
        """Returns when all ranges are done; raises an error of one of them."""
        for _ in self.edges[1:]:
            self.ended.acquire()
        if self.errors:
            raise self.errors[0]


class _Team:
    """The threads besides the one that calls; started when they are first needed."""

    def __init__(self) -> None:
        self.blas = blas.Threads()
        self.count = self.blas.count or os.cpu_count() or 1
        self._pool: ThreadPoolExecutor | None = None
        self._process = os.getpid()
        self._lock = threading.Lock()

    def call(self, job: _Job, helpers: int) -> None:
        """So many other threads take part in the job as soon as they are free; nobody waits for that."""
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._pool is None or self._process != os.getpid():
                self._pool = ThreadPoolExecutor(max(self.count - 1, helpers), thread_name_prefix="irrun")
                self._process = os.getpid()
            for _ in range(helpers):
                self._pool.submit(job.help)

    def resize(self, count: int) -> None:
        with self._lock:
            if self._pool is not None and self._process == os.getpid():
                self._pool.shutdown(wait=False)
            self._pool = None
            self.count = count


_TEAM: Final = _Team()
_LOCAL: Final = threading.local()


def threads() -> int:
    """The number of threads that work is shared between, the calling one included."""
    return _TEAM.count


def set_threads(count: int) -> None:
    """Share work between so many threads from now on, those of the BLAS library too; ValueError below 1."""
    if count < 1:
        raise ValueError(f"{count} threads, expected at least 1")
    _TEAM.resize(count)
    _TEAM.blas.use(count)


def hold_blas() -> None:
    """The BLAS library uses one thread from now on, in this process and for good."""
    _TEAM.blas.use(1)


class single_blas:
    """The BLAS library uses the calling thread only, ``split`` the others; may be nested, and in several threads."""

    def __enter__(self) -> None:
        _TEAM.blas.hold()

    def __exit__(self, *_: object) -> None:
        _TEAM.blas.release()


@contextmanager
def _meanwhile(name: str, value: object) -> Iterator[None]:
    """Something of this thread is another one for a while."""
    before = getattr(_LOCAL, name, None)
    setattr(_LOCAL, name, value)
    try:
        yield
    finally:
        setattr(_LOCAL, name, before)


def by_itself() -> AbstractContextManager[None]:
    """This thread shares no work with other threads."""
    return _meanwhile("inside", True)


def unshared() -> AbstractContextManager[None]:
    """What is split meanwhile, this process does by itself: it is about arrays that the others do not see."""
    return _meanwhile("crew", None)


def share_with(crew: Crew | None) -> None:
    """From now on `split` shares work with the other processes of a crew, in this thread; with None no more."""
    _LOCAL.crew = crew


def processes() -> int:
    """How many processes `split` shares work between, 1 without a crew: into so many parts work should be divisible."""
    crew: Crew | None = getattr(_LOCAL, "crew", None)
    return 1 if crew is None else crew.size


def are_products_shared() -> bool:
    """Whether the BLAS library shares a product between several threads: then a large one is better than several."""
    return _TEAM.count > 1 and not _TEAM.blas.is_held


def common(name: str, shape: Sequence[int], dtype: npt.DTypeLike) -> Array:
    """As `scratch`, but what one process of a crew writes there, the others see after the next `split`."""
    crew: Crew | None = getattr(_LOCAL, "crew", None)
    return scratch(name, shape, dtype) if crew is None else crew.empty(shape, np.dtype(dtype))


def split(work: Callable[[int, int], object], count: int, nanoseconds: float, *, repeatable: bool = False) -> None:
    """Calls ``work(start, stop)`` for ranges that make up ``range(count)``.

    In a crew each process calls it for its own range, and results must lie in memory that they share; within
    ``single_blas`` it is called in several threads. A thread that gets no processor takes nothing away: nobody waits
    for it. ``nanoseconds`` says how long one thread takes for it all, roughly: a little is done by the calling thread.
    So is everything within a call that is itself one of several.

    ``repeatable`` promises that the kernel only makes views, takes ``memory``, calls `split`, and returns an array of
    that memory: no copy of an input, nothing that is computed from values, nothing after the last `split`. A crew then
    calls each ``work`` once more in later runs, and not the kernel.
    """
    crew: Crew | None = getattr(_LOCAL, "crew", None)
    if crew is not None:
        with unshared():
            crew.split(work, count, min(crew.size, count, int(nanoseconds // WORTH_A_PROCESS)), repeatable)
        return
    parts = min(_TEAM.count, count, int(nanoseconds // WORTH_A_THREAD))
    if parts < 2 or not _TEAM.blas.is_held or getattr(_LOCAL, "inside", False):
        work(0, count)
        return
    job = _Job(work, [count * number // parts for number in range(parts + 1)])
    _TEAM.call(job, parts - 1)
    job.take_part()
    job.wait()


def by_blocks(
    function: Callable[[Array, Array], object], x: Array, out: Array | None = None, nanoseconds: float = 0.3
) -> Array:
    """An element-wise function, ``function(block, target)``, block after block; the result lies in memory as x does.

    ``out`` may be x itself where the function allows it. ``nanoseconds`` is for one element.
    """
    result = np.empty_like(x) if out is None else out
    if x.size <= _BLOCK or x.strides != result.strides or not _is_one_run(x):
        function(x, result)
        return result
    source, target = x.ravel("K"), result.ravel("K")

    def several(first: int, last: int) -> None:
        for start in range(first * _BLOCK, min(last * _BLOCK, x.size), _BLOCK):
            function(source[start : start + _BLOCK], target[start : start + _BLOCK])

    split(several, -(-x.size // _BLOCK), x.size * nanoseconds)
    return result


def _is_one_run(x: Array) -> bool:
    """Whether the elements lie in memory one after the other, in whatever order of the axes."""
    step = x.itemsize
    for stride, size in sorted(zip(x.strides, x.shape, strict=True)):
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True


def hand_over_scratch() -> Buffers:
    """The memory of this thread for intermediate results, which gets new memory when it needs some."""
    buffers: Buffers | None = _LOCAL.__dict__.pop("buffers", None)
    return {} if buffers is None else buffers


def scratch_in(buffers: Buffers) -> AbstractContextManager[None]:
    """Meanwhile `scratch` is taken from there. What is to be done again by any thread must not lie in that of one."""
    return _meanwhile("buffers", buffers)


def scratch(name: str, shape: Sequence[int], dtype: npt.DTypeLike) -> Array:
    """Memory of this thread for intermediate results, with anything in it; the next call with this name takes it away.

    It stays allocated, as large as the largest call: for blocks that fit the cache. What was made of it before it grew
    stays what it was, for those that hold it.
    """
    buffers: Buffers | None = getattr(_LOCAL, "buffers", None)
    if buffers is None:
        buffers = _LOCAL.buffers = {}
    found = buffers.get(name)
    if found is None:
        found = buffers[name] = _Scratch()
    return found.array((*shape, dtype), shape, dtype)


class _Scratch:
    """A buffer, and the arrays that were made of it."""

    def __init__(self) -> None:
        self._buffer = np.empty(0, np.uint8)
        self._arrays: dict[Any, Array] = {}

    def array(self, key: Any, shape: Sequence[int], dtype: npt.DTypeLike) -> Array:
        known = self._arrays.get(key)
        if known is not None:
            return known
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if size > self._buffer.size:
            whole = np.empty(size + 64, np.uint8)
            self._buffer = whole[-whole.ctypes.data % 64 :]
            self._arrays.clear()
        if len(self._arrays) >= _MOST_SHAPES:
            self._arrays.clear()
        self._arrays[key] = made = self._buffer[:size].view(dtype).reshape(shape)
        return made


Buffers = dict[str, _Scratch]
"""Memory for intermediate results, by name."""

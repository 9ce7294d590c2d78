"""Weights are packed in panels while a plan is lowered: by functions of arrays, whose kernels other threads run.

The results of these functions are complete when the plan is lowered (`packed`): the calling thread does the rest then.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from irrun.kernels.aligned import LINES, aligned, staying, trim
from irrun.kernels.layout import axes_in_memory
from irrun.kernels.locks import Lock
from irrun.kernels.threads import threads
from irrun.runtime.symbolic import of_sizes
from irrun.runtime.workers import YIELD
from irrun.tensor import Array
from irrun_kernels.amx_check import multiplies_bf16, multiplies_bytes
from irrun_kernels.axes import Axes, walk_bytes
from irrun_kernels.backends import HAS_BF16_TILES, HAS_BYTE_TILES
from irrun_kernels.elementwise import CALL, Chain, chain, workspace_of
from irrun_kernels.functions import RUN
from irrun_kernels.host import LANES
from irrun_kernels.moves import Move, move
from irrun_kernels.native import NOWHERE, Address, KernelFunction
from irrun_kernels.product import plain_product, product
from irrun_kernels.scalars import NUMBERS
from irrun_kernels.tape import LINE, follow, post
from irrun_kernels.tiling import padded_columns, padded_depth, tiling

_Result = TypeVar("_Result")

_CALLS: Final = 512
"""Calls of a tape; the next one is on another tape."""

_AHEAD: Final = 1 << 25
"""Bytes of the arrays of calls that are not done; the calling thread takes part where there are more."""

_ALONE: Final = 1 << 19
"""Bytes of the arrays of calls for which no other thread is started."""

_POLLS: Final = 400_000
"""Times that a thread looks for another call before it ends: about a millisecond."""


_WORKSPACE: Final = 1 << 14
"""Bytes of workspace, at least: calls that need more than those before are on another tape."""


class _Tape:
    """A tape to which calls are added. The threads that walk it refer to it, and so to all that its calls use.

    They are as many as may compute, also beside other programs: nobody waits for them until the plan is lowered.
    """

    def __init__(self, workspace: int) -> None:
        self.each = -(-workspace // LINES) * LINES + LINES
        self._count = threads()
        self._rows = np.zeros((_CALLS, 3), np.int64)
        self._counters = aligned((_CALLS, LINE), np.int64)
        self._posted = aligned(1, np.int64)
        self._workspace = aligned(self._count * self.each)
        self._counters.fill(0)
        self._posted.fill(0)
        self._threads: list[threading.Thread] = []
        self._actions: deque[tuple[int, int, Callable[[], object]]] = deque()
        self._bytes = self._done = self.calls = 0
        self._is_large = False

    def add(self, kernel: int, record: Array, tasks: int, arrays: Sequence[Array]) -> None:
        """Add a call; the tape keeps its arrays until it is done."""
        self._rows[self.calls] = kernel, record.ctypes.data, tasks
        self.calls += 1
        self.then(lambda: (record, arrays), sum(array.nbytes for array in arrays))
        post(self._posted.ctypes.data, self.calls)
        self._retire()
        if self._bytes > _AHEAD:
            self._is_large = True
            self.join()
        elif self._bytes > _ALONE:
            self._begin()

    def then(self, action: Callable[[], object], size: int = 0) -> None:
        """Do something when all calls so far are done; the last one uses arrays of ``size`` bytes."""
        self._bytes += size
        self._actions.append((self.calls, size, action))

    def join(self) -> None:
        """Take part in all calls so far, until they are done."""
        self._follow(0, 0)
        self._retire()

    def close(self) -> None:
        """Let the other threads go, when all calls are done."""
        post(self._posted.ctypes.data, -1)
        if self._is_large:
            trim()

    def _begin(self) -> None:
        """Start threads, as far as the system allows."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        with suppress(RuntimeError, MemoryError):
            while len(self._threads) < self._count - 1:
                number = len(self._threads) + 1
                thread = threading.Thread(target=self._follow, args=(number, _POLLS), name=f"irrun-pack-{number}")
                thread.daemon = True
                thread.start()
                self._threads.append(thread)

    def _follow(self, number: int, polls: int) -> None:
        workspace = self._workspace.ctypes.data + number * self.each
        rows, posted, counters = (each.ctypes.data for each in (self._rows, self._posted, self._counters))
        follow(rows, posted, self._done, counters, workspace, number, self._count, polls, YIELD)

    def _retire(self) -> None:
        """Forget what calls used that are done."""
        while self._done < self.calls and self._counters[self._done, LINE // 2] == self._rows[self._done, 2]:
            self._done += 1
        while self._actions and self._actions[0][0] <= self._done:
            _, size, action = self._actions.popleft()
            self._bytes -= size
            action()


_LOCK: Final = Lock()
_TAPES: Final[list[_Tape]] = []


def _run(kernel: KernelFunction, arguments: Any, tasks: int, workspace: int, *arrays: Array) -> None:
    """Let a kernel run meanwhile over some arrays, whose addresses have their places in memory as offsets.

    It is done when the plan is lowered (``packed``), after the calls before it: what it reads may be what they wrote.
    """
    words = [word.offset if isinstance(word, Address) else word for word in kernel.flat(arguments)]
    record = np.array([tuple(words)], kernel.record)
    with _LOCK:
        if _TAPES and (_TAPES[0].calls == _CALLS or _TAPES[0].each < workspace):
            finish()
        if not _TAPES:
            _TAPES.append(_Tape(max(workspace, _WORKSPACE)))
        _TAPES[0].add(kernel.address, record, tasks, arrays)


def when_packed(action: Callable[[], object]) -> None:
    """Do something when all calls so far are done."""
    with _LOCK:
        if _TAPES:
            _TAPES[0].then(action)
        else:
            action()


def finish() -> None:
    """Wait for all calls so far, and do the rest of them."""
    with _LOCK:
        if _TAPES:
            _TAPES[0].join()
            _TAPES.pop().close()


def finished(make: Callable[[], _Result]) -> _Result:
    """Return what ``make`` returns when its calls are done."""
    result = make()
    finish()
    return result


@contextmanager
def packed() -> Iterator[None]:
    """Lower a plan: all that is packed within is packed at the end."""
    try:
        yield
    finally:
        finish()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=finish)

_BLOCK: Final = 1 << 20
"""Elements that are made at a time of others, and packed while they are in the caches."""


cut_product: Final = of_sizes(tiling)
"""The tiling of a product whose sizes may be known only when a run begins."""


class ProductForm(NamedTuple):
    """The words that a product multiplies: of ``each`` elements of a type, by tiles of AMX where it ``has_tiles``.

    Columns of panels are as long as the tiles of the processor need; whether these are right is found out when asked.
    """

    each: int
    dtype: np.dtype[Any]
    is_padded: bool = False
    has_tiles: Callable[[], bool] = bool

    def panels(self, matrices: Array, vectors: int) -> Array:
        """Pack right factors [groups, taps, depth, columns], with zeros behind the elements of each tap."""
        groups, taps, depth, columns = matrices.shape
        words = -(-depth // self.each)
        each, rows = self.each * words, self.each * padded_depth(taps * words, self.is_padded)
        is_padded = rows != taps * depth

        def converted(part: slice) -> Array:
            made = matrices[..., part]
            if is_padded:
                whole = np.zeros((groups, 1, rows, made.shape[-1]), made.dtype)
                whole[:, 0, : taps * each].reshape(groups, taps, each, -1)[:, :, :depth] = made
                made = whole
            return bf16_bits(made) if self.dtype == _BF16_BITS else made.astype(self.dtype, copy=False)

        shape = (groups, 1, rows, columns) if is_padded else matrices.shape
        return pack(converted, shape, self.dtype, vectors, self.each)


_F32: Final = np.dtype(np.float32)
_BF16_BITS: Final[np.dtype[Any]] = np.dtype(np.uint16)

FORMS: Final[Mapping[np.dtype[Any], ProductForm]] = {
    _F32: ProductForm(1, _F32),
    _BF16_BITS: ProductForm(2, _BF16_BITS, HAS_BF16_TILES, multiplies_bf16),
    np.dtype(np.uint8): ProductForm(4, np.dtype(np.int8), HAS_BYTE_TILES, multiplies_bytes),
}
"""The form of a product by the type of its left factor: f32, and words of two bf16 or of four bytes."""


def pack(
    make: Callable[[slice], Array], shape: Sequence[int], dtype: np.dtype[Any], vectors: int, each: int = 1
) -> Array:
    """Matrices [..., K, N] in panels [K / each, vectors * LANES, each], the last one as narrow as vectors allow.

    ``make`` makes some columns at a time, with any strides. Of matrices of up to four axes, those along the first are
    packed one after the other, those along the second are parts of one along K.
    """
    groups, parts, depth, columns = (1,) * (4 - len(shape)) + tuple(shape)
    size, words, column = vectors * LANES, depth // each, parts * depth
    packed = staying((groups, column * padded_columns(columns)), dtype)
    step = max(1, _BLOCK // max(groups * column * size, 1)) * size
    for first in range(0, columns, step):
        count = min(step, columns - first)
        whole = count // size * size
        rows = make(slice(first, first + count)).reshape(groups, parts, words, each, count)
        panels = packed[:, column * first : column * (first + whole)].reshape(groups, -1, parts, words, size, each)
        copy(rows[..., :whole].reshape(groups, parts, words, each, -1, size).transpose(0, 4, 1, 2, 5, 3), panels)
        if whole < count:
            last = packed[:, column * (first + whole) :].reshape(groups, parts, words, -1, each)
            last[..., count - whole :, :] = 0
            copy(rows[..., whole:].swapaxes(-2, -1), last[..., : count - whole, :])
    return packed.reshape(-1)


def multiply(left: Array, right: Array) -> Array:
    """The product of two matrices of f32."""
    (points, depth), filters = left.shape, right.shape[1]
    cut = tiling(points, 1, depth, filters)
    panels, out = FORMS[_F32].panels(right[None, None], cut.vectors), np.empty((points, filters), _F32)
    arguments = plain_product(_at(left), _at(panels), _at(out), points, depth, filters, cut)
    _run(product, arguments, cut.tasks, cut.workspace, left, panels, out)
    return out


def bf16_bits(x: Array) -> Array:
    """The bits of f32 rounded to bf16, in the memory layout of the f32."""
    order = axes_in_memory(x)
    flat = np.ascontiguousarray(x.transpose(order))
    out = np.empty(flat.shape, _BF16_BITS)
    call = [NUMBERS["bf16_bits", "f"], 1, *[0] * (CALL - 2)]
    tables = [np.array(table, np.int64) for table in ([flat.size, 4], [flat.ctypes.data, 4], call)]
    axes, operands, calls = map(_at, tables)
    each, workspace = -(-_LEAST_BYTES // RUN) * RUN, workspace_of(1, 1, 0, 4 * RUN)
    arguments = Chain(_at(out), 2, Axes(axes, 1), operands, 1, calls, 1, 0, 4 * RUN, flat.size, each)
    _run(chain, arguments, -(-flat.size // each), workspace, flat, out, *tables)
    return out.transpose(np.argsort(order))


def copy(source: Array, target: Array) -> None:
    """Copy an array to another one of the same shape and type."""
    tasks = max(1, min(_MOST_TASKS, target.nbytes // _LEAST_BYTES))
    rows = np.array((target.shape, source.strides, target.strides, (0,) * target.ndim), np.int64)
    table = rows.take(np.argsort(-rows[2], kind="stable"), axis=1)
    axes = Axes(_at(table), target.ndim)
    arguments = Move(_at(source), _at(target), NOWHERE, NOWHERE, axes, target.itemsize, tasks)
    _run(move, arguments, tasks, walk_bytes(target.ndim, 3), source, target, table)


_MOST_TASKS: Final = 16
_LEAST_BYTES: Final = 40_000
"""The most tasks of a copy, and the fewest bytes of each."""


def _at(x: Array) -> Address:
    return Address(0, x.ctypes.data)

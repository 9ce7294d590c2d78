"""Weights are packed in panels by other threads, while a plan is lowered.

Panels are complete when the plan is lowered (`packed`): the calling thread does the rest then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from irrun.kernels.aligned import forget, staying
from irrun.kernels.layout import axes_in_memory
from irrun.kernels.threads import threads
from irrun.runtime.packs import Packs
from irrun.runtime.symbolic import of_sizes
from irrun.tensor import Array
from irrun_kernels.amx_check import multiplies_bf16, multiplies_bytes
from irrun_kernels.axes import Axes, walk_bytes
from irrun_kernels.backends import HAS_BF16_TILES, HAS_BYTE_TILES
from irrun_kernels.elementwise import CALL, Chain, chain, workspace_of
from irrun_kernels.functions import RUN
from irrun_kernels.host import LANES
from irrun_kernels.moves import Move, move
from irrun_kernels.native import NOWHERE
from irrun_kernels.product import plain_product, product
from irrun_kernels.scalars import NUMBERS
from irrun_kernels.tape import at, run
from irrun_kernels.tiling import padded_columns, padded_depth, tiling

_Result = TypeVar("_Result")

_ALONE: Final = 1 << 18
"""Bytes of panels for which no other thread is started."""


@dataclass
class _Packing:
    """The packing of weights while a plan is lowered, by the calling thread and by others.

    These are as many as may compute, or as the system allows; they end when nothing is left to do.
    """

    made: dict[Hashable, Array] = field(default_factory=dict)
    actions: SimpleQueue[Callable[[], object]] = field(default_factory=SimpleQueue)
    threads: list[threading.Thread] = field(default_factory=list)

    def finish(self) -> None:
        """Do what is left, and wait for the other threads."""
        while True:
            with suppress(Empty):
                while True:
                    self.actions.get_nowait()()
            if not self.threads:
                return
            self.threads.pop().join()

    def help(self) -> None:
        """Do what is left; the calling thread repeats what fails."""
        with suppress(Empty):
            while True:
                action = self.actions.get_nowait()
                try:
                    action()
                except Exception:
                    self.actions.put(action)
                    return


class _Own(threading.local):
    """The packing for the plan that a thread lowers."""

    packing: _Packing | None = None


_OWN: Final = _Own()


def later(action: Callable[[], object], size: int) -> None:
    """Do something before the plan is lowered, in another thread where it makes enough bytes to be worth one.

    It is done at once where no plan is lowered.
    """
    own = _OWN.packing
    if own is None:
        action()
        return
    own.actions.put(action)
    if size > _ALONE:
        with suppress(RuntimeError, MemoryError):
            own.threads = [thread for thread in own.threads if thread.is_alive()]
            if len(own.threads) < threads() - 1:
                thread = threading.Thread(target=own.help, name="irrun-pack", daemon=True)
                thread.start()
                own.threads.append(thread)


def finished(make: Callable[[], _Result]) -> _Result:
    """Return what ``make`` returns when it is complete."""
    result = make()
    if _OWN.packing is not None:
        _OWN.packing.finish()
    return result


def shared(packs: Packs, key: Hashable, make: Callable[[], Array]) -> Array:
    """Return what another plan packed, or what ``make`` returns; other plans share that when it is complete."""
    made = packs if _OWN.packing is None else _OWN.packing.made
    found = made.get(key)
    if found is None:
        found = packs.get(key)
    if found is None:
        found = made[key] = make()
    return found


@contextmanager
def packed(packs: Packs) -> Iterator[None]:
    """Lower a plan: all that is packed within, which ``packs`` share, is packed at the end."""
    before, own = _OWN.packing, _Packing()
    _OWN.packing = own
    try:
        yield
        own.finish()
        packs.update(own.made)
    finally:
        own.actions = SimpleQueue()
        _OWN.packing = before


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
        return pack(matrices, converted, shape, self.dtype, vectors, self.each)


_F32: Final = np.dtype(np.float32)
_BF16_BITS: Final[np.dtype[Any]] = np.dtype(np.uint16)

FORMS: Final[Mapping[np.dtype[Any], ProductForm]] = {
    _F32: ProductForm(1, _F32),
    _BF16_BITS: ProductForm(2, _BF16_BITS, HAS_BF16_TILES, multiplies_bf16),
    np.dtype(np.uint8): ProductForm(4, np.dtype(np.int8), HAS_BYTE_TILES, multiplies_bytes),
}
"""The form of a product by the type of its left factor: f32, and words of two bf16 or of four bytes."""


def pack(
    source: Array,
    make: Callable[[slice], Array],
    shape: Sequence[int],
    dtype: np.dtype[Any],
    vectors: int,
    each: int = 1,
    when: Callable[[Callable[[], object], int], object] = later,
) -> Array:
    """Matrices [..., K, N] in panels [K / each, vectors * LANES, each], the last one as narrow as vectors allow.

    ``make`` makes some columns of a source at a time, with any strides. Of matrices of up to four axes, those along the
    first are packed one after the other, those along the second are parts of one along K. ``when`` decides when columns
    are written: the panels are complete later.
    """
    groups, parts, depth, columns = (1,) * (4 - len(shape)) + tuple(shape)
    size, words, column = vectors * LANES, depth // each, parts * depth
    packed = staying((groups, column * padded_columns(columns)), dtype)
    step = max(1, _BLOCK // max(groups * column * size, 1)) * size

    def write(first: int, count: int) -> None:
        whole = count // size * size
        rows = make(slice(first, first + count)).reshape(groups, parts, words, each, count)
        panels = packed[:, column * first : column * (first + whole)].reshape(groups, -1, parts, words, size, each)
        copy(rows[..., :whole].reshape(groups, parts, words, each, -1, size).transpose(0, 4, 1, 2, 5, 3), panels)
        if whole < count:
            last = packed[:, column * (first + whole) :].reshape(groups, parts, words, -1, each)
            last[..., count - whole :, :] = 0
            copy(rows[..., whole:].swapaxes(-2, -1), last[..., : count - whole, :])
        forget(source)

    for first in range(0, columns, step):
        when(partial(write, first, min(step, columns - first)), packed.nbytes)
    return packed.reshape(-1)


def multiply(left: Array, right: Array) -> Array:
    """The product of two matrices of f32."""
    (points, depth), filters = left.shape, right.shape[1]
    cut = tiling(points, 1, depth, filters)
    panels = pack(right, lambda part: right[:, part], right.shape, _F32, cut.vectors, when=lambda write, _: write())
    out = np.empty((points, filters), _F32)
    arguments = plain_product(at(left), at(panels), at(out), points, depth, filters, cut)
    run(product, arguments, cut.tasks, cut.workspace)
    return out


def bf16_bits(x: Array) -> Array:
    """The bits of f32 rounded to bf16, in the memory layout of the f32."""
    order = axes_in_memory(x)
    flat = np.ascontiguousarray(x.transpose(order))
    out = np.empty(flat.shape, _BF16_BITS)
    call = [NUMBERS["bf16_bits", "f"], 1, *[0] * (CALL - 2)]
    tables = [np.array(table, np.int64) for table in ([flat.size, 4], [flat.ctypes.data, 4], call)]
    axes, operands, calls = map(at, tables)
    arguments = Chain(at(out), 2, Axes(axes, 1), operands, 1, calls, 1, 0, 4 * RUN, flat.size, flat.size)
    run(chain, arguments, 1, workspace_of(1, 1, 0, 4 * RUN))
    return out.transpose(np.argsort(order))


def copy(source: Array, target: Array) -> None:
    """Copy an array to another one of the same shape and type."""
    rows = np.array((target.shape, source.strides, target.strides, (0,) * target.ndim), np.int64)
    table = rows.take(np.argsort(-rows[2], kind="stable"), axis=1)
    axes = Axes(at(table), target.ndim)
    run(move, Move(at(source), at(target), NOWHERE, NOWHERE, axes, target.itemsize, 1), 1, walk_bytes(target.ndim, 3))

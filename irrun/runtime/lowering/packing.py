"""Weights in panels: pure functions of arrays, which all workers compute while a plan is lowered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.aligned import staying
from irrun.kernels.layout import axes_in_memory
from irrun.kernels.threads import threads
from irrun.runtime.lowering.builder import BF16_BITS, F32, U8
from irrun.runtime.view import Operand
from irrun.runtime.workers import workers
from irrun.tensor import Array
from irrun_kernels.amx_check import multiplies_bf16, multiplies_bytes
from irrun_kernels.axes import AXES, WALK, Strided
from irrun_kernels.backends import HAS_BF16_TILES, HAS_BYTE_TILES
from irrun_kernels.conversions import AS_BITS, Convert, Rows, convert
from irrun_kernels.host import LANES
from irrun_kernels.moves import Move, move
from irrun_kernels.native import FAR, NOWHERE, Address, KernelFunction
from irrun_kernels.tape import LINE
from irrun_kernels.tiling import padded_columns, padded_depth

_BLOCK: Final = 1 << 20
"""Elements that are made at a time of others, and packed while they are in the caches."""

_COLUMNS: Final = 4096
"""Elements that are converted at a time."""


class ProductForm(NamedTuple):
    """The words that a product multiplies: of ``each`` elements of a type, by tiles of AMX where it ``has_tiles``.

    Columns of panels are as long as the tiles of the processor need; whether these are right is found out when asked.
    """

    each: int
    dtype: np.dtype[Any]
    is_padded: bool = False
    has_tiles: Callable[[], bool] = bool

    def words(self, depth: int) -> int:
        return -(-depth // self.each)

    def packed_depth(self, words: int) -> int:
        """The words in a column of a panel."""
        return padded_depth(words, self.is_padded)

    def panels(self, matrices: Array, vectors: int) -> Array:
        """Pack right factors [groups, taps, depth, columns], with zeros behind the elements of each tap."""
        groups, taps, depth, columns = matrices.shape
        each = self.each * self.words(depth)
        rows = self.each * self.packed_depth(taps * self.words(depth))

        def padded(part: slice) -> Array:
            made = matrices[..., part]
            made = bf16_bits(made) if self.dtype == BF16_BITS else made.astype(self.dtype, copy=False)
            if rows == taps * depth:
                return made
            whole = np.zeros((groups, 1, rows, made.shape[-1]), self.dtype)
            whole[:, 0, : taps * each].reshape(groups, taps, each, -1)[:, :, :depth] = made
            return whole

        return pack(padded, (groups, 1, rows, columns), self.dtype, vectors, self.each)


_FORMS: Final = {
    F32: ProductForm(1, F32),
    BF16_BITS: ProductForm(2, BF16_BITS, HAS_BF16_TILES, multiplies_bf16),
    U8: ProductForm(4, np.dtype(np.int8), HAS_BYTE_TILES, multiplies_bytes),
}


def form_of(x: Operand) -> ProductForm:
    """The form of the elements of a left factor: f32, and words of two bf16 or of four bytes."""
    return _FORMS[x.dtype]


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
        _copy(rows[..., :whole].reshape(groups, parts, words, each, -1, size).transpose(0, 4, 1, 2, 5, 3), panels)
        if whole < count:
            last = packed[:, column * (first + whole) :].reshape(groups, parts, words, -1, each)
            last[..., count - whole :, :] = 0
            _copy(rows[..., whole:].swapaxes(-2, -1), last[..., : count - whole, :])
    return packed.reshape(-1)


def bf16_bits(x: Array) -> Array:
    """The bits of f32 rounded to bf16, in the memory layout of the f32."""
    order = axes_in_memory(x)
    flat = np.ascontiguousarray(x.transpose(order))
    out = np.empty(flat.shape, BF16_BITS)
    rows = Rows(_COLUMNS, FAR, 0, flat.itemsize * _COLUMNS)
    tasks = -(-flat.size // _COLUMNS)
    _run(convert, Convert(_at(flat), rows, _at(out), out.itemsize, AS_BITS, flat.size, 1), tasks)
    return out.transpose(np.argsort(order))


def _copy(source: Array, target: Array) -> None:
    """Copy an array to another one of the same shape and type."""
    front, tasks = AXES - target.ndim, max(1, min(_MOST_TASKS, target.nbytes // _LEAST_BYTES))
    sizes, steps = (1,) * front + target.shape, ((0,) * front + each.strides for each in (source, target))
    x, out = map(Strided, (_at(source), _at(target)), steps)
    _run(move, Move(x, out, Strided(NOWHERE, (0,) * AXES), sizes, target.itemsize, tasks), tasks)


_MOST_TASKS: Final = 16
_LEAST_BYTES: Final = 40_000
"""Tasks of a copy, as far as they have so many bytes."""


def _at(x: Array) -> Address:
    return Address(0, x.ctypes.data)


def _run(kernel: KernelFunction, arguments: Any, tasks: int) -> None:
    """Run a kernel by all workers. The offsets of addresses are those in memory."""
    words = [word.offset if isinstance(word, Address) else word for word in kernel.flat(arguments)]
    record = np.array([tuple(words)], kernel.record)
    row = np.array([kernel.address, record.ctypes.data, tasks], np.int64)
    counters, count = np.zeros(3 * LINE, np.int64), threads()
    workspace = np.empty(count * WALK, np.uint8)
    kept = record, row, counters, workspace
    workers().walk(row.ctypes.data, 1, counters.ctypes.data, workspace.ctypes.data, WALK, count, kept)

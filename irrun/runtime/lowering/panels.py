"""Weights in panels: functions of arrays, whose results are complete when the plan is lowered (`packed`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.aligned import staying
from irrun.kernels.layout import axes_in_memory
from irrun.runtime.lowering.builder import BF16_BITS, F32, U8
from irrun.runtime.packing import run_meanwhile
from irrun.runtime.view import Operand
from irrun.tensor import Array
from irrun_kernels.amx_check import multiplies_bf16, multiplies_bytes
from irrun_kernels.axes import AXES, WALK, Strided
from irrun_kernels.backends import HAS_BF16_TILES, HAS_BYTE_TILES
from irrun_kernels.conversions import AS_BITS, Convert, Rows, convert
from irrun_kernels.epilogue import Epilogue
from irrun_kernels.host import LANES
from irrun_kernels.moves import Move, move
from irrun_kernels.native import FAR, NOWHERE, Address, KernelFunction
from irrun_kernels.pixels import Images, ImageWindows
from irrun_kernels.product import Product, product
from irrun_kernels.tiling import padded_columns, padded_depth, tiling

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
        is_padded = rows != taps * depth

        def converted(part: slice) -> Array:
            made = matrices[..., part]
            if is_padded:
                whole = np.zeros((groups, 1, rows, made.shape[-1]), made.dtype)
                whole[:, 0, : taps * each].reshape(groups, taps, each, -1)[:, :, :depth] = made
                made = whole
            return bf16_bits(made) if self.dtype == BF16_BITS else made.astype(self.dtype, copy=False)

        shape = (groups, 1, rows, columns) if is_padded else matrices.shape
        return pack(converted, shape, self.dtype, vectors, self.each)


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
    panels, out = form_of(right).panels(right[None, None], cut.vectors), np.empty((points, filters), F32)
    arguments = Product(
        x=Images(_at(left), pixel=left.strides[0]),
        panels=_at(panels),
        geometry=ImageWindows(counts=(1, 1, points), sizes=(1, 1, points)),
        cut=cut,
        depth=depth,
        panel_depth=depth,
        filters=filters,
        epilogue=Epilogue(out=Images(_at(out), pixel=out.strides[0])),
    )
    _run(product, arguments, cut.tasks, cut.workspace, left, panels, out)
    return out


def bf16_bits(x: Array) -> Array:
    """The bits of f32 rounded to bf16, in the memory layout of the f32."""
    order = axes_in_memory(x)
    flat = np.ascontiguousarray(x.transpose(order))
    out = np.empty(flat.shape, BF16_BITS)
    rows = Rows(_COLUMNS, FAR, 0, flat.itemsize * _COLUMNS)
    arguments = Convert(_at(flat), rows, _at(out), out.itemsize, AS_BITS, flat.size, 1)
    _run(convert, arguments, -(-flat.size // _COLUMNS), 0, flat, out)
    return out.transpose(np.argsort(order))


def copy(source: Array, target: Array) -> None:
    """Copy an array to another one of the same shape and type."""
    front, tasks = AXES - target.ndim, max(1, min(_MOST_TASKS, target.nbytes // _LEAST_BYTES))
    sizes, steps = (1,) * front + target.shape, ((0,) * front + each.strides for each in (source, target))
    x, out = map(Strided, (_at(source), _at(target)), steps)
    arguments = Move(x, out, Strided(NOWHERE, (0,) * AXES), sizes, target.itemsize, tasks)
    _run(move, arguments, tasks, WALK, source, target)


_MOST_TASKS: Final = 16
_LEAST_BYTES: Final = 40_000
"""Tasks of a copy, as far as they have so many bytes."""


def _at(x: Array) -> Address:
    return Address(0, x.ctypes.data)


def _run(kernel: KernelFunction, arguments: Any, tasks: int, workspace: int, *arrays: Array) -> None:
    """Let a kernel run meanwhile over some arrays, whose addresses have their places in memory as offsets."""
    words = [word.offset if isinstance(word, Address) else word for word in kernel.flat(arguments)]
    run_meanwhile(kernel.address, np.array([tuple(words)], kernel.record), tasks, workspace, arrays)

"""Products of matrices and convolutions as calls of one kernel, for each form of elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.aligned import staying
from irrun.runtime.at_once import run_at_once
from irrun.runtime.lowering.builder import BF16_BITS, F32, U8, Builder
from irrun.runtime.lowering.conversions import bf16_bits
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.lowering.geometry import images_of, over
from irrun.runtime.symbolic import Number, of_sizes
from irrun.runtime.view import Operand
from irrun.tensor import Array
from irrun_kernels.amx_check import multiplies_bf16, multiplies_bytes
from irrun_kernels.backends import HAS_BF16_TILES, HAS_BYTE_TILES
from irrun_kernels.epilogue import Epilogue
from irrun_kernels.host import LANES
from irrun_kernels.native import NOWHERE, Address
from irrun_kernels.pixels import Images, ImageWindows
from irrun_kernels.product import Product, integer_product, product
from irrun_kernels.tiling import (
    Tiling,
    padded_columns,
    padded_depth,
    panel_vectors,
    tiling,
)

_BLOCK: Final = 1 << 20
"""Elements that are made at a time of others, and packed while they are in the caches."""


def pack(matrices: Array, vectors: int) -> Array:
    """Matrices [..., K, N] of words in panels [K, vectors * LANES], the last one as narrow as whole vectors allow.

    Matrices of up to four axes: those along the first are packed one after the other, those along the second are parts
    of one along K. Strides are arbitrary.
    """
    return _packed(matrices, vectors, 1)


def pack_bf16(matrices: Array, vectors: int) -> Array:
    """Matrices of f32 rounded to bf16 in panels of words, each of two rows; the last row may be zeros."""
    *_, depth, columns = matrices.shape
    rows = depth + depth % 2

    def rounded(part: slice) -> Array:
        return _padded(bf16_bits(matrices[..., part]), rows - depth)

    shape = (*matrices.shape[:-2], rows, columns)
    return pack_made(rounded, shape, np.dtype(np.uint16), vectors, 2).view(np.uint32)


def pack_bytes(matrices: Array, vectors: int) -> Array:
    """Matrices [..., 4 * K, N] of bytes with sign in panels of words, each of four rows."""
    return _packed(matrices.astype(np.int8, copy=False), vectors, 4).view(np.uint32)


def pack_made(
    make: Callable[[slice], Array], shape: tuple[int, ...], dtype: np.dtype[Any], vectors: int, each: int = 1
) -> Array:
    """Matrices of a shape, of which ``make`` makes some columns at a time, in panels of words of ``each`` rows."""
    *lead, depth, columns = shape
    packed = _empty(shape, dtype)
    size = vectors * LANES
    step = max(1, _BLOCK // max(math.prod(lead) * depth * size, 1)) * size
    parts = (lead[-1] if lead else 1) * depth
    for first in range(0, columns, step):
        made = make(slice(first, first + step))
        _write(made, packed[:, parts * first : parts * (first + step)], vectors, each)
    return packed.reshape(-1)


def _packed(matrices: Array, vectors: int, each: int) -> Array:
    packed = _empty(matrices.shape, matrices.dtype)
    _write(matrices, packed, vectors, each)
    return packed.reshape(-1)


def _padded(matrices: Array, rows: int) -> Array:
    """Matrices with rows of zeros behind them."""
    none = ((0, 0),)
    return np.pad(matrices, (*none * (matrices.ndim - 2), (0, rows), *none)) if rows else matrices


def _empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Memory for packed matrices [groups, elements]."""
    groups, parts, depth, columns = (1,) * (4 - len(shape)) + shape
    return staying((groups, parts * depth * padded_columns(columns)), dtype)


def _write(matrices: Array, packed: Array, vectors: int, each: int) -> None:
    """Write matrices, or some panels of them, as panels [K / each, columns, each]."""
    groups, parts, depth, columns = (1,) * (4 - matrices.ndim) + matrices.shape
    size, words = vectors * LANES, depth // each
    whole = columns // size * size
    rest = padded_columns(columns - whole)
    panels = packed[:, : parts * depth * whole].reshape(groups, -1, parts, words, size, each)
    last = packed[:, parts * depth * whole :].reshape(groups, parts, words, rest, each)
    last[..., columns - whole :, :] = 0
    rows = matrices.reshape(groups, parts, words, each, columns)
    builder = Builder()
    for source, target in (
        (rows[..., :whole].reshape(groups, parts, words, each, -1, size).transpose(0, 4, 1, 2, 5, 3), panels),
        (rows[..., whole:].swapaxes(-2, -1), last[..., : columns - whole, :]),
    ):
        if source.size:
            emit_copy(builder, source, builder.view(target))
    run_at_once(builder)


class ProductForm(NamedTuple):
    """The elements that a product multiplies at a time: how many, what packs them in panels, and tiles of AMX.

    Columns of panels are as long as the tiles of the processor need; whether these are right is found out when asked.
    """

    each: int
    pack: Callable[[Array, int], Array]
    is_padded: bool = False
    has_tiles: Callable[[], bool] = bool

    @property
    def bf16(self) -> int:
        return int(self.each == 2)

    def words(self, depth: int) -> int:
        return -(-depth // self.each)

    def packed_depth(self, words: int) -> int:
        """The elements in a column of a panel."""
        return padded_depth(words, self.is_padded)

    def panels(self, matrices: Array, vectors: int) -> Array:
        """Pack right factors [groups, taps, depth, columns], with zeros behind the elements of each tap."""
        groups, taps, depth, columns = matrices.shape
        each = self.each * self.words(depth)
        rows = self.each * self.packed_depth(taps * self.words(depth))
        if rows != taps * depth:
            whole = np.zeros((groups, 1, rows, columns), matrices.dtype)
            whole[:, 0, : taps * each].reshape(groups, taps, each, columns)[:, :, :depth] = matrices
            matrices = whole
        return self.pack(matrices, vectors)


F32_FORM: Final = ProductForm(1, pack)
BF16_FORM: Final = ProductForm(2, pack_bf16, HAS_BF16_TILES, multiplies_bf16)
BYTE_FORM: Final = ProductForm(4, pack_bytes, HAS_BYTE_TILES, multiplies_bytes)
"""An f32, and words of two bf16 or of four bytes."""

_FORMS: Final = {F32: F32_FORM, BF16_BITS: BF16_FORM, U8: BYTE_FORM}


def form_of(x: Operand) -> ProductForm:
    """The form of the elements of a left factor."""
    return _FORMS[x.dtype]


class Operands(NamedTuple):
    """The images, results and summand of products and windows, with the windows and the epilogue.

    Matrices are images of one row. Results are f32, bits of bf16 or bytes, or f32 and one of these.
    """

    x: Operand
    outs: Sequence[Operand]
    summand: Operand | None = None
    epilogue: Epilogue = Epilogue()
    geometry: ImageWindows = ImageWindows()

    @property
    def windows(self) -> ImageWindows:
        """The windows with the sizes of images and results."""
        return over(self.geometry, self.x, self.outs[0])


class Steps(NamedTuple):
    """The elements from the data of a group to those of the next one, likewise of results and of biases."""

    x: Number
    out: Number
    bias: Number


class ProductWeights(NamedTuple):
    """Right factors: ``matrices`` returns them as [groups, taps, depth, filters]; ``key`` tells them from others.

    The ``source`` of all is an array of the model. Channels of groups follow each other, unless there are ``steps``.
    Windows may have some of the taps only, with others ``before`` and ``after`` them.
    """

    key: Hashable
    source: Array
    groups: int
    filters: int
    depth: int
    matrices: Callable[[], Array]
    steps: Steps | None = None
    before: int = 0
    after: int = 0


def of_windows(key: Hashable, weights: Array, source: Array) -> ProductWeights:
    """The right factors of a convolution with weights [G, O, I, *K]."""
    groups, filters, depth = weights.shape[:3]

    def matrices() -> Array:
        return weights.reshape(groups, filters, depth, -1).transpose(0, 3, 2, 1)

    return ProductWeights(key, source, groups, filters, depth, matrices)


def emit_product(
    builder: Builder,
    weights: ProductWeights,
    given: Operands,
    bias: Array | None = None,
    zero: int | None = None,
) -> None:
    """Multiply the pixels that windows meet.

    Pixels outside of images have elements ``zero``, None where no window meets any.
    """
    form = form_of(given.x)
    geometry = given.windows
    taps, words = math.prod(geometry.taps), form.words(weights.depth)
    points = geometry.images * math.prod(geometry.counts)
    vectors = panel_vectors(weights.filters)
    cut = of_sizes(tiling)(points, taps, words, weights.filters, weights.groups, has_tiles=form.has_tiles())
    panel_depth = form.packed_depth((weights.before + taps + weights.after) * words)
    outside = None if zero is None else np.full(form.each * words, zero)
    panels = builder.packed(
        (weights.key, form.each),
        weights.source,
        vectors,
        lambda: form.panels(weights.matrices(), vectors),
    )
    steps = weights.steps or Steps(weights.depth, weights.filters, weights.filters)
    arguments = Product(
        x=images_of(builder, given.x),
        panels=panels,
        geometry=geometry,
        cut=cut,
        depth=words,
        panel_depth=panel_depth,
        filters=weights.filters,
        epilogue=placed_epilogue(builder, given, 4 * LANES * vectors, builder.constant(bias)),
        zeros=builder.constant(outside, given.x.dtype),
        bf16=form.bf16,
        next_x=given.x.itemsize * steps.x,
        next_panels=4 * panel_depth * padded_columns(weights.filters),
        next_out=steps.out,
        next_bias=4 * steps.bias,
        first_row=weights.before * words,
    )
    kernel = integer_product if form is BYTE_FORM else product
    builder.call(kernel, arguments, weights.groups * cut.tasks, workspace_of(arguments))


def placed_epilogue(builder: Builder, given: Operands, pixel: int, bias: Address = NOWHERE) -> Epilogue:
    """The epilogue with the addresses of results and summand.

    Without f32, a kernel computes these in its workspace, ``pixel`` bytes apart.
    """
    epilogue = given.epilogue._replace(out=Images(pixel=pixel), summand=images_of(builder, given.summand), bias=bias)
    outs: dict[str, Any] = {"out" if out.dtype == F32 else "rounded": images_of(builder, out) for out in given.outs}
    return epilogue._replace(**outs)


def workspace_of(arguments: Product) -> int:
    """The bytes of workspace of a product, with room for sums where no result is f32."""
    cut: Tiling = arguments.cut
    out = arguments.epilogue.out
    return cut.workspace + (0 if out.start != NOWHERE else (cut.points + cut.rows) * out.pixel)


def alone(outs: Sequence[Operand]) -> Any:
    """The only result of a product, or all of them."""
    return outs[0] if len(outs) == 1 else tuple(outs)

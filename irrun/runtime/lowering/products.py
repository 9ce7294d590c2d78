"""Products of matrices and convolutions as calls of one kernel, for each form of elements."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.transposing import taps_first
from irrun.runtime.lowering.builder import F32, HALVES, U8, Builder
from irrun.runtime.lowering.geometry import images_of, over
from irrun.runtime.symbolic import of_sizes
from irrun.runtime.view import Operand
from irrun.tensor import Array
from irrun_kernels.amx_check import multiplies_bytes, multiplies_halves
from irrun_kernels.backends import HAS_BYTE_TILES, HAS_HALF_TILES
from irrun_kernels.bytes import Requantization
from irrun_kernels.functions import End
from irrun_kernels.host import LANES
from irrun_kernels.native import NOWHERE
from irrun_kernels.pixels import Geometry, Images
from irrun_kernels.product import Product, integer_product, product
from irrun_kernels.tiling import (
    Tiling,
    pack,
    pack_bytes,
    pack_halves,
    padded_columns,
    padded_depth,
    panel_vectors,
    tiling,
)


class Form(NamedTuple):
    """The elements that a product multiplies at a time: how many, what packs them in panels, and tiles of AMX.

    Columns of panels are as long as the tiles of the processor need; whether these are right is found out when asked.
    """

    each: int
    pack: Callable[[Array, int], Array]
    is_padded: bool = False
    has_tiles: Callable[[], bool] = bool

    @property
    def halves(self) -> int:
        return int(self.each == 2)

    def words(self, depth: int) -> int:
        return -(-depth // self.each)

    def packed_depth(self, words: int) -> int:
        """The elements in a column of a panel."""
        return padded_depth(words, self.is_padded)

    def panels(self, matrix: Array, taps: int, vectors: int) -> Array:
        """Pack a right factor [taps * depth, columns], with zeros behind the elements of each tap."""
        depth, columns = len(matrix) // taps, matrix.shape[1]
        each = self.each * self.words(depth)
        rows = self.each * self.packed_depth(taps * self.words(depth))
        if rows != len(matrix):
            whole = np.zeros((rows, columns), matrix.dtype)
            whole[: taps * each].reshape(taps, each, columns)[:, :depth] = matrix.reshape(taps, depth, columns)
            matrix = whole
        return self.pack(matrix, vectors)


SINGLES: Final = Form(1, pack)
PAIRS: Final = Form(2, pack_halves, HAS_HALF_TILES, multiplies_halves)
QUADS: Final = Form(4, pack_bytes, HAS_BYTE_TILES, multiplies_bytes)
"""An f32, and words of two bf16 or of four bytes."""

_FORMS: Final = {F32: SINGLES, HALVES: PAIRS, U8: QUADS}


def form_of(x: Operand) -> Form:
    """The form of the elements of a left factor."""
    return _FORMS[x.dtype]


class Operands(NamedTuple):
    """The images, results and summand of products and windows, with the windows and the epilogue.

    Matrices are images of one row. Results are f32, bits of bf16 or bytes, or f32 and one of these.
    """

    x: Operand
    outs: Sequence[Operand]
    summand: Operand | None = None
    end: End = End()
    geometry: Geometry = Geometry()

    @property
    def windows(self) -> Geometry:
        """The windows with the sizes of images and results."""
        return over(self.geometry, self.x, self.outs[0])


FLOATS: Final = Requantization()
"""The requantization of products of floats, which have none."""


class Weights(NamedTuple):
    """Right factors: ``matrices`` returns one [taps * depth, filters] for each group; ``key`` tells them from others.

    The ``source`` of all is an array of the model.
    """

    key: Hashable
    source: Array
    groups: int
    filters: int
    depth: int
    matrices: Callable[[], Sequence[Array]]


def of_windows(key: Hashable, weights: Array, source: Array) -> Weights:
    """The right factors of a convolution with weights [G, O, I, KH, KW]."""
    groups, filters, depth = weights.shape[:3]
    return Weights(key, source, groups, filters, depth, lambda: [taps_first(x).reshape(-1, filters) for x in weights])


def multiply(
    builder: Builder,
    weights: Weights,
    given: Operands,
    bias: Array | None = None,
    zero: int | None = None,
    integers: Requantization = FLOATS,
) -> None:
    """Multiply the pixels that windows meet.

    Pixels outside of images have elements ``zero``, None where no window meets any.
    """
    form = form_of(given.x)
    geometry = given.windows
    taps, words = geometry.kernel_height * geometry.kernel_width, form.words(weights.depth)
    points = geometry.images * geometry.rows * geometry.columns
    vectors = panel_vectors(weights.filters)
    cut = of_sizes(tiling)(points, taps, words, weights.filters, weights.groups, has_tiles=form.has_tiles())
    panel_depth = form.packed_depth(taps * words)
    outside = None if zero is None else np.full(form.each * words, zero)
    panels = builder.packed(
        (weights.key, form.each),
        weights.source,
        vectors,
        lambda: _joined([form.panels(matrix, taps, vectors) for matrix in weights.matrices()]),
    )
    arguments = Product(
        x=images_of(builder, given.x),
        panels=panels,
        geometry=geometry,
        cut=cut,
        depth=words,
        panel_depth=panel_depth,
        filters=weights.filters,
        **outputs(builder, given, 4 * LANES * vectors),
        zeros=builder.constant(outside, given.x.dtype),
        bias=builder.constant(bias),
        halves=form.halves,
        next_x=given.x.itemsize * weights.depth,
        next_panels=4 * panel_depth * padded_columns(weights.filters),
        next_out=weights.filters,
        next_bias=4 * weights.filters,
        integers=integers,
    )
    kernel = integer_product if form is QUADS else product
    builder.call(kernel, arguments, weights.groups * cut.tasks, workspace_of(arguments))


def _joined(panels: Sequence[Array]) -> Array:
    return panels[0] if len(panels) == 1 else np.concatenate(panels)


def outputs(builder: Builder, given: Operands, pixel: int) -> dict[str, Any]:
    """The arguments for results, summand and epilogue.

    Without f32, a kernel computes these in its workspace, ``pixel`` bytes apart.
    """
    found = {"out": Images(pixel=pixel), "summand": images_of(builder, given.summand), "end": given.end}
    return found | {"out" if out.dtype == F32 else "narrow": images_of(builder, out) for out in given.outs}


def workspace_of(arguments: Product) -> int:
    """The bytes of workspace of a product, with room for sums where no result is f32."""
    cut: Tiling = arguments.cut
    return cut.workspace + (0 if arguments.out.start != NOWHERE else (cut.points + cut.rows) * arguments.out.pixel)


def alone(outs: Sequence[Operand]) -> Any:
    """The only result of a product, or all of them."""
    return outs[0] if len(outs) == 1 else tuple(outs)

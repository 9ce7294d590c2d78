"""Operands of products in half precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.compiled.amx_check import multiplies_halves
from irrun.kernels.compiled.backends import HAS_HALF_TILES
from irrun.kernels.compiled.halves import Round, rounding
from irrun.kernels.compiled.host import LANES
from irrun.kernels.compiled.micro import AS_BITS, AS_F16, AS_FLOATS
from irrun.kernels.compiled.tiling import Tiling, pack, pack_halves, padded_depth
from irrun.ops.fused.fused_product import FusedProduct
from irrun.ops.fused.fused_round import FusedRound
from irrun.runtime.lowering.builder import F32, Builder, empty_as, is_f32, lowers, share
from irrun.runtime.lowering.copies import in_rows
from irrun.runtime.lowering.geometry import image_strides
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import BF16, U16
from irrun.tensor.element_type import F32 as SINGLE

HALVES: Final[np.dtype[Any]] = np.dtype(np.uint16)

_COLUMNS: Final = 4096
"""Elements that are rounded at a time."""


@lowers(FusedRound)
def rounded(op: FusedRound, builder: Builder, data: Array) -> Array | None:
    """Round numbers, in their memory layout."""
    if op.fact.type is U16:
        return _rounded(builder, data, AS_BITS)
    return _rounded(builder, data, AS_FLOATS if op.precision is BF16 else AS_F16)


def operand(op: FusedProduct, builder: Builder, data: Array) -> Array | None:
    """The data of a product: bits of bf16, or f32 rounded to the precision; None for what kernels do not take."""
    if data.dtype == HALVES:
        return data if data.size else None
    if op.precision is SINGLE:
        return data if is_f32(data) else None
    return _rounded(builder, data, AS_FLOATS if op.precision is BF16 else AS_F16)


def alone(outs: Sequence[Array]) -> Any:
    """The only result of a product, or all of them."""
    return outs[0] if len(outs) == 1 else tuple(outs)


def types(op: FusedProduct) -> list[np.dtype[Any]]:
    """The types of the outputs of a product."""
    return [F32] * op.floats + [HALVES] * op.halves


def rounded_to_bf16(builder: Builder, data: Array, *, as_bits: bool) -> Array | None:
    """f32 rounded to bf16: the bits, or f32; None for what kernels do not take."""
    return _rounded(builder, data, AS_BITS if as_bits else AS_FLOATS)


def in_precision(precision: ElementType, builder: Builder, data: Array) -> Array | None:
    """f32, or bits of bf16; None for what kernels do not take."""
    return data if precision is SINGLE else _rounded(builder, data, AS_BITS)


class Form(NamedTuple):
    """The elements that a product multiplies at a time: how many, and what packs them in panels."""

    each: int
    pack: Callable[[Array, int], Array]

    @property
    def halves(self) -> int:
        return int(self.each > 1)

    @property
    def has_tiles(self) -> bool:
        """True if tiles of AMX multiply such elements."""
        return self.each > 1 and multiplies_halves()

    def packed_depth(self, words: int) -> int:
        """The elements in a column of a panel."""
        return padded_depth(words, HAS_HALF_TILES and self.each > 1)

    def panels(self, matrix: Array, vectors: int) -> Array:
        """Pack the right factor of a product, with zeros behind the last row."""
        depth, columns = matrix.shape
        missing = self.each * self.packed_depth(-(-depth // self.each)) - depth
        whole = np.concatenate([matrix, np.zeros((missing, columns), matrix.dtype)]) if missing >= self.each else matrix
        return self.pack(whole, vectors)


SINGLES: Final = Form(1, pack)
PAIRS: Final = Form(2, pack_halves)
"""An f32, and a word of two bf16."""


def form_of(x: Array) -> Form:
    """The form of the elements of a left factor."""
    return PAIRS if x.dtype == HALVES else SINGLES


def outputs(builder: Builder, outs: Sequence[Array], cut: Tiling) -> dict[str, int]:
    """The addresses and strides of the results of a product, which are images: f32, bits of bf16, or both."""
    found = {"out": 0, "out_pixel": 4 * LANES * cut.vectors}
    for out in outs:
        name = "rounded" if out.dtype == HALVES else "out"
        found |= {name: builder.address(out), **image_strides(name, out)}
    return found


def workspace_of(outs: Sequence[Array], cut: Tiling) -> int:
    """The bytes of workspace of a product, with room for sums where no result is f32."""
    sums = 0 if any(out.dtype == F32 for out in outs) else 4 * (cut.points + cut.rows) * LANES * cut.vectors
    return cut.workspace + sums


def _rounded(builder: Builder, data: Array, form: int) -> Array | None:
    if not is_f32(data):
        return None
    found = in_rows(builder, data, _COLUMNS)
    if found is None:
        return None
    data, rows = found
    out = empty_as(builder, data, HALVES if form == AS_BITS else F32)
    each, tasks = share(-(-data.size // rows.columns), 0.1 * data.size)
    arguments = Round(
        x=builder.address(data),
        out=builder.address(out),
        form=form,
        width=out.itemsize,
        elements=data.size,
        **rows._asdict(),
        rows_per_task=each,
    )
    builder.call(rounding, arguments, tasks)
    return out

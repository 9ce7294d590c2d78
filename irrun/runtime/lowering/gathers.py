"""Elements and slices by indices of a run, read and written."""

from __future__ import annotations

import functools

import numpy as np

from irrun.kernels.lookup import Lookup, Nibbles
from irrun.ops._declared.fused.fused_packed_gather import FusedPackedGather
from irrun.ops._declared.movement.gather import GatherV1, GatherV7, GatherV8
from irrun.ops._declared.movement.gather_elements import GatherElements
from irrun.ops._declared.movement.gather_nd import GatherNDV5, GatherNDV8
from irrun.ops._declared.movement.scatter_elements_update import ScatterElementsUpdateV3, ScatterElementsUpdateV12
from irrun.ops._declared.movement.scatter_nd_update import ScatterNDUpdateV4, ScatterNDUpdateV15
from irrun.ops._declared.movement.scatter_update import ScatterUpdate
from irrun.ops._declared.sequence.one_hot import OneHotV1, OneHotV16
from irrun.runtime.lowering.builder import (
    F32,
    Builder,
    Unsupported,
    broadcast,
    empty_as,
    integers,
    lowers,
    share,
)
from irrun.runtime.lowering.builder import I64 as LONG
from irrun.runtime.lowering.chains import ChainValue, Expression
from irrun.runtime.lowering.copies import emit_contiguous, emit_copy, likely_order, part_of, table_of_axes
from irrun.runtime.symbolic import Number, is_same, largest
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import dtype_text
from irrun_kernels.axes import walk_bytes
from irrun_kernels.elements import I64, U8, U16, U32, kind_of
from irrun_kernels.native import NOWHERE
from irrun_kernels.scatters import REDUCTIONS, Scatter, scatter

_BY_WIDTH = {1: U8, 2: U16, 4: U32, 8: I64}


def emit_places(builder: Builder, indices: Operand, x: Operand, first: int, *, wraps: bool = True) -> View:
    """The places in an array that tuples of indices name, in elements; those outside of it are far below 0.

    ``indices`` are [..., n], for the n axes from the ``first`` one on.
    """
    e = Expression(builder)
    places = []
    for number in range(int(indices.shape[-1])):
        index = e.computed(e.read(emit_contiguous(builder, indices[..., number])))._replace(kind="q")
        size, step = x.shape[first + number], x.strides[first + number] // x.itemsize
        limits = (e.read(builder.view(builder.numbers([each])).reshape(())) for each in (size, step))
        places.append(e("place_from_end" if wraps else "place", index, *limits))
    return e.emit(functools.reduce(functools.partial(e, "add"), places), LONG)


def emit_slices(
    builder: Builder, x: View, indices: Operand, first: int, batches: int = 0, *, wraps: bool = True
) -> tuple[View, View]:
    """The first of the slices of an array along some axes, from the ``first`` on, and the places of those that tuples
    of indices name; both broadcast to these slices, which have axes of the indices at that place.
    """
    depth, own = int(indices.shape[-1]), indices.ndim - 1 - batches
    places = emit_places(builder, indices, x, first, wraps=wraps)
    between, after = (None,) * (first - batches), (None,) * (x.ndim - first - depth)
    spread = places[(*(slice(None),) * batches, *between, *(slice(None),) * own, *after)]
    return x[(*(slice(None),) * first, *(0,) * depth, *(None,) * own, ...)], spread


def emit_scatter(
    builder: Builder,
    updates: Operand,
    target: View,
    places: View,
    reduction: str = "none",
    *,
    checked: bool = True,
) -> None:
    """Update a target, which broadcasts to the updates as ``places`` do: those outside are errors if ``checked``."""
    width = target.itemsize
    kind = _BY_WIDTH.get(width) if reduction == "none" else kind_of(target.dtype)
    if kind is None or updates.dtype != target.dtype or (target.dtype == np.bool_ and reduction != "none"):
        raise Unsupported(f"updates of {dtype_text(updates.dtype)} for {dtype_text(target.dtype)}")
    whole, place = (broadcast(builder, array, updates.shape) for array in (target, places))
    order = sorted(likely_order(whole), key=lambda axis: whole.ndim if is_same(place.strides[axis], 0) else axis)
    axes, tables = table_of_axes(builder, [updates, target, places], updates.shape, order)
    x, out, at = map(builder.address, (updates, target, places))
    _, tasks = share(largest(updates.size, 1), 0.5 * updates.size)
    misfit = builder.failure if checked else NOWHERE
    arguments = Scatter(x, out, at, misfit, axes, kind, width, REDUCTIONS.index(reduction), tasks)
    builder.call(scatter, arguments, tasks, walk_bytes(updates.ndim, 3), tables)


@lowers(GatherV1, GatherV7, GatherV8)
def lower_gather(
    op: GatherV1 | GatherV7 | GatherV8, builder: Builder, data: Operand, indices: Operand, axis: Operand
) -> View:
    """Slices along an axis; a view for a single constant index."""
    along = _axis(axis, data)
    batches = 0 if isinstance(op, GatherV1) else op.batch_dims + (indices.ndim if op.batch_dims < 0 else 0)
    before = (slice(None),) * along
    known = indices if isinstance(indices, np.ndarray) else None
    wraps = isinstance(op, GatherV8) or (data.ndim == 1 and data.dtype.kind in "iu" and data.itemsize >= 4)
    if known is not None and not wraps and int(known.min()) < 0:
        raise Unsupported("negative indices, which this version leaves open")
    if known is not None and known.size == 1 and not batches:
        place, size = int(known.reshape(())), data.shape[along]
        if -size <= place < size:
            return builder.view(data)[(*before, place, *(None,) * indices.ndim, ...)]
    return emit_gather(builder, data, indices, along, batches, wraps=wraps)


def emit_gather(
    builder: Builder, data: Operand, indices: Operand, along: int = 0, batches: int = 0, *, wraps: bool
) -> View:
    """Slices of an array along an axis, where negative indices count from the end if it ``wraps``."""
    _require_elements(data.shape[along])
    if data.shape[:batches] != indices.shape[:batches]:
        raise Unsupported("batches of different sizes")
    source, places = emit_slices(builder, builder.view(data), indices[..., None], along, batches, wraps=wraps)
    shape = (*data.shape[:along], *indices.shape[batches:], *data.shape[along + 1 :])
    is_alike = indices.ndim - batches == 1
    out = empty_as(builder, data, data.dtype, shape) if is_alike else builder.empty(shape, data.dtype)
    return emit_copy(builder, source, out, places)


@lowers(GatherElements)
def lower_gather_elements(op: GatherElements, builder: Builder, data: Operand, indices: Operand) -> View:
    """Elements at other places of an axis."""
    if not data.ndim:
        raise Unsupported("a scalar")
    along = op.axis % data.ndim
    others = (*data.shape[:along], *data.shape[along + 1 :])
    _require_elements(*data.shape)
    if others != (*indices.shape[:along], *indices.shape[along + 1 :]):
        raise Unsupported("indices that do not fit the data")
    places = emit_places(builder, indices[..., None], data, along)
    out = builder.empty(indices.shape, data.dtype)
    return emit_copy(builder, data[(*(slice(None),) * along, 0, None)], out, places, checked=True)


@lowers(GatherNDV5, GatherNDV8)
def lower_gather_nd(op: GatherNDV5 | GatherNDV8, builder: Builder, data: Operand, indices: Operand) -> View:
    """Elements or slices at tuples of indices."""
    batches, depth = op.batch_dims, int(indices.shape[-1])
    _require_elements(depth, *data.shape)
    if data.shape[:batches] != indices.shape[:batches]:
        raise Unsupported("batches of different sizes")
    out = builder.empty((*indices.shape[:-1], *data.shape[batches + depth :]), data.dtype)
    source, places = emit_slices(builder, builder.view(data), indices, batches, batches)
    emit_copy(builder, source, out, places, checked=True)
    if isinstance(op, GatherNDV5) and batches > 1:
        return out.reshape(-1, *out.shape[batches:])
    return out


@lowers(ScatterUpdate)
def lower_scatter_update(
    _op: ScatterUpdate, builder: Builder, data: Operand, indices: Operand, updates: Operand, axis: Operand
) -> View:
    """A copy with other slices along an axis."""
    along = _axis(axis, data)
    if updates.shape != (*data.shape[:along], *indices.shape, *data.shape[along + 1 :]):
        raise Unsupported("updates that do not fit the indices")
    _require_elements(*data.shape)
    out = _emit_copy_of(builder, data, updates)
    emit_scatter(builder, updates, *emit_slices(builder, out, indices[..., None], along))
    return out


@lowers(ScatterElementsUpdateV3, ScatterElementsUpdateV12)
def lower_scatter_elements_update(
    op: ScatterElementsUpdateV3 | ScatterElementsUpdateV12,
    builder: Builder,
    data: Operand,
    indices: Operand,
    updates: Operand,
    axis: Operand,
) -> View:
    """A copy with other elements, or combined ones."""
    reduction = op.reduction if isinstance(op, ScatterElementsUpdateV12) else "none"
    along = _axis(axis, data)
    if reduction == "mean" or (isinstance(op, ScatterElementsUpdateV12) and not op.use_init_val):
        raise Unsupported("reduction mean, or of the updates alone")
    within = (number == along or size <= data.shape[number] for number, size in enumerate(indices.shape))
    if indices.shape != updates.shape or not all(within):
        raise Unsupported("updates that do not fit the indices")
    _require_elements(*data.shape)
    out = _emit_copy_of(builder, data, updates)
    places = emit_places(builder, indices[..., None], out, along)
    before, after = (tuple(map(slice, part)) for part in (indices.shape[:along], indices.shape[along + 1 :]))
    target = out[(*before, 0, None, *after)]
    emit_scatter(builder, updates, target, places, reduction)
    return out


@lowers(ScatterNDUpdateV4, ScatterNDUpdateV15)
def lower_scatter_nd_update(
    op: ScatterNDUpdateV4 | ScatterNDUpdateV15, builder: Builder, data: Operand, indices: Operand, updates: Operand
) -> View:
    """A copy with other elements or slices at tuples of indices, or combined ones."""
    depth = int(indices.shape[-1])
    _require_elements(depth, *data.shape)
    if updates.shape != (*indices.shape[:-1], *data.shape[depth:]):
        raise Unsupported("updates that do not fit the indices")
    reduction = op.reduction if isinstance(op, ScatterNDUpdateV15) else "none"
    out = _emit_copy_of(builder, data, updates)
    emit_scatter(builder, updates, *emit_slices(builder, out, indices, 0), reduction)
    return out


def _axis(axis: Operand, data: Operand) -> int:
    """The axis that an input names."""
    if not isinstance(axis, np.ndarray):
        raise Unsupported("an axis that depends on values")
    if not data.ndim:
        raise Unsupported("a scalar")
    return int(axis.reshape(-1)[0]) % data.ndim


def _require_elements(*sizes: Number) -> None:
    """Raise Unsupported for axes without elements, and for tuples of no index."""
    if 0 in sizes:
        raise Unsupported("an axis without elements")


def _emit_copy_of(builder: Builder, data: Operand, updates: Operand) -> View:
    """A copy of what is updated."""
    if data.dtype != updates.dtype:
        raise Unsupported(f"updates of {dtype_text(updates.dtype)} for {dtype_text(data.dtype)}")
    return emit_copy(builder, data, empty_as(builder, data, data.dtype))


@lowers(OneHotV1, OneHotV16, numbers=(1,))
def lower_one_hot(
    op: OneHotV1 | OneHotV16, builder: Builder, indices: Operand, depth: Operand, on_value: Operand, off_value: Operand
) -> View:
    """The off value everywhere, and the on value where indices say."""
    if on_value.dtype != off_value.dtype:
        raise Unsupported("values of different types")
    axis, classes = op.axis % (indices.ndim + 1), integers(depth, "the number of classes")[0]
    out = builder.empty((*indices.shape[:axis], classes, *indices.shape[axis:]), on_value.dtype)
    emit_copy(builder, off_value, out)
    wraps = isinstance(op, OneHotV16) and op.negative_indices_mode == "normalize"
    places = emit_places(builder, indices[..., None], out, axis, wraps=wraps)
    target = part_of(out, *(slice(None),) * axis, 0)
    emit_scatter(builder, broadcast(builder, on_value, indices.shape), target, places, checked=False)
    return out


_MIDDLE = 8
"""The code of 4 bits that is the first negative one."""


@lowers(FusedPackedGather)
def lower_packed_gather(op: FusedPackedGather, builder: Builder, indices: Operand) -> View:
    """Pick codes, zeros and scales, and compute (code - zero) * scale, or (number - zero) * scale with a table."""
    stored = op.stored
    is_packed = isinstance(stored, Nibbles)
    signed = isinstance(stored, Nibbles) and stored.signed

    def rows_of(weights: Array, places: Operand = indices, wraps: bool = op.from_end) -> View:
        return emit_gather(builder, weights, places, wraps=wraps)

    if isinstance(stored, Lookup):
        numbers = rows_of(stored.of_bytes, rows_of(stored.stored), wraps=False)
        codes = numbers.reshape((*indices.shape, *stored.shape[1:]))
    else:
        codes = rows_of(stored.pairs if isinstance(stored, Nibbles) else stored)
    sides = [None if side is None else rows_of(side) for side in (op.zero, op.scale)]
    parts = [_emit_decompressed(builder, codes, part, signed, sides) for part in ((0, 1) if is_packed else (None,))]
    shape = (*indices.shape, *op.row)
    if len(parts) == 1:
        return parts[0].reshape(shape)
    out = builder.empty((*parts[0].shape, len(parts)), F32)
    for number, part in enumerate(parts):
        emit_copy(builder, part, out[..., number])
    return out.reshape(shape)


def _emit_decompressed(builder: Builder, codes: View, part: int | None, signed: bool, sides: list[View | None]) -> View:
    """The numbers that codes stand for, or each second one of codes of 4 bits."""
    e = Expression(builder)
    value = e.read(codes)
    if part is not None:
        value = _nibble(e, value, part, signed)
    value = value if value.kind == "f" else e("to_f", value)
    for name, side in zip(("subtract", "multiply"), sides, strict=True):
        if side is not None:
            step = 1 if part is None or side.shape[-1] == 1 else 2
            value = e(name, value, e.read(side[..., (part or 0) % step :: step]))
    return e.emit(value, F32)


def _nibble(e: Expression, byte: ChainValue, part: int, signed: bool) -> ChainValue:
    whole = e("to_q", byte)
    code = e("bitwise_and" if part == 0 else "right_shift", whole, e.number(15 if part == 0 else 4, "q"))
    if not signed:
        return code
    return e("subtract", e("bitwise_xor", code, e.number(_MIDDLE, "q")), e.number(_MIDDLE, "q"))

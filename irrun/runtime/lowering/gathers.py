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
from irrun.runtime.lowering.builder import F32, I64, Builder, Unsupported, broadcast, empty_as, integers, lowers, share
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.copies import emit_contiguous, emit_copy, likely_order, part_of, table_of_axes
from irrun.runtime.symbolic import Number, is_same, largest
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import dtype_text
from irrun_kernels.axes import walk_bytes
from irrun_kernels.elements import KINDS
from irrun_kernels.native import NOWHERE
from irrun_kernels.scatters import REDUCTIONS, Scatter, scatter


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
    return e.emit(functools.reduce(functools.partial(e, "add"), places), I64)


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
    builder: Builder, updates: Operand, target: View, places: View, reduction: str = "none", *, checked: bool = True
) -> None:
    """Update a target, which broadcasts to the updates as ``places`` do: those outside are errors if ``checked``."""
    width = target.itemsize
    kind = KINDS.get(np.dtype(f"i{width}") if reduction == "none" else target.dtype)
    if kind is None or updates.dtype != target.dtype:
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
    return _emit_gather(builder, data, indices[..., None], along, batches, wraps=wraps)


def _emit_gather(
    builder: Builder,
    data: Operand,
    indices: Operand,
    first: int = 0,
    batches: int = 0,
    *,
    wraps: bool = True,
    checked: bool = False,
) -> View:
    """The slices of `emit_slices`; indices outside are errors if ``checked``, otherwise their slices are zeros."""
    depth = int(indices.shape[-1])
    _require_elements(depth, *data.shape[first : first + depth])
    if data.shape[:batches] != indices.shape[:batches]:
        raise Unsupported("batches of different sizes")
    source, places = emit_slices(builder, builder.view(data), indices, first, batches, wraps=wraps)
    shape = (*data.shape[:first], *indices.shape[batches:-1], *data.shape[first + depth :])
    is_alike = indices.ndim - 1 - batches == depth == 1
    out = empty_as(builder, data, data.dtype, shape) if is_alike else builder.empty(shape, data.dtype)
    return emit_copy(builder, source, out, places, checked=checked)


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
    out = _emit_gather(builder, data, indices, op.batch_dims, op.batch_dims, checked=True)
    if isinstance(op, GatherNDV5) and op.batch_dims > 1:
        return out.reshape(-1, *out.shape[op.batch_dims :])
    return out


@lowers(ScatterUpdate)
def lower_scatter_update(
    _op: ScatterUpdate, builder: Builder, data: Operand, indices: Operand, updates: Operand, axis: Operand
) -> View:
    """A copy with other slices along an axis."""
    return _emit_updated(builder, data, indices[..., None], updates, _axis(axis, data))


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
    reduction = op.reduction if isinstance(op, ScatterNDUpdateV15) else "none"
    return _emit_updated(builder, data, indices, updates, 0, reduction)


def _emit_updated(
    builder: Builder, data: Operand, indices: Operand, updates: Operand, first: int, reduction: str = "none"
) -> View:
    """A copy whose slices that tuples of indices name, along the axes from the ``first`` on, are updated."""
    depth = int(indices.shape[-1])
    _require_elements(depth, *data.shape)
    if updates.shape != (*data.shape[:first], *indices.shape[:-1], *data.shape[first + depth :]):
        raise Unsupported("updates that do not fit the indices")
    out = _emit_copy_of(builder, data, updates)
    emit_scatter(builder, updates, *emit_slices(builder, out, indices, first), reduction)
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


@lowers(FusedPackedGather)
def lower_packed_gather(op: FusedPackedGather, builder: Builder, indices: Operand) -> View:
    """Pick codes, zeros and scales, and compute (number - zero) * scale, where each code stands for a number."""
    stored = op.stored.as_lookup() if isinstance(op.stored, Nibbles) else op.stored
    e = Expression(builder)

    def rows_of(weights: Array) -> View:
        return _emit_gather(builder, weights, indices[..., None], wraps=op.from_end)

    if isinstance(stored, Lookup):
        codes = rows_of(stored.stored)
        numbers = _emit_gather(builder, stored.of_bytes, codes[..., None], wraps=False)
        value = e.read(numbers.reshape((*indices.shape, *stored.shape[1:])))
    else:
        value = e("to_f", e.read(rows_of(stored)))
    for name, side in (("subtract", op.zero), ("multiply", op.scale)):
        if side is not None:
            value = e(name, value, e.read(rows_of(side)))
    return e.emit(value, F32).reshape((*indices.shape, *op.row))

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from irrun.kernels.gather import gather
from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.departures import NO_ELEMENTS, Departure, Layer, constant, is_empty
from irrun.ops.refuting import Refutation, unless_one_fits
from irrun.ops.shapes import merge_dims, normalize_axis, single_axis
from irrun.tensor.element_type import ANY, F32, I32, I64, INTEGER

T = TypeVar("T", ANY)
Known = Sequence[Fact | None] | None


def _negative_indices(op: GatherV1 | GatherV7, layer: Layer) -> str | None:
    data, indices = layer.inputs[:2]
    value, axis = indices.constant, constant(layer, 2)
    if value is None or not value.size or int(value.min()) >= 0 or data.is_constant or layer.is_constant():
        return None
    batches = op.batch_dims if isinstance(op, GatherV7) else 0
    if axis is not None and data.rank and is_counted_from_end(data, indices, int(axis.reshape(-1)[0]), batches):
        return None
    does = "reads beyond its memory" if data.rank == 1 and data.type in (F32, I32, I64) else "gives zeros"
    return f"{does} for the negative indices of a Gather before opset8, such as {int(value.min())}"


_NO_INDICES: Final = Departure("crashes the process where a Gather has no indices", lambda _, layer: is_empty(layer, 1))
_NEGATIVE: Final = Departure("returns zeros for negative indices, or reads beyond its memory", _negative_indices)


@op("Gather", opset=1)
class GatherV1(Op):
    """Gather slices along an axis, by index.

    Note: the page requires indices from 0 on. As in OpenVINO, negative indices count from the end where data and
    indices are constant, and for a single constant index if the axis has a known size and all axes before it have size
    1; others yield zeros. For 1D integer data they always count from the end, as in shape arithmetic, where OpenVINO's
    CPU plugin may read out of bounds.
    """

    departures = {"empty": _NO_INDICES, "negative": _NEGATIVE}
    workarounds = {"empty": NO_ELEMENTS, "negative": "Gather of opset8"}

    inputs = (
        In("data", T),
        In("indices", INTEGER, "indices of slices, from 0 on"),
        In("axis", INTEGER, "the axis of data that is indexed, one element", rank=(0, 1)),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS

    def infer(self, data: Fact, indices: Fact, axis: Fact) -> Shape:
        return _shape(data, indices, axis, 0)

    def refute(self, declared: Sequence[Shape], data: Fact, indices: Fact, axis: Fact) -> Iterator[Refutation]:
        return _refuted(declared[0], data, indices, 0)

    def run(self, data: Array, indices: Array, axis: Array, *, facts: Known = None) -> Array:
        where = _axis(axis, data)
        return gather(data, indices, where, 0, from_end=_counts_from_end(data, where, 0, facts))


@op("Gather", opset=7)
class GatherV7(Op):
    """Gather slices along an axis, by index; the leading batch axes of data and indices correspond.

    Note: the page requires indices from 0 on. As in OpenVINO, negative indices count from the end where data and
    indices are constant, and for a single constant index if the axis has a known size and all axes before it have size
    1; others yield zeros. For 1D integer data they always count from the end, as in shape arithmetic, where OpenVINO's
    CPU plugin may read out of bounds.
    """

    departures = {"empty": _NO_INDICES, "negative": _NEGATIVE}
    workarounds = {"empty": NO_ELEMENTS, "negative": "Gather of opset8"}

    inputs = (
        In("data", T),
        In("indices", INTEGER, "indices of slices, from 0 on"),
        In("axis", INTEGER, "the axis of data that is indexed, one element", rank=(0, 1)),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS

    batch_dims: int = attr(0, doc="number of leading batch axes; negative counts from the rank of indices")

    def infer(self, data: Fact, indices: Fact, axis: Fact) -> Shape:
        return _shape(data, indices, axis, self.batch_dims)

    def refute(self, declared: Sequence[Shape], data: Fact, indices: Fact, axis: Fact) -> Iterator[Refutation]:
        return _refuted(declared[0], data, indices, self.batch_dims)

    def run(self, data: Array, indices: Array, axis: Array, *, facts: Known = None) -> Array:
        where = _axis(axis, data)
        batches = _batches(self.batch_dims, indices.ndim)
        return gather(data, indices, where, batches, from_end=_counts_from_end(data, where, self.batch_dims, facts))


@op("Gather", opset=8)
class GatherV8(Op):
    """Gather slices along an axis, by index; the leading batch axes of data and indices correspond.

    Negative indices count from the end of the axis; indices outside it yield zeros.
    """

    departures = {"empty": _NO_INDICES}
    workarounds = {"empty": NO_ELEMENTS}

    inputs = (
        In("data", T),
        In("indices", INTEGER, "indices of slices; negative ones count from the end"),
        In("axis", INTEGER, "the axis of data that is indexed, one element", rank=(0, 1)),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS

    batch_dims: int = attr(0, doc="number of leading batch axes; negative counts from the rank of indices")

    def infer(self, data: Fact, indices: Fact, axis: Fact) -> Shape:
        return _shape(data, indices, axis, self.batch_dims)

    def refute(self, declared: Sequence[Shape], data: Fact, indices: Fact, axis: Fact) -> Iterator[Refutation]:
        return _refuted(declared[0], data, indices, self.batch_dims)

    def run(self, data: Array, indices: Array, axis: Array) -> Array:
        return gather(data, indices, _axis(axis, data), _batches(self.batch_dims, indices.ndim), from_end=True)


def is_counted_from_end(data: Fact, indices: Fact, axis: int, batch_dims: int) -> bool:
    """Return whether the single constant index of a layer before opset8 counts from the end, given the data's fact."""
    value = indices.constant
    if value is None or value.size != 1 or _batches(batch_dims, value.ndim) > 0 or data.shape.dims is None:
        return False
    return data.shape[axis].is_static and all(dim == 1 for dim in data.shape[:axis])


def _counts_from_end(data: Array, axis: int, batch_dims: int, facts: Known) -> bool:
    """Return whether negative indices count from the end before opset8; ``facts`` are those of the inputs, if any."""
    if data.ndim == 1 and data.dtype.kind in "iuO" and data.dtype.itemsize >= 4:
        return True
    if facts is None:
        return False
    of_data, indices, _ = facts
    if of_data is None or indices is None:
        return False
    if of_data.is_constant and indices.is_constant:
        return True
    return is_counted_from_end(of_data, indices, axis, batch_dims)


def _shape(data: Fact, indices: Fact, axis: Fact, batch_dims: int) -> Shape:
    if indices.rank is not None:
        _check_batches(batch_dims, indices.rank, "indices")
    if data.rank is not None:
        if indices.rank is not None:
            _check_batches(_batches(batch_dims, indices.rank), data.rank, "data")
        if data.rank == 0:
            raise OpError("data is a scalar, expected a tensor of rank 1 or more", input=0)
    if data.shape.dims is None or indices.shape.dims is None:
        return Shape.unknown()
    batches = _batches(batch_dims, len(indices.shape))
    where = single_axis(axis, len(data.shape), input=2)
    pairs = zip(data.shape[:batches], indices.shape[:batches], strict=True)
    common = [merge_dims(a, b, f"size {i} of data and indices", input=1) for i, (a, b) in enumerate(pairs)]
    if where is None:
        return Shape([*common, *[Dim()] * (len(data.shape) + len(indices.shape) - 2 * batches - 1)])
    if where < batches:
        raise OpError(f"axis {where} is one of the {batches} batch axes", input=2)
    return Shape([*common, *data.shape[batches:where], *indices.shape[batches:], *data.shape[where + 1 :]])


def _refuted(declared: Shape, data: Fact, indices: Fact, batch_dims: int) -> Iterator[Refutation]:
    """Refute the result of an unknown axis that fits no axis of data."""
    if data.shape.dims is None or indices.shape.dims is None:
        return
    batches = _batches(batch_dims, len(indices.shape))
    among = (
        (*data.shape[:axis], *indices.shape[batches:], *data.shape[axis + 1 :])
        for axis in range(batches, len(data.shape))
    )
    what = f"indices {indices.shape} of no axis of data {data.shape} have such a result"
    yield from unless_one_fits(declared, among, what)


def _check_batches(batch_dims: int, rank: int, name: str) -> None:
    if not -rank <= batch_dims <= rank:
        raise OpError(f"batch_dims is {batch_dims}, but {name} has rank {rank}", attribute="batch_dims")


def _batches(batch_dims: int, rank: int) -> int:
    return batch_dims + rank if batch_dims < 0 else batch_dims


def _axis(axis: Array, data: Array) -> int:
    return normalize_axis(int(axis.reshape(-1)[0]), data.ndim, attribute=None, input=2)

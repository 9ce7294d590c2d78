from __future__ import annotations

from collections.abc import Sequence

from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.movement.slicing import bounds_of, integers, python_slice, sliced
from irrun.ops.shapes import axes_of, normalize_axis
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


@op("Slice", opset=8)
class Slice(Op):
    """Select the elements from start to stop, every step-th one, along the given axes.

    The rules are those of Python's ``data[start:stop:step]``.

    Note: a start before the first element is the first element, also for a negative step, as in OpenVINO and ONNX.
    """

    inputs = (
        In("data", T, "the tensor to slice"),
        In("start", INTEGER, "the first index of each axis; negative ones count from the end", rank=1),
        In("stop", INTEGER, "the index past the last of each axis", rank=1),
        In("step", INTEGER, "the distance of indices of each axis, not 0", rank=1),
        In("axes", INTEGER, "the axes to slice; the leading ones where absent", optional=True, rank=1),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    def infer(self, data: Fact, start: Fact, stop: Fact, step: Fact, axes: Fact | None) -> Shape:
        return sliced_shape(data, start, stop, step, axes, first_input=1)

    def run(self, data: Array, start: Array, stop: Array, step: Array, axes: Array | None) -> Array:
        return data[slices(data.shape, start, stop, step, axes)]


def sliced_shape(data: Fact, start: Fact, stop: Fact, step: Fact, axes: Fact | None, *, first_input: int) -> Shape:
    """Return the shape of a slice; ``first_input`` is the port of start, the others follow it."""
    _check_lengths([start, stop, step] if axes is None else [start, stop, step, axes], first_input)
    paces = step.dims()
    if paces is not None and any(pace == 0 for pace in paces):
        raise OpError("step is 0, expected a positive or negative number", input=first_input + 2)
    if data.shape.dims is None:
        return Shape.unknown()
    rank = len(data.shape)
    if rank == 0:
        raise OpError("data is a scalar, expected a tensor of rank 1 or more", input=0)
    count = _length(start, stop, step, axes)
    if count is not None and count > rank:
        raise OpError(f"start has {count} elements for a tensor of rank {rank}", input=first_input)
    where = _axes(axes, count, rank, first_input + 3)
    any_part = [Dim(0, size.hi) for size in data.shape]
    if where is None:
        return Shape(any_part)
    firsts, lasts = bounds_of(start), bounds_of(stop)
    dims = list(data.shape)
    for index, axis in enumerate(where):
        if firsts is None or lasts is None or paces is None:
            dims[axis] = any_part[axis]
        else:
            dims[axis] = sliced(dims[axis], firsts[index], lasts[index], paces[index])
    return Shape(dims)


def slices(shape: tuple[int, ...], start: Array, stop: Array, step: Array, axes: Array | None) -> tuple[slice, ...]:
    """Return the index expression for a slice of an array of this shape."""
    firsts, lasts, paces = integers(start), integers(stop), integers(step)
    where = range(len(firsts)) if axes is None else integers(axes)
    index = [slice(None)] * len(shape)
    for axis, first, last, pace in zip(where, firsts, lasts, paces, strict=True):
        if pace == 0:
            raise OpError("step is 0, expected a positive or negative number")
        place = normalize_axis(axis, len(shape), attribute=None)
        index[place] = python_slice(shape[place], first, last, pace)
    return tuple(index)


def _length(*lists: Fact | None) -> int | None:
    sizes = (fact.shape[0] for fact in lists if fact is not None and fact.shape.dims is not None)
    return next((size.lo for size in sizes if size.is_static), None)


def _check_lengths(lists: Sequence[Fact], first_input: int) -> None:
    for index, fact in enumerate(lists[1:], start=1):
        if not fact.shape.compatible(lists[0].shape):
            names = ("start", "stop", "step", "axes")
            raise OpError(
                f"{names[index]} has {fact.shape[0]} elements but start has {lists[0].shape[0]}",
                input=first_input + index,
            )


def _axes(axes: Fact | None, count: int | None, rank: int, input: int) -> Sequence[int] | None:
    if axes is None:
        return None if count is None else range(count)
    where = axes_of(axes, rank, input=input)
    if where is not None and len(set(where)) != len(where):
        raise OpError(f"axes are {list(axes.ints() or ())}, expected each axis once", input=input)
    return where

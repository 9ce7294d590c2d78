from __future__ import annotations

from collections.abc import Iterator, Sequence

from irrun.diagnostics import amount
from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops._declared.movement.slicing import bounds_of, integers, python_slice, sliced
from irrun.ops.refuting import Refutation, unless_few_differ
from irrun.ops.shapes import normalize_axis
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


@op("Slice", opset=8)
class Slice(Op):
    """Select the elements from start to stop, every step-th one, along the given axes.

    The rules are those of Python's ``data[start:stop:step]``.

    Note: a start before the first element is the first element, also for a negative step, as in OpenVINO and ONNX.
    """

    workspace = 8
    inputs = (
        In("data", T, "the tensor to slice"),
        In("start", INTEGER, "the first index of each axis; negative ones count from the end", rank=1),
        In("stop", INTEGER, "the index past the last of each axis", rank=1),
        In("step", INTEGER, "the distance between indices along each axis, not 0", rank=1),
        In("axes", INTEGER, "the axes to slice; the leading ones where absent", optional=True, rank=1),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS

    def infer(self, data: Fact, start: Fact, stop: Fact, step: Fact, axes: Fact | None) -> Shape:
        return sliced_shape(data, start, stop, step, axes, first_input=1)

    def refute(
        self, declared: Sequence[Shape], data: Fact, start: Fact, stop: Fact, step: Fact, axes: Fact | None
    ) -> Iterator[Refutation]:
        count = _length(start, stop, step, axes)
        if data.shape.dims is not None and count is not None:
            what = f"more than {amount(count, 'axis', 'axes')} of data {data.shape} differ"
            yield from unless_few_differ(declared[0], data.shape.dims, count, what)

    def run(self, data: Array, start: Array, stop: Array, step: Array, axes: Array | None) -> Array:
        return data[slices(data.shape, start, stop, step, axes)]


def sliced_shape(data: Fact, start: Fact, stop: Fact, step: Fact, axes: Fact | None, *, first_input: int) -> Shape:
    """Return the shape of a slice. ``first_input`` is the port of start; stop, step and axes follow it."""
    _check_lengths([start, stop, step] if axes is None else [start, stop, step, axes], first_input)
    steps = step.dims()
    if steps is not None and any(item == 0 for item in steps):
        raise OpError("step is 0, expected a positive or negative number", input=first_input + 2)
    if data.shape.dims is None:
        return Shape.unknown()
    rank = len(data.shape)
    if rank == 0:
        raise OpError("data is a scalar, expected a tensor of rank 1 or more", input=0)
    count = _length(start, stop, step, axes)
    if count is not None and count > rank:
        raise OpError(f"start has {amount(count, 'element')} for a tensor of rank {rank}", input=first_input)
    sliced_axes = _axes(axes, count, rank, first_input + 3)
    any_length = [Dim(0, size.hi) for size in data.shape]
    if sliced_axes is None:
        return Shape(any_length)
    starts, stops = bounds_of(start), bounds_of(stop)
    dims = list(data.shape)
    for index, axis in enumerate(sliced_axes):
        if starts is None or stops is None or steps is None:
            dims[axis] = any_length[axis]
        else:
            dims[axis] = sliced(dims[axis], starts[index], stops[index], steps[index])
    return Shape(dims)


def slices(shape: tuple[int, ...], start: Array, stop: Array, step: Array, axes: Array | None) -> tuple[slice, ...]:
    """Return the index expression for a slice of an array of this shape."""
    starts, stops, steps = integers(start), integers(stop), integers(step)
    sliced_axes = _distinct(range(len(starts)) if axes is None else integers(axes), len(shape))
    index = [slice(None)] * len(shape)
    for axis, first, stop_before, distance in zip(sliced_axes, starts, stops, steps, strict=True):
        if distance == 0:
            raise OpError("step is 0, expected a positive or negative number")
        index[axis] = python_slice(shape[axis], first, stop_before, distance)
    return tuple(index)


def _length(*lists: Fact | None) -> int | None:
    """Return the common length of the lists, if any of them shows it."""
    sizes = (fact.shape[0] for fact in lists if fact is not None and fact.shape.dims is not None)
    return next((size.lo for size in sizes if size.is_static), None)


def _check_lengths(lists: Sequence[Fact], first_input: int) -> None:
    for index, fact in enumerate(lists[1:], start=1):
        if not fact.shape.compatible(lists[0].shape):
            names = ("start", "stop", "step", "axes")
            raise OpError(
                f"{names[index]} has {amount(fact.shape[0], 'element')} but start has {lists[0].shape[0]}",
                input=first_input + index,
            )


def _axes(axes: Fact | None, count: int | None, rank: int, input: int) -> Sequence[int] | None:
    if axes is None:
        return None if count is None else range(count)
    known = axes.ints()
    return None if known is None else _distinct(known, rank, input=input)


def _distinct(axes: Sequence[int], rank: int, *, input: int | None = None) -> list[int]:
    """Return the axes counted from the front; OpError if the tensor does not have one, or one is repeated."""
    result = [normalize_axis(axis, rank, attribute=None, input=input) for axis in axes]
    if len(set(result)) != len(result):
        raise OpError(f"axes are {list(axes)}, expected each axis once", input=input)
    return result

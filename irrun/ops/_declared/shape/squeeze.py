from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from irrun.ops import Array, Dim, Fact, Fold, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops.declaration import CUT
from irrun.ops.refuting import Refutation, inserted
from irrun.ops.shapes import axes_of, drop_axes, normalize_axis
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


@op("Squeeze", opset=1)
class SqueezeV1(Op):
    """Drop axes of size 1: those listed, or all of them.

    A listed axis of another size is kept. As the page says, a listed axis of unknown size is assumed to be 1 in shape
    inference.
    """

    inputs = (
        In("data", T),
        In("axes", INTEGER, "the axes; negative ones count from the end", optional=True, rank=(0, 1), also=CUT),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS
    view = True

    def infer(self, data: Fact, axes: Fact | None) -> Shape:
        return _shape(data, axes, may_stay=False)

    def refute(self, declared: Sequence[Shape], data: Fact, axes: Fact | None) -> Iterator[Refutation]:
        return _refuted(declared[0], data, axes)

    def run(self, data: Array, axes: Array | None) -> Array:
        return _run(data, axes)


@op("Squeeze", opset=15)
class SqueezeV15(Op):
    """Drop axes of size 1: those listed, or all of them.

    A listed axis of another size is kept. A listed axis of unknown size is assumed to be 1 in shape inference, unless
    ``allow_axis_skip`` makes the rank unknown.
    """

    inputs = (
        In("data", T),
        In("axes", INTEGER, "the axes; negative ones count from the end", optional=True, rank=(0, 1), also=CUT),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS
    view = True

    allow_axis_skip: bool = attr(False, doc="whether a listed axis of unknown size makes the rank unknown")

    def infer(self, data: Fact, axes: Fact | None) -> Shape:
        return _shape(data, axes, may_stay=self.allow_axis_skip)

    def refute(self, declared: Sequence[Shape], data: Fact, axes: Fact | None) -> Iterator[Refutation]:
        return _refuted(declared[0], data, axes)

    def run(self, data: Array, axes: Array | None) -> Array:
        return _run(data, axes)


def _shape(data: Fact, axes: Fact | None, *, may_stay: bool) -> Shape:
    if data.shape.dims is None:
        return Shape.unknown()
    rank = len(data.shape)
    listed: Collection[int] | None = () if axes is None or axes.shape == Shape([0]) else axes_of(axes, rank, input=1)
    if listed is None:
        if not any(size.admits(1) for size in data.shape):
            return data.shape
        if rank != 1 or axes is None or axes.shape.dims is None or not axes.shape.size.lo:
            return Shape.unknown()
        listed = (0,)
    if not listed:
        if any(size.admits(1) and not size.is_static for size in data.shape):
            return Shape.unknown()
        listed = range(rank)
    dropped = [axis for axis in listed if data.shape[axis].admits(1)]
    if may_stay and any(not data.shape[axis].is_static for axis in dropped):
        return Shape.unknown()
    return drop_axes(data.shape.dims, dropped)


def _refuted(declared: Shape, data: Fact, axes: Fact | None) -> Iterator[Refutation]:
    if declared.dims is None or data.shape.dims is None:
        return
    listed = Dim() if axes is None or axes.shape.dims is None or axes.shape.size.lo == 0 else axes.shape.size
    if not inserted(data.shape, declared.dims, Dim(0, listed.hi)):
        yield Refutation(f"it does not follow from data {data.shape} by dropping axes of size 1")


def _run(data: Array, axes: Array | None) -> Array:
    listed = range(data.ndim) if axes is None or axes.size == 0 else [int(axis) for axis in axes.reshape(-1).tolist()]
    dropped = {normalize_axis(axis, data.ndim, attribute=None, input=1) for axis in listed}
    return data.reshape([size for axis, size in enumerate(data.shape) if axis not in dropped or size != 1])

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from irrun.diagnostics import amount
from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.departures import LEFT_OUT
from irrun.ops.refuting import Refutation, unless_of_rank
from irrun.ops.shapes import broadcast
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


@op("Broadcast", opset=1)
class BroadcastV1(Op):
    """Repeat a tensor along axes of size 1, and along new ones, to a target shape.

    Note: ``none`` is OpenVINO's spelling of ``explicit``, and ``pdpd`` is not on the page. axes_mapping is ignored in
    the other modes, where OpenVINO writes a placeholder; without a mode it selects ``explicit``.
    """

    departures = {"scalar": "crashes where the target is a scalar"}
    workarounds = {"scalar": LEFT_OUT}

    inputs = (
        In("data", T, "the tensor to repeat"),
        In("target_shape", INTEGER, "the shape of the result", rank=1),
        In("axes_mapping", INTEGER, "the axis of the result for each axis of data, ascending", optional=True),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS

    mode: Literal["numpy", "explicit", "none", "pdpd"] | None = attr(
        None, doc="rule for matching axes of data with axes of the result; numpy without axes_mapping"
    )
    axis: int = attr(
        0, name="mode.auto_broadcast_axis", doc="the axis of the result for the first axis of data, for pdpd", ge=-1
    )

    def infer(self, data: Fact, target_shape: Fact, axes_mapping: Fact | None) -> Shape:
        if self._is_explicit(axes_mapping):
            return _explicit_shape(data, target_shape, axes_mapping)
        return _pdpd_shape(data, target_shape, self.axis) if self.mode == "pdpd" else _numpy_shape(data, target_shape)

    def refute(
        self, declared: Sequence[Shape], data: Fact, target_shape: Fact, axes_mapping: Fact | None
    ) -> Iterator[Refutation]:
        if self._is_explicit(axes_mapping):
            return _refuted_explicitly(declared[0], data, axes_mapping)
        return _refuted(declared[0], data) if self.mode != "pdpd" else iter(())

    def run(self, data: Array, target_shape: Array, axes_mapping: Array | None) -> Array:
        if self._is_explicit(axes_mapping):
            data = _laid_out(data, axes_mapping, target_shape.size)
        elif self.mode == "pdpd":
            data = _laid_from(data, self.axis, target_shape.size)
        return _repeated(data, target_shape)

    def _is_explicit(self, axes_mapping: Fact | Array | None) -> bool:
        return self.mode in ("explicit", "none") or (self.mode is None and axes_mapping is not None)


@op("Broadcast", opset=3)
class BroadcastV3(Op):
    """Repeat a tensor along axes of size 1, and along new ones, to a target shape.

    ``bidirectional`` broadcasts the target shape as well: the result is that of ``data * ones(target_shape)``.

    Note: the mode ``pdpd`` is not on the page; data begins at the axis ``mode.mode.axis`` of the target shape, as in
    element-wise operations.
    """

    departures = {"scalar": "crashes where the target is a scalar"}
    workarounds = {"scalar": LEFT_OUT}

    inputs = (
        In("data", T, "the tensor to repeat"),
        In("target_shape", INTEGER, "the shape of the result", rank=1),
        In(
            "axes_mapping",
            INTEGER,
            "for explicit: the axis of the result for each axis of data",
            optional=True,
            rank=1,
        ),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS

    mode: Literal["numpy", "explicit", "bidirectional", "pdpd"] = attr(
        "numpy", doc="rule for matching axes of data with axes of the result", aliases={"none": "explicit"}
    )
    axis: int = attr(0, name="mode.mode.axis", doc="the axis of the result for the first axis of data, for pdpd", ge=-1)

    def infer(self, data: Fact, target_shape: Fact, axes_mapping: Fact | None) -> Shape:
        if self.mode == "explicit":
            return _explicit_shape(data, target_shape, axes_mapping)
        if axes_mapping is not None:
            raise OpError(f"axes_mapping is given, but mode is {self.mode}; it belongs to explicit", input=2)
        if self.mode == "numpy":
            return _numpy_shape(data, target_shape)
        if self.mode == "pdpd":
            return _pdpd_shape(data, target_shape, self.axis)
        return broadcast(data.shape, target_shape.as_shape())

    def refute(
        self, declared: Sequence[Shape], data: Fact, target_shape: Fact, axes_mapping: Fact | None
    ) -> Iterator[Refutation]:
        if self.mode == "explicit":
            return _refuted_explicitly(declared[0], data, axes_mapping)
        return _refuted(declared[0], data) if self.mode != "pdpd" else iter(())

    def run(self, data: Array, target_shape: Array, axes_mapping: Array | None) -> Array:
        if self.mode == "explicit":
            data = _laid_out(data, axes_mapping, target_shape.size)
        elif self.mode == "pdpd":
            data = _laid_from(data, self.axis, target_shape.size)
        elif self.mode == "bidirectional":
            return np.broadcast_to(data, np.broadcast_shapes(data.shape, _sizes(target_shape)))
        return _repeated(data, target_shape)


def _numpy_shape(data: Fact, target_shape: Fact) -> Shape:
    target = target_shape.as_shape()
    if data.shape.dims is None or target.dims is None:
        return target
    start = len(target) - len(data.shape)
    if start < 0:
        raise OpError(f"target_shape {target} has fewer axes than data, {data.shape}", input=1)
    return _matched(data, target, range(start, len(target)))


def _explicit_shape(data: Fact, target_shape: Fact, axes_mapping: Fact | None) -> Shape:
    if axes_mapping is None:
        raise OpError("axes_mapping is missing; mode explicit requires it", input=2)
    if axes_mapping.rank is not None and axes_mapping.rank != 1:
        raise OpError(f"input 2 (axes_mapping) has rank {axes_mapping.rank}, expected 1", input=2)
    target = target_shape.as_shape()
    axes = axes_mapping.ints()
    if data.rank is not None and axes_mapping.shape.dims is not None:
        count = axes_mapping.shape[0]
        if not count.admits(data.rank) and not (data.rank == 0 and count.admits(1)):
            raise OpError(
                f"axes_mapping has {amount(count, 'element')}, expected {data.rank}, the rank of data", input=2
            )
    if axes is None or target.dims is None:
        return target
    _check_axes(axes, len(target))
    return target if data.shape.dims is None else _matched(data, target, axes)


def _pdpd_shape(data: Fact, target_shape: Fact, axis: int) -> Shape:
    target = target_shape.as_shape()
    if data.shape.dims is None or target.dims is None:
        return target
    sizes = list(data.shape)
    start = len(target) - len(sizes) if axis == -1 else axis
    while sizes and start + len(sizes) > len(target) and sizes[-1] == 1:
        sizes.pop()
    if start < 0 or start + len(sizes) > len(target):
        raise OpError(f"data {data.shape} do not fit into target_shape {target} from axis {start} on", input=1)
    return _matched(Fact(data.type, Shape(sizes)), target, range(start, start + len(sizes)))


def _matched(data: Fact, target: Shape, axes: Sequence[int]) -> Shape:
    """Return the target shape merged with the sizes of data; OpError where a size is neither 1 nor the target's."""
    dims = list(target)
    for size, axis in zip(data.shape, axes, strict=len(data.shape) > 0):
        if size.admits(1):
            continue
        merged = size.merge(dims[axis])
        if merged is None:
            raise OpError(
                f"data {data.shape} do not broadcast to {target}: {size} is neither 1 nor {dims[axis]}", input=1
            )
        dims[axis] = merged
    if len(data.shape) == 0 and axes and not dims[axes[0]].admits(1):
        raise OpError(f"data are a scalar, but axis {axes[0]} of target_shape is {dims[axes[0]]}, expected 1", input=1)
    return Shape(dims)


def _refuted(declared: Shape, data: Fact) -> Iterator[Refutation]:
    """Refute a result that data aligned on the right do not broadcast to."""
    if data.shape.dims is None or declared.dims is None:
        return
    yield from unless_of_rank(declared, len(data.shape), "the rank of data")
    for axis, size in zip(reversed(range(len(declared))), reversed(data.shape), strict=False):
        if not _repeats_to(size, declared[axis]):
            yield Refutation(f"axis {axis} is {declared[axis]}, expected {size}, the size of data", axis)


def _refuted_explicitly(declared: Shape, data: Fact, axes_mapping: Fact | None) -> Iterator[Refutation]:
    """Refute a result of which no ascending axes, or not those that are known, fit data."""
    if data.shape.dims is None or declared.dims is None or axes_mapping is None:
        return
    yield from unless_of_rank(declared, len(data.shape), "the rank of data")
    known = axes_mapping.ints()
    for axis, size in zip(known or (), data.shape, strict=False):
        if axis < len(declared) and not _repeats_to(size, declared[axis]):
            yield Refutation(f"axis {axis} is {declared[axis]}, expected {size}, the size of data", axis)
    if known is not None:
        return
    left = iter(declared)
    if not all(any(_repeats_to(size, number) for number in left) for size in data.shape):
        yield Refutation(f"data {data.shape} fit no ascending axes of it")


def _repeats_to(size: Dim, number: Dim) -> bool:
    return size.admits(1) or size.compatible(number)


def _check_axes(axes: Sequence[int], rank: int) -> None:
    ascending = all(a < b for a, b in itertools.pairwise(axes))
    if not ascending or any(not 0 <= axis < rank for axis in axes):
        raise OpError(f"axes_mapping is {list(axes)}, expected ascending axes of a tensor of rank {rank}", input=2)


def _sizes(target_shape: Array) -> tuple[int, ...]:
    return tuple(int(size) for size in target_shape.tolist())


def _laid_out(data: Array, axes_mapping: Array | None, rank: int) -> Array:
    """Insert axes of size 1 into ``data`` wherever ``axes_mapping`` names none."""
    axes = [] if axes_mapping is None else [int(axis) for axis in axes_mapping.tolist()]
    _check_axes(axes, rank)
    shape = [1] * rank
    for axis, size in zip(axes, data.shape, strict=data.ndim > 0):
        shape[axis] = size
    return data.reshape(shape)


def _laid_from(data: Array, axis: int, rank: int) -> Array:
    """Add axes of size 1 around ``data``, so that its first axis is at ``axis``."""
    start = rank - data.ndim if axis == -1 else axis
    shape = data.shape
    while shape and start + len(shape) > rank and shape[-1] == 1:
        shape = shape[:-1]
    return data.reshape((1,) * start + shape + (1,) * (rank - start - len(shape)))


def _repeated(data: Array, target_shape: Array) -> Array:
    sizes = _sizes(target_shape)
    try:
        return np.broadcast_to(data, sizes)
    except ValueError:
        raise OpError(f"data {list(data.shape)} do not broadcast to {list(sizes)}", input=1) from None

"""The base class of reductions: inputs, attribute, and shape of the result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr
from irrun.ops.departures import LEFT_OUT, Departure, Layer, constant, is_empty
from irrun.ops.refuting import MOST_AXES, Refutation, choices, unless_one_fits
from irrun.ops.shapes import axes_of
from irrun.tensor.element_type import INTEGER, NUMERIC

T = TypeVar("T", NUMERIC)


def _has_no_axes(_: object, layer: Layer) -> bool:
    return constant(layer, 1) is not None and is_empty(layer, 1)


class Reduction(Op):
    """Reduce all elements along some axes to one value.

    An empty list of axes leaves the tensor unchanged. A scalar may be reduced along axis 0 or -1, and stays a scalar.
    """

    departures: ClassVar[Mapping[str, str | Departure]] = {
        "no axes": Departure("refuses a reduction along a constant, empty list of axes", _has_no_axes)
    }
    workarounds: ClassVar[Mapping[str, str]] = {"no axes": LEFT_OUT}

    inputs = (In("data", T), In("axes", INTEGER, "the axes to reduce, a scalar or a list", rank=(0, 1)))
    outputs = (Out("output", T),)

    keep_dims: bool = attr(False, doc="whether reduced axes stay in the shape as ones")

    def infer(self, data: Fact, axes: Fact) -> Shape:
        return reduced_shape(data.shape, axes, self.keep_dims)

    def refute(self, declared: Sequence[Shape], data: Fact, axes: Fact) -> Iterator[Refutation]:
        return refuted_reduction(declared[0], data.shape, axes, self.keep_dims)

    def run(self, data: Array, axes: Array) -> Array:
        over = reduced_axes(axes, max(data.ndim, 1))
        _check_unique(over, axes.size)
        if data.ndim == 0 and over:
            return self.reduce(data.reshape(1), over).reshape(())
        return self.reduce(data, over) if over else data

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Reduce along a nonempty list of axes."""
        raise NotImplementedError


def over_numbers(
    function: Callable[[Any, Any], Any],
    of_dims: Callable[[Dim, Any], Dim],
    data: Array,
    axes: tuple[int, ...],
    *,
    keep_dims: bool,
) -> Array:
    """Reduce an object array of integers, some of them partly known. An axis without elements gives unknown ones."""
    pair = np.frompyfunc(
        lambda a, b: of_dims(Dim.of(a), b) if isinstance(a, Dim) or isinstance(b, Dim) else function(a, b), 2, 1
    )
    for axis in reversed(axes):
        if data.shape[axis] == 0:
            sizes = [1 if index == axis else size for index, size in enumerate(data.shape)]
            data = np.full(sizes if keep_dims else np.delete(sizes, axis), Dim.anything(), object)
        else:
            data = np.asarray(pair.reduce(data, axis=axis, keepdims=keep_dims), object)
    return data


def reduced_axes(axes: Array, rank: int) -> tuple[int, ...]:
    """Return the axes counted from the front, ascending, each once; OpError where the tensor does not have one."""
    found = set()
    for axis in axes.reshape(-1).tolist():
        if not -rank <= axis < rank:
            raise OpError(f"axis {axis} is outside a tensor of rank {rank}", input=1)
        found.add(int(axis) % rank)
    return tuple(sorted(found))


def reduced_shape(data: Shape, axes: Fact, keep_dims: bool) -> Shape:
    """Return the shape after a reduction along axes, none of which may be repeated."""
    if data.dims is None:
        return data if keep_dims else Shape.unknown()
    one = Dim.exactly(1)
    known = axes_of(axes, max(len(data), 1), input=1)
    if known is not None:
        _check_unique(set(known), len(known))
    if len(data) == 0:
        return data
    if known is not None:
        return Shape(_reduced(data, known, keep_dims))
    if keep_dims:
        return Shape([dim.union(one) for dim in data])
    count = axes.shape.size
    if axes.shape.dims is None or not count.is_static or count.lo > len(data):
        return Shape.unknown()
    left = [_union(data[index : index + count.lo + 1]) for index in range(len(data) - count.lo)]
    return Shape(left)


def refuted_reduction(declared: Shape, data: Shape, axes: Fact, keep_dims: bool) -> Iterator[Refutation]:
    """Refute the result of a reduction along unknown axes that fits no choice of them."""
    if data.dims is None or not 0 < len(data) <= MOST_AXES or axes.ints() is not None:
        return
    among = (_reduced(data, chosen, keep_dims) for chosen in choices(len(data), axes.shape.size))
    yield from unless_one_fits(declared, among, f"a reduction along no axes of data {data} has this shape")


def _reduced(data: Shape, axes: Collection[int], keep_dims: bool) -> list[Dim]:
    one = Dim.exactly(1)
    dims = [one if index in axes else dim for index, dim in enumerate(data)]
    return dims if keep_dims else [dim for index, dim in enumerate(data) if index not in axes]


def _check_unique(axes: Collection[int], count: int) -> None:
    if len(axes) != count:
        raise OpError(f"{count} axes are listed, but only {len(axes)} different ones", input=1)


def _union(dims: tuple[Dim, ...]) -> Dim:
    """Return the union of several sizes."""
    found = dims[0]
    for dim in dims[1:]:
        found = found.union(dim)
    return found

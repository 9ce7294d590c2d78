"""Axes and sizes of Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from irrun.diagnostics import amount
from irrun.ops import Array, Dim, Fact, OpError, Shape
from irrun.ops.refuting import Refutation, unless_few_differ, unless_one_fits
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import I32, I64

INDEX = frozenset({I32, I64})


def checked_axes(fact: Fact, rank: int) -> tuple[int, ...] | None:
    """Return known axes, counted from the front of ``rank`` axes; OpError for an invalid one."""
    values = fact.ints()
    if values is None:
        return None
    for axis in values:
        if not -rank <= axis < rank:
            raise OpError(f"axis {axis} is outside {-rank} to {rank - 1}", input=1)
    axes = tuple(axis % rank for axis in values)
    if len(set(axes)) != len(axes):
        raise OpError(f"axes {', '.join(map(str, values))} are not different", input=1)
    return axes


def complex_dims(data: Fact) -> tuple[Dim, ...] | None:
    """Return the sizes without the last one, which must be 2; None for a dynamic rank."""
    if data.shape.dims is None:
        return None
    if len(data.shape) < 2:
        raise OpError(f"data has rank {len(data.shape)}, expected 2 or more", input=0)
    merge_dims(data.shape[-1], Dim.exactly(2), "the last size of data and that of a complex number", input=0)
    return data.shape[:-1]


def transformed(
    dims: Sequence[Dim], axes_fact: Fact, axes: tuple[int, ...] | None, signal_size: Fact | None
) -> list[Dim] | None:
    """Return the sizes of the transformed signal; None where the axes are unknown, so that any size may change."""
    count = axes_fact.shape[0] if axes_fact.shape.dims is not None else Dim()
    if count.lo > len(dims):
        raise OpError(f"got {amount(count, 'axis', 'axes')}, expected at most {len(dims)}", input=1)
    if signal_size is not None and signal_size.shape.dims is not None:
        merge_dims(count, signal_size.shape[0], "the numbers of axes and of signal sizes", input=2)
    if axes is None:
        return None if signal_size is not None else list(dims)
    result = list(dims)
    if signal_size is None:
        return result
    sizes = signal_size.dims()
    for index, axis in enumerate(axes):
        size = sizes[index] if sizes is not None else Dim.anything()
        if size.hi < -1:
            raise OpError(f"signal size {size} is below -1", input=2)
        result[axis] = dims[axis] if size == -1 else Dim() if size.lo < 0 else size
    return result


def refuted(
    declared: Shape,
    dims: Sequence[Dim],
    axes: Fact,
    signal_size: Fact | None,
    halved: Callable[[Dim], Dim] | None = None,
) -> Iterator[Refutation]:
    """Refute sizes of a signal transformed along unknown axes: of which more differ than there are axes.

    ``halved`` returns the size of the last axis, of which a real transform has only one half.
    """
    count = axes.shape.size.hi if axes.shape.dims is not None else len(dims)
    if signal_size is None and halved is not None and axes.shape.size.lo > 0:
        among = (
            [halved(size) if axis == place else size for axis, size in enumerate(dims)] for place in range(len(dims))
        )
        yield from unless_one_fits(declared, among, f"a transform of no axis of {Shape(dims)} has this size")
    elif signal_size is not None:
        what = f"more than {amount(count, 'axis', 'axes')} of {Shape(dims)} differ"
        yield from unless_few_differ(declared, dims, count, what)


def refuted_complex(declared: Shape, data: Fact, axes: Fact, signal_size: Fact | None) -> Iterator[Refutation]:
    """Refute sizes of complex data transformed along unknown axes."""
    dims = complex_dims(data)
    if dims is not None and axes.ints() is None and declared.dims:
        yield from refuted(Shape(declared[:-1]), dims, axes, signal_size)


def known_sizes(shape: Sequence[int], axes: Sequence[int], signal_size: Array | None) -> list[int]:
    """Return the size of the signal on each axis at run time."""
    if signal_size is None:
        return [shape[axis] for axis in axes]
    return [shape[axis] if size == -1 else size for axis, size in zip(axes, signal_size.tolist(), strict=True)]


def unknown(rank: int) -> list[Dim]:
    return list(Shape.unknown(rank))

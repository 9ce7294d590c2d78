"""Selects elements of a tensor by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from irrun.kernels.threads import Array


def gather(data: Array, indices: Array, axis: int, batch_dims: int, *, from_end: bool) -> Array:
    """Return slices of ``data`` along ``axis``; the leading ``batch_dims`` axes of both are batch axes.

    An index outside the axis yields zeros. With ``from_end``, negative indices count from the end.
    """
    count = indices.ndim - batch_dims
    index, outside = located(indices, data.shape[axis], from_end=from_end)
    missing = bool(outside.any())
    if missing and data.shape[axis] == 0:
        return np.zeros((*data.shape[:axis], *indices.shape[batch_dims:], *data.shape[axis + 1 :]), data.dtype)
    if batch_dims == 0:
        output = np.asarray(np.take(data, index, axis=axis), dtype=data.dtype)
    else:
        picked = np.moveaxis(data, axis, batch_dims)[(*_places(data.shape[:batch_dims], count), index)]
        output = np.moveaxis(picked, range(batch_dims, indices.ndim), range(axis, axis + count))
    if missing:
        by_index = np.moveaxis(output, range(axis, axis + count), range(batch_dims, indices.ndim))
        by_index[outside] = 0 if data.dtype != object else _blank(data)
    return output


def located(indices: Array, size: int, *, from_end: bool) -> tuple[Array, Array]:
    """Return indices into an axis, 0 where they are outside, and where that is."""
    index = indices.astype(np.int64)
    if from_end:
        index = np.where(index < 0, index + size, index)
    outside = (index < 0) | (index >= size)
    return np.where(outside, 0, index), outside


def _places(sizes: tuple[int, ...], more: int) -> tuple[Array, ...]:
    """Return the places on leading axes of these sizes, broadcast to each other and to ``more`` axes."""
    return np.ix_(*map(np.arange, (*sizes, *(1,) * more)))[: len(sizes)]


def _blank(data: Array) -> Any:
    return "" if data.size and isinstance(data.flat[0], str) else 0


def gather_elements(data: Array, indices: Array, axis: int) -> Array:
    """Return ``data[i, indices[i, j], ...]`` for every position of ``indices``; IndexError outside the axis."""
    return data[along_axis(indices, axis, data.shape[axis])]


def along_axis(indices: Array, axis: int, size: int) -> tuple[Array, ...]:
    """Return the full index of every position of ``indices``, with the value at that position on ``axis``.

    Negative values count from the end of the axis of the given size; IndexError outside it.
    """
    grid: list[Array] = list(np.ogrid[tuple(slice(length) for length in indices.shape)])
    grid[axis] = in_range(indices, size, axis)
    return tuple(grid)


def in_range(indices: Array, size: int, axis: int) -> Array:
    """Return indices counted from the front; IndexError where one is outside an axis of this size."""
    index = indices.astype(np.int64)
    outside = (index < -size) | (index >= size)
    if outside.any():
        raise IndexError(f"index {index[outside][0]} is outside axis {axis} of size {size}")
    return np.where(index < 0, index + size, index)


def gather_nd(data: Array, indices: Array, batch_dims: int) -> Array:
    """Return the elements or slices of ``data`` at the tuples along the last axis of ``indices``.

    The leading ``batch_dims`` axes are broadcast against each other; IndexError outside an axis.
    """
    depth = indices.shape[-1]
    batch = np.broadcast_shapes(data.shape[:batch_dims], indices.shape[:batch_dims])
    data = np.broadcast_to(data, batch + data.shape[batch_dims:])
    indices = np.broadcast_to(indices, batch + indices.shape[batch_dims:])
    between = indices.ndim - 1 - batch_dims
    named = tuple(
        in_range(indices[..., place], data.shape[batch_dims + place], batch_dims + place) for place in range(depth)
    )
    if not named:
        return np.broadcast_to(
            data.reshape(batch + (1,) * between + data.shape[batch_dims:]), indices.shape[:-1] + data.shape[batch_dims:]
        )
    return np.asarray(data[(*_places(batch, between), *named)], dtype=data.dtype)


def gather_tree(steps: Array, parents: Array, lengths: Array, end_token: Any) -> Array:
    """Trace the beams of a search from the token and the parent beam of each step.

    ``steps`` and ``parents`` have shape [time, batch, beam], ``lengths`` [batch]. After its length, and after its first
    ``end_token``, a beam is filled with ``end_token``. IndexError where a beam leads to a parent that does not exist.
    """
    time, batch, beam = steps.shape
    output = np.full_like(steps, end_token)
    ends = np.minimum(lengths.astype(np.int64), time)[:, np.newaxis]
    parent = np.broadcast_to(np.arange(beam), (batch, beam))
    for level in reversed(range(time)):
        inside = np.broadcast_to(level < ends, (batch, beam))
        outside = parent[(parent < 0) | (parent >= beam)]
        if outside.size:
            raise IndexError(f"parent {outside[0]} is outside {beam} beams")
        output[level] = np.where(inside, np.take_along_axis(steps[level], parent, axis=1), end_token)
        step = np.take_along_axis(parents[level], parent, axis=1).astype(np.int64)
        parent = np.where(inside, step, parent)
    ended = np.logical_or.accumulate(output == end_token, axis=0)
    output[1:][ended[:-1]] = end_token
    return output

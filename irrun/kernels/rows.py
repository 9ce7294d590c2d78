"""What is done to the rows of a matrix, a few at a time while they are in the cache, shared between threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from irrun.kernels.threads import WORTH_A_THREAD, Array, scratch, split, threads

BLOCK: Final = 1 << 16
"""Elements that are worked on at a time."""

Activation = Callable[[Array], object]
"""Overwrites an array with a function of its elements."""


_LEAST_COLUMNS: Final = 192
"""Columns of a product below which packing the other matrix takes too much of the time."""

_CHEAP: Final = 60
"""Multiply-adds that take the time of one elementary operation."""


def product(
    a: Array,
    b: Array,
    out: Array,
    bias: Array | None = None,
    summand: Array | None = None,
    activation: Activation | None = None,
    cost: float = 4,
) -> None:
    """activation(a · b + bias + summand), written to ``out``, for matrices [M, K], [K, N] and [M, N]; bias is [N].

    Threads take columns, or rows where there are many, and finish each panel while it is in the cache. ``cost`` is
    about how many elementary operations the activation takes for each element.
    """
    rows, columns = out.shape
    depth = a.shape[1]
    operations = out.size * (depth / _CHEAP + cost)
    by_rows = rows >= columns and rows >= 2 * _LEAST_COLUMNS
    length, across = (rows, columns) if by_rows else (columns, rows)
    width = max(_LEAST_COLUMNS, BLOCK // max(across, 1) // 16 * 16)
    count = max(1, -(-length // width))
    if count < threads() <= length and operations >= 2 * WORTH_A_THREAD:
        count = threads()
    count = -(-count // threads()) * threads() if 1 < count <= length - threads() else count
    width = -(-length // count)

    def work(first: int, last: int) -> None:
        for start in range(first * width, min(last * width, length), width):
            part = slice(start, min(start + width, length))
            here: tuple[slice, slice] = (part, slice(None)) if by_rows else (slice(None), part)
            block = out[here]
            np.matmul(a[here[0]], b[:, here[1]], out=block)
            if bias is not None:
                block += bias[here[1]]
            if summand is not None:
                block += summand[here]
            if activation is not None:
                activation(block)

    split(work, count, operations)


def layer_norm(
    x: Array, gamma: Array | None, beta: Array | None, eps: float, eps_outside: bool, centred: bool, out: Array
) -> None:
    """(x - mean) / sqrt(variance + eps) * gamma + beta for each row of x; ``eps_outside`` adds eps to the root instead.

    Without ``centred`` the mean is taken to be zero: the root of the mean square. ``out`` may be x.
    """
    rows, columns = x.shape
    step = max(1, BLOCK // max(columns, 1))
    count = x.dtype.type(max(columns, 1))

    def work(first: int, last: int) -> None:
        for start in range(first, last, step):
            block, target = x[start : min(start + step, last)], out[start : min(start + step, last)]
            if centred:
                mean = np.add.reduce(block, axis=1, keepdims=True)
                mean /= count
                np.subtract(block, mean, out=target)
                block = target
            deviation = np.vecdot(block, block)
            deviation /= count
            if not eps_outside:
                deviation += eps
            np.sqrt(deviation, out=deviation)
            if eps_outside:
                deviation += eps
            np.divide(block, deviation[:, np.newaxis], out=target)
            if gamma is not None:
                target *= gamma
            if beta is not None:
                target += beta

    split(work, rows, 8 * x.size)


def attend(query: Array, key: Array, value: Array, mask: Array | None, scale: float, causal: bool, out: Array) -> None:
    """softmax(query · keyᵀ * scale + mask) · value for each of the leading axes, written to ``out``.

    ``query`` is [..., L, E], ``key`` [..., S, E], ``value`` [..., S, V], with the same leading axes. ``mask`` is
    broadcast to [..., L, S]: what is added to the scores, or true where a key is seen. ``causal`` lets query i see keys
    0 to i.
    """
    stacks = query.shape[:-2]
    queries, keys = query.shape[-2], key.shape[-2]
    places = list(np.ndindex(*stacks))
    dtype = query.dtype
    if causal:
        mask = np.tri(queries, keys, dtype=np.bool_)
    hides = mask is not None and mask.dtype == np.bool_
    if mask is not None:
        mask = ~mask if hides else mask
        mask = np.broadcast_to(mask, (*stacks, *mask.shape[-2:]) if mask.ndim > 1 else (*stacks, 1, mask.size))
    factor = dtype.type(scale)
    step = max(1, 4 * BLOCK // max(keys, 1))

    def work(first: int, last: int) -> None:
        for place in places[first:last]:
            turned = key[place].T
            for start in range(0, queries, step):
                part = query[place][start : start + step]
                scaled = np.multiply(part, factor, out=scratch("scaled", part.shape, dtype))
                scores = np.matmul(scaled, turned, out=scratch("scores", (len(part), keys), dtype))
                if mask is not None:
                    here = mask[place]
                    here = here[start : start + step] if len(here) > 1 else here
                    if hides:
                        np.copyto(scores, dtype.type(-np.inf), where=here)
                    else:
                        scores += here
                scores -= np.maximum.reduce(scores, axis=1, keepdims=True)
                np.exp(scores, out=scores)
                total = np.add.reduce(scores, axis=1, keepdims=True)
                result = out[place][start : start + step]
                np.matmul(scores, value[place], out=result)
                result /= total

    split(work, len(places), len(places) * queries * keys * (8 + (query.shape[-1] + value.shape[-1]) / 30))

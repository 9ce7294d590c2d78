"""Attention over arrays whose sizes are in tables, and what is written to their ends."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.kernels.attention import attention
from irrun.tensor import Array
from irrun_kernels.cache import KEYS, Append, CachedAttention, append, cached_attention, workspace_of
from irrun_kernels.stacks import Matrices
from tests.kernels.compiled.built import call

HEADS, SHARED, DEPTH, WIDTH = 6, 3, 20, 32


def row(x: Array) -> Array:
    """The address, the sizes and the strides of an array with four axes."""
    return np.array([x.ctypes.data, *x.shape, *x.strides], np.int64)


def matrices(x: Array) -> Matrices:
    return Matrices(x.ctypes.data, *x.strides[:3])


def attended(query: Array, key: Array, value: Array, mask: Array | None, each: int) -> Array:
    batch, heads, queries, depth = query.shape
    out = np.full((batch, queries, heads, WIDTH), np.nan, np.float32).swapaxes(1, 2)
    rows = [row(key), row(value)]
    if mask is not None:
        rows.append(row(np.broadcast_to(mask, (batch, heads, queries, key.shape[2]))))
    arguments = CachedAttention(
        query=matrices(query),
        key=rows[0].ctypes.data,
        value=rows[1].ctypes.data,
        mask=0 if mask is None else rows[2].ctypes.data,
        out=matrices(out),
        heads=heads,
        shared=SHARED,
        queries=queries,
        depth=depth,
        width=WIDTH,
        queries_per_task=each,
        scale=0.3,
    )
    tasks = batch * heads * -(-queries // each)
    call(cached_attention, *arguments, tasks=tasks, workspace=workspace_of(each, depth))
    return out


@pytest.mark.parametrize("queries", [1, 4, 5, 13])
@pytest.mark.parametrize("keys", [1, 17, KEYS, KEYS + 1, 2 * KEYS + 44])
def test_attention(queries: int, keys: int) -> None:
    random = np.random.default_rng(keys)
    query = random.standard_normal((2, HEADS, queries, DEPTH), dtype=np.float32)
    key, value = (
        random.standard_normal((2, HEADS // SHARED, keys + 9, size), dtype=np.float32)[:, :, :keys]
        for size in (DEPTH, WIDTH)
    )
    full = random.standard_normal((2, HEADS, queries, keys), dtype=np.float32)
    full[:, :, :, : keys // 2] = -np.inf
    whole = [np.repeat(x, SHARED, axis=1) for x in (key, value)]
    for mask in (None, full, full[:1, :1, :1], full[:, :1, :, :1], full[0, :, :1]):
        with np.errstate(all="ignore"):
            wanted = attention(query, *whole, mask, 0.3, causal=False)
        for each in (queries, max(1, queries // 2)):
            got = attended(query, key, value, mask, each)
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_keys_that_are_all_hidden_and_none_at_all() -> None:
    random = np.random.default_rng(0)
    query = random.standard_normal((1, HEADS, 2, DEPTH), dtype=np.float32)
    key, value = (random.standard_normal((1, 2, 300, size), dtype=np.float32) for size in (DEPTH, WIDTH))
    hidden = np.full((1, 1, 2, 300), -np.inf, np.float32)
    hidden[0, 0, 1, 299] = 0
    got = attended(query, key, value, hidden, 2)
    assert np.isnan(got[:, :, 0]).all()
    np.testing.assert_allclose(got[:, :, 1], np.repeat(value[:, :, 299], SHARED, axis=1), rtol=1e-6)
    assert not attended(query, key[:, :, :0], value[:, :, :0], None, 2).any()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_append(axis: int) -> None:
    random = np.random.default_rng(axis)
    new = random.standard_normal((5, 3, 4, 7), dtype=np.float32).transpose(2, 1, 0, 3)
    sizes = list(new.shape)
    sizes[axis] += 6
    buffer = np.zeros([size + 2 for size in sizes], np.float32)
    whole = buffer[tuple(slice(size) for size in sizes)]
    numbers = row(whole)
    call(append, *Append(matrices(new), numbers.ctypes.data, axis, *new.shape))
    index = (slice(None),) * axis
    np.testing.assert_array_equal(whole[(*index, slice(6, None))], new)
    assert np.count_nonzero(buffer) == new.size

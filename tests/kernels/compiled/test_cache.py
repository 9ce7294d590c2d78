"""Attention over late arrays, and what is written to their ends."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from irrun.ops.fused.fused_attention import FusedAttention
from irrun.runtime.lowering.attention import arguments_of, form_of
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.cache import late_row
from irrun.runtime.memory import Memory
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import F32
from irrun_kernels.attention import KEYS
from irrun_kernels.cache import Append, CachedAttention, append, cached_attention
from irrun_kernels.native import Kernel
from irrun_kernels.stacks import Matrices

HEADS, SHARED, DEPTH, WIDTH = 6, 3, 20, 32


def call(kernel: Kernel, arguments: Any, tasks: int = 1, workspace: int = 0) -> None:
    record = np.array([tuple(kernel.flat(arguments))], kernel.record)
    space = np.full(workspace + 64, 255, np.uint8)
    function = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(kernel.address)
    for task in range(tasks):
        function(record.ctypes.data, task, space.ctypes.data)


def row(x: Array) -> Array:
    return np.array([x.ctypes.data, *late_row(x)], np.int64)


@pytest.mark.parametrize("queries", [1, 13])
@pytest.mark.parametrize("keys", [0, 1, 600])
@pytest.mark.parametrize("kind", [np.float32, np.bool_])
def test_attention(queries: int, keys: int, kind: type) -> None:
    random = np.random.default_rng(keys)
    query = random.standard_normal((2, HEADS, queries, DEPTH), dtype=np.float32)
    key, value = (
        random.standard_normal((2, HEADS // SHARED, keys + 9, size), dtype=np.float32)[:, :, :keys]
        for size in (DEPTH, WIDTH)
    )
    mask = (random.random((HEADS, 1, keys)) * 3).astype(kind)
    op = FusedAttention(Fact(F32, Shape((2, HEADS, queries, WIDTH))), 0.3, False, False, SHARED)
    out = np.full((2, queries, HEADS, WIDTH), np.nan, np.float32).swapaxes(1, 2)
    plain, parts, workspace = arguments_of(op, Builder(), query, out, SHARED, KEYS)
    rows = [row(x) for x in (key, value, mask)]
    late = CachedAttention(plain._replace(mask_form=form_of(op, mask.dtype)), *(x.ctypes.data for x in rows))
    call(cached_attention, late, 2 * plain.groups * parts, workspace)
    with np.errstate(all="ignore"):
        wanted = op.run(query, key, value, mask, memory=Memory())
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_append(axis: int) -> None:
    random = np.random.default_rng(axis)
    new = random.standard_normal((5, 3, 4, 7), dtype=np.float32).transpose(2, 1, 0, 3)
    sizes = list(new.shape)
    sizes[axis] += 6
    buffer = np.zeros([size + 2 for size in sizes], np.float32)
    late = buffer[tuple(slice(size) for size in sizes)]
    numbers = row(late)
    x = Matrices(new.ctypes.data, *new.strides[:3])
    call(append, Append(x, numbers.ctypes.data, axis, *new.shape))
    index = (slice(None),) * axis
    np.testing.assert_array_equal(late[(*index, slice(6, None))], new)
    assert np.count_nonzero(buffer) == new.size

"""Attention over a cache, and what is written to its end, in sizes that are known only when a run begins."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from irrun.ops._declared.fused.fused_attention import FusedAttention
from irrun.runtime.lowering.attention import lower_attention
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.view import View
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import F32
from irrun_kernels.attention import KEYS
from tests.kernels.compiled.lowered import opened
from tests.nets import Net

HEADS, SHARED, DEPTH, WIDTH = 6, 3, 20, 32


def operands(queries: int, keys: int, kind: type) -> list[Array]:
    """Queries, keys and values with room behind them, and a mask."""
    random = np.random.default_rng(keys)
    query = random.standard_normal((2, HEADS, queries, DEPTH), dtype=np.float32)
    key, value = (
        random.standard_normal((2, HEADS // SHARED, keys + 9, size), dtype=np.float32)[:, :, :keys]
        for size in (DEPTH, WIDTH)
    )
    return [query, key, value, (random.random((2, 1, 1, keys)) * 3).astype(kind)]


@pytest.mark.parametrize("queries", [1, 13])
@pytest.mark.parametrize("kind", [np.float32, np.bool_])
def test_attention(queries: int, kind: type) -> None:
    op = FusedAttention(
        fact=Fact(F32, Shape((2, HEADS, queries, WIDTH))), scale=0.3, causal=False, key_transposed=False, shared=SHARED
    )
    compute = opened(functools.partial(lower_attention, op), operands(queries, 30, kind), (3, 2))
    for keys in (30, 17, 600, 2, KEYS, KEYS + 1, 30, 17):
        given = operands(queries, keys, kind)
        with np.errstate(all="ignore"):
            wanted = op.run(*given)
        got = compute(given)
        assert got is not None
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_variable_that_grows(tmp_path: Path, axis: int) -> None:
    net, shape = Net(), ",".join("?" if number == axis else "3" for number in range(3))
    new = net.parameter("x", shape)
    sizes = [0 if number == axis else 3 for number in range(3)]
    held = net.constant(np.zeros(sizes, np.float32))
    declared = {"variable_id": "v", "variable_type": "f32", "variable_shape": shape}
    whole = net.layer("Concat", [net.layer("ReadValue", [held], shape, 6, **declared), new], shape, axis=axis)
    net.layer("Assign", [whole], shape, 6, variable_id="v")
    net.result(net.layer("Tanh", [whole], shape))
    session, parts = net.compile(tmp_path, TIER="compiled").session(), []
    for size in (2, 1, 1, 40, 3):
        sizes[axis] = size
        parts.append(net.random.standard_normal(sizes, np.float32))
        found = session.run({"x": parts[-1]})[0]
        np.testing.assert_allclose(found, np.tanh(np.concatenate(parts, axis)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_end_of_a_buffer_is_written(axis: int) -> None:
    def lower(builder: Builder, new: View, whole: View) -> View:
        behind = whole.shape[axis] - new.shape[axis]
        emit_copy(builder, new, whole[(slice(None),) * axis + (slice(behind, None),)])
        return whole

    def arrays(size: int, past: int) -> tuple[Array, Array, Array]:
        random = np.random.default_rng(size)
        shape = [4, 3, 5, 7]
        shape[axis] = size
        new = random.standard_normal(shape[2::-1] + shape[3:], dtype=np.float32).transpose(2, 1, 0, 3)
        shape[axis] += past
        buffer = np.zeros([size + 2 for size in shape], np.float32)
        return new, buffer[tuple(slice(size) for size in shape)], buffer

    compute = opened(lower, arrays(5, 6)[:2], (axis,))
    for size, past in ((5, 6), (2, 300), (11, 0), (5, 6)):
        new, whole, buffer = arrays(size, past)
        got = compute([new, whole])
        index = (slice(None),) * axis
        np.testing.assert_array_equal(got, whole)
        np.testing.assert_array_equal(whole[(*index, slice(past, None))], new)
        assert np.count_nonzero(buffer) == new.size

"""Attention on both tiers: sizes, masks, memory orders, hidden keys, and operands that are rounded to bf16."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun.kernels.casting import rounded
from irrun.ops._declared.fused.fused_attention import FusedAttention
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import BF16, F32
from irrun_kernels.attention import KEYS
from tests.kernels.compiled.lowered import run
from tests.kernels.merged import merged

SIZES = {
    "plain": (2, 3, 3, 40, 56, 64, 64),
    "odd": (1, 2, 2, 5, 7, 9, 11),
    "many keys": (1, 2, 2, 17, 301, 24, 33),
    "shared keys": (2, 4, 2, 13, 65, 32, 16),
    "one query": (1, 2, 2, 1, 30, 16, 16),
    "one key": (1, 1, 1, 3, 1, 1, 1),
}


def exact(query: Array, key: Array, value: Array, scale: float, hidden: Array, precision: str) -> Array:
    """Attention in f64 of operands that are rounded."""

    def near(x: Array) -> Array:
        return rounded(x.astype(np.float32), precision).astype(np.float64)

    scores = near(query) @ near(key).swapaxes(-1, -2) * scale + hidden
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return near(weights / weights.sum(-1, keepdims=True)) @ near(value)


@merged()
@pytest.mark.parametrize("name", ["plain", "odd", "many keys", "shared keys"])
@pytest.mark.parametrize(
    ("part", "value"), [(part, value) for part in range(3) for value in (np.inf, -np.inf, np.nan, 1e14, 3e38)][:-1]
)
@pytest.mark.parametrize("at", [0, -1])
@pytest.mark.parametrize("transposed", [False, True])
def test_hidden_infinities_of_causal_attention_propagate(
    name: str, part: int, value: float, at: int, transposed: bool
) -> None:
    batch, heads, groups, queries, keys, depth, width = SIZES[name]
    draw = np.random.default_rng(5)
    shapes = (batch, heads, queries, depth), (batch, groups, keys, depth), (batch, groups, keys, width)
    parts = [draw.random(shape, dtype=np.float32) for shape in shapes]
    parts[part][0, 0, at, 2] = value
    op = FusedAttention(
        fact=Fact(F32, Shape((batch, heads, queries, width))),
        scale=4.0,
        causal=True,
        key_transposed=transposed,
        shared=heads // groups,
    )
    if transposed:
        parts[1] = np.ascontiguousarray(parts[1].swapaxes(-1, -2))
    with np.errstate(all="ignore"):
        compiled, plain = run(op, *parts), op.run(*parts)
    assert compiled is not None
    np.testing.assert_allclose(compiled, plain, rtol=1e-4)


@merged()
@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("masked", ["none", "mask", "causal"])
@pytest.mark.parametrize("stored", ["keys", "turned", "scattered"])
def test_operands_are_rounded(name: str, masked: str, stored: str) -> None:
    batch, heads, groups, queries, keys, depth, width = SIZES[name]
    draw = np.random.default_rng(5)
    query, key, value = (
        draw.standard_normal(shape, dtype=np.float32)
        for shape in ((batch, heads, queries, depth), (batch, groups, keys, depth), (batch, groups, keys, width))
    )
    mask = draw.standard_normal((queries, keys), dtype=np.float32)
    hidden = {"none": np.zeros(1), "mask": mask, "causal": np.triu(np.full((queries, keys), -np.inf), 1)}[masked]
    given = [query, key, value, *([mask] if masked == "mask" else [])]
    if stored == "turned":
        given[1] = np.ascontiguousarray(key.swapaxes(-1, -2))
    if stored == "scattered":
        given[1] = np.ascontiguousarray(key.transpose(2, 3, 0, 1)).transpose(2, 3, 0, 1)
    fact = Fact(F32, Shape((batch, heads, queries, width)))
    op = FusedAttention(
        fact=fact, scale=0.3, causal=masked == "causal", key_transposed=stored == "turned", shared=heads // groups
    ).in_precision(BF16)
    whole = (np.repeat(x, heads // groups, axis=1) for x in (key, value))
    expected = exact(query, *whole, 0.3, hidden, "bf16" if queries > 1 else "f32")
    compiled = run(op, *given)
    assert compiled is not None
    for got in (compiled, op.run(*given)):
        # A weight near the middle of two bf16 may become the other one.
        np.testing.assert_allclose(got, expected, atol=2.0**-8 * np.abs(value).max())
        assert np.median(np.abs(got - expected)) < 2e-6


def drawn(*shape: int, dtype: type = np.float32) -> Array:
    values = np.random.default_rng(shape).standard_normal(shape, dtype=np.float32)
    return values > -0.3 if dtype is bool else values


def compared(op: FusedAttention, *inputs: Array | None) -> None:
    with np.errstate(all="ignore"):
        wanted = op.run(*inputs)
    got = run(op, *inputs)
    assert got is not None
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def attention_of(
    batch: int, heads: int, queries: int, width: int, shared: int = 1, causal: bool = False, **how: Any
) -> FusedAttention:
    fact = Fact(F32, Shape((batch, heads, queries, width)))
    return FusedAttention(fact=fact, scale=None, causal=causal, key_transposed=False, shared=shared, **how)


@merged()
@pytest.mark.parametrize("queries", [0, 1, 4, 5, 13, 200])
@pytest.mark.parametrize("keys", [0, 1, 17, KEYS, KEYS + 1, 2 * KEYS + 44])
@pytest.mark.parametrize("shared", [1, 3])
def test_numbers_of_queries_and_keys(queries: int, keys: int, shared: int) -> None:
    inputs = drawn(2, 6, queries, 20), drawn(2, 6 // shared, keys, 20), drawn(2, 6 // shared, keys, 23)
    compared(attention_of(2, 6, queries, 23, shared), *inputs)
    compared(attention_of(2, 6, queries, 23, shared, causal=True), *inputs)


@merged()
@pytest.mark.parametrize("queries", [2, 7, 13, 19, 25, 40])
@pytest.mark.parametrize("shared", [1, 2])
@pytest.mark.parametrize("precision", [F32, BF16])
def test_queries_that_tasks_share(queries: int, shared: int, precision: ElementType) -> None:
    inputs = drawn(1, 2, queries, 20), drawn(1, 2 // shared, 30, 20), drawn(1, 2 // shared, 30, 16)
    op = attention_of(1, 2, queries, 16, shared).in_precision(precision)
    got = run(op, *inputs)
    assert got is not None
    np.testing.assert_allclose(got, op.run(*inputs), atol=1e-5 if precision is F32 else 0.02)


MASKS = [(2, 6, 5, 70), (1, 1, 5, 70), (2, 1, 1, 70), (6, 5, 1), (5, 70), (1, 70), (1, 1), ()]


@merged()
@pytest.mark.parametrize("queries", [5, 1])
@pytest.mark.parametrize("dtype", [np.float32, bool])
@pytest.mark.parametrize("shape", MASKS, ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
def test_masks(shape: tuple[int, ...], dtype: type, order: Any, queries: int) -> None:
    shape = tuple(queries if size == 5 else size for size in shape)
    mask = np.asarray(drawn(*shape, dtype=dtype), order=order) if shape else np.array(True, dtype)
    inputs = drawn(2, 6, queries, 20), drawn(2, 2, 70, 20), drawn(2, 2, 70, 16)
    compared(attention_of(2, 6, queries, 16, 3), *inputs, mask)
    compared(
        attention_of(2, 6, queries, 16, 3), *inputs, mask, drawn(6, queries, 70), np.float32([0.7]), drawn(6, 1, 1)
    )


@merged()
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (3, 2, 1, 0), (0, 1, 3, 2)])
@pytest.mark.parametrize("queries", [2, 30])
@pytest.mark.parametrize("causal", [False, True])
def test_memory_orders(order: tuple[int, ...], queries: int, causal: bool) -> None:
    def laid(x: Array) -> Array:
        return np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))

    inputs = [laid(drawn(2, 3, *sizes)) for sizes in ((queries, 9), (41, 9), (41, 7))]
    compared(attention_of(2, 3, queries, 7, causal=causal), *inputs)
    for part in range(3):
        whole = [x[:1, :1] if index == part else x for index, x in enumerate(inputs)]
        compared(attention_of(2, 3, queries, 7, causal=causal), *whole)


def test_keys_that_are_all_hidden() -> None:
    query, key, value = drawn(1, 6, 2, 20), drawn(1, 6, 600, 20), drawn(1, 6, 600, 32)
    seen = np.zeros((1, 1, 2, 600), bool)
    seen[0, 0, 1, 599] = True
    got = run(attention_of(1, 6, 2, 32), query, key, value, seen)
    assert got is not None
    assert np.isnan(got[:, :, 0]).all()
    np.testing.assert_allclose(got[:, :, 1], value[:, :, 599], rtol=1e-6)
    for sink in (-np.inf, np.inf, np.nan, 3.0):
        for pair in ([sink, 1.0], [1.0, sink]):
            column = np.array(pair, np.float32).reshape(1, 1, 2, 1)
            compared(attention_of(1, 6, 2, 32), query, key, value, seen, None, None, column)


@merged()
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("at", [0, 300, 599])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_infinities_beside_a_mask(part: int, at: int, value: float) -> None:
    parts = [drawn(1, 2, 4, 20), drawn(1, 2, 600, 20), drawn(1, 2, 600, 32), drawn(1, 1, 4, 600)]
    parts[3][..., ::3] = -np.inf
    parts[part][0, 0, at % parts[part].shape[2], 2] = value
    compared(attention_of(1, 2, 4, 32), *parts)


@merged()
@pytest.mark.parametrize("queries", [1, 13])
@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("filling", [-np.inf, float(np.finfo(np.float32).min), -2.0])
@pytest.mark.parametrize("shape", [(2, 6, 13, 300), (1, 1, 1, 300), (6, 13, 1)], ids=str)
def test_scores_that_are_replaced(queries: int, inverted: bool, filling: float, shape: tuple[int, ...]) -> None:
    mask = drawn(*shape[:-2], min(queries, shape[-2]), shape[-1], dtype=bool)
    mask[..., 0, :] = inverted
    key = drawn(2, 3, 300, 20)
    key[0, 0, 7] = np.nan
    inputs = drawn(2, 6, queries, 20), key, drawn(2, 3, 300, 16), mask, drawn(queries, 300)
    compared(attention_of(2, 6, queries, 16, 2, filling=filling, inverted=inverted), *inputs)


@merged()
@pytest.mark.parametrize("precision", [F32, BF16])
def test_weights_that_are_no_numbers(precision: ElementType) -> None:
    seen = drawn(2, 1, 5, 300, dtype=bool)
    seen[:, :, 2] = False
    inputs = [drawn(2, 3, 5, 20), drawn(2, 3, 300, 20), drawn(2, 3, 300, 16), seen]
    inputs[0][0, 0, 1, 2] = np.nan
    op = attention_of(2, 3, 5, 16, guarded=True).in_precision(precision)
    got = run(op, *inputs)
    assert got is not None
    assert not got[:, :, 2].any()
    assert not got[0, 0, 1].any()
    with np.errstate(all="ignore"):
        wanted = op.run(*inputs)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5 if precision is F32 else 0.02)


@merged()
@pytest.mark.parametrize("queries", [1, 13])
def test_scores_with_a_cap(queries: int) -> None:
    inputs = 9 * drawn(2, 3, queries, 20), drawn(2, 3, 300, 20), drawn(2, 3, 300, 16), drawn(queries, 300)
    compared(attention_of(2, 3, queries, 16, cap=1.7), *inputs)


@merged()
@pytest.mark.parametrize("shared", [1, 2])
def test_stacks_of_stacks(shared: int) -> None:
    inputs = drawn(2, 5, 4, 7, 20), drawn(2, 5, 4 // shared, 9, 20), drawn(2, 5, 4 // shared, 9, 16)
    fact = Fact(F32, Shape((2, 5, 4, 7, 16)))
    compared(
        FusedAttention(fact=fact, scale=None, causal=False, key_transposed=False, shared=shared),
        *inputs,
        drawn(5, 1, 7, 9),
        drawn(4, 7, 9),
    )
    compared(
        FusedAttention(fact=fact, scale=None, causal=False, key_transposed=False, shared=shared),
        *inputs,
        drawn(2, 1, 1, 1, 9),
    )

"""Attention of bf16: products of rounded operands, with scores and softmax in f32."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.kernels.halves import rounded
from irrun.ops.fused.fused_attention import FusedAttention
from irrun.runtime.memory import Memory
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import BF16, F32
from tests.kernels.compiled.lowered import run

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
    op = FusedAttention(Fact(F32, Shape((batch, heads, queries, width))), 4.0, True, transposed, heads // groups)
    if transposed:
        parts[1] = np.ascontiguousarray(parts[1].swapaxes(-1, -2))
    with np.errstate(all="ignore"):
        compiled, plain = run(op, *parts), op.run(*parts, memory=Memory())
    assert compiled is not None
    np.testing.assert_allclose(compiled, plain, rtol=1e-4)


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
    op = FusedAttention(fact, 0.3, masked == "causal", stored == "turned", heads // groups).in_precision(BF16)
    whole = (np.repeat(x, heads // groups, axis=1) for x in (key, value))
    expected = exact(query, *whole, 0.3, hidden, "bf16" if queries > 1 else "f32")
    compiled = run(op, *given)
    assert compiled is not None
    for got in (compiled, op.run(*given, memory=Memory())):
        # A weight near the middle of two bf16 may become the other one.
        np.testing.assert_allclose(got, expected, atol=2.0**-8 * np.abs(value).max())
        assert np.median(np.abs(got - expected)) < 2e-6

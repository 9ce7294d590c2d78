"""Activations, softmax, normalization and attention, compared with their formulas in float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from irrun.kernels.activation import gelu, gelu_tanh, sigmoid, swish
from irrun.kernels.attention import attention
from irrun.kernels.erf import erf
from irrun.kernels.normalization import mean_variance, softmax
from tests.kernels.merged import merged

Array = np.ndarray[Any, Any]
X = np.linspace(-9, 9, 200_001).astype(np.float32)
EXACT = X.astype(np.float64)


def _each(function: Callable[[float], float]) -> Array:
    return np.array([function(value) for value in EXACT.tolist()])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_erf_is_within_two_ulp(dtype: type) -> None:
    x: Array = np.concatenate([np.linspace(-7, 7, 100_001), np.logspace(-30, 0, 10_001)]).astype(dtype)
    exact = np.array([math.erf(value) for value in x.astype(np.float64).tolist()])
    ulp = np.spacing(np.abs(exact.astype(dtype)))
    assert (np.abs(erf(x) - exact) / ulp).max() <= 2


@merged()
@pytest.mark.parametrize(
    ("function", "exact", "bound"),
    [
        (gelu, lambda v: v * 0.5 * math.erfc(-v / math.sqrt(2)), 3e-7),
        (gelu_tanh, lambda v: v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))), 3e-7),
        (sigmoid, lambda v: 1 / (1 + math.exp(-v)), 2e-7),
        (swish, lambda v: v / (1 + math.exp(-v)), 3e-7),
    ],
    ids=["gelu", "gelu_tanh", "sigmoid", "swish"],
)
def test_activations(function: Callable[..., Array], exact: Callable[[float], float], bound: float) -> None:
    """The error is bounded relative to max(abs(x), 1)."""
    wanted = _each(exact)
    scale = np.maximum(np.abs(EXACT), 1)
    assert (np.abs(function(X) - wanted) / scale).max() <= bound
    assert np.isnan(function(np.array([np.nan], np.float32))).all()


@merged()
@pytest.mark.parametrize("scale", [1, 50, 1000])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_softmax(scale: int, axis: int) -> None:
    x = (np.random.default_rng(1).standard_normal((40, 60, 70)) * scale).astype(np.float32)
    powers = np.exp(x.astype(np.float64) - x.max(axis=axis, keepdims=True))
    exact = powers / powers.sum(axis=axis, keepdims=True)
    np.testing.assert_allclose(softmax(x, axis), exact, rtol=1e-5, atol=1e-37)


def test_softmax_of_infinities() -> None:
    x = np.array([[0, -np.inf, 1], [-np.inf, -np.inf, -np.inf], [1, 2, 3]], np.float32)
    with np.errstate(invalid="ignore"):
        result = softmax(x, 1)
    np.testing.assert_allclose(result[0], [1 / (1 + math.e), 0, math.e / (1 + math.e)], rtol=1e-6)
    assert np.isnan(result[1]).all()
    np.testing.assert_allclose(result[2].sum(), 1, rtol=1e-6)


@merged()
@pytest.mark.parametrize("axes", [(2,), (1, 2), (0, 2), (1,)])
@pytest.mark.parametrize("outside", [False, True])
def test_mean_variance(axes: tuple[int, ...], outside: bool) -> None:
    x = np.random.default_rng(2).standard_normal((30, 20, 500), dtype=np.float32) + 3
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis=axes, keepdims=True)
    variance = (centred**2).mean(axis=axes, keepdims=True)
    exact = centred / (np.sqrt(variance) + 0.1 if outside else np.sqrt(variance + 0.1))
    np.testing.assert_allclose(mean_variance(x, axes, 0.1, outside), exact, atol=3e-6)


def _attention(q: Array, k: Array, v: Array, mask: Array | None, causal: bool, sink: Array | None) -> Array:
    scores = q.astype(np.float64) @ np.swapaxes(k.astype(np.float64), -1, -2) * 0.3
    if causal:
        scores = np.where(np.arange(k.shape[-2]) <= np.arange(q.shape[-2])[:, None], scores, -np.inf)
    elif mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if sink is not None:
        scores = np.concatenate([scores, np.broadcast_to(sink, (*scores.shape[:-1], 1))], -1)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    powers /= powers.sum(-1, keepdims=True)
    return np.asarray(powers[..., : k.shape[-2]] @ v)


@merged()
@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (700, 700)])
@pytest.mark.parametrize(
    ("part", "value"),
    [(part, value) for part in ("query", "key", "value") for value in (np.inf, -np.inf, np.nan, 3e38)][:-1],
)
@pytest.mark.parametrize("at", [0, -1])
def test_hidden_infinities_of_causal_attention_propagate(
    shape: tuple[int, int], part: str, value: float, at: int
) -> None:
    """As in the written order: hidden scores are those of f32 minus infinity, and their weights of 0 count."""
    draw = np.random.default_rng(3)
    sizes = {"query": shape[0], "key": shape[1], "value": shape[1]}
    parts = {name: draw.random((2, size, 8), dtype=np.float32) for name, size in sizes.items()}
    parts[part][0, at, 2] = value
    q, k, v = parts.values()
    with np.errstate(all="ignore"):
        scores = (q * np.float32(4)) @ k.swapaxes(-1, -2) + np.triu(np.full(shape, -np.inf, np.float32), 1)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        expected = (powers / powers.sum(-1, keepdims=True)) @ v
        result = attention(q, k, v, None, 4.0, causal=True)
    np.testing.assert_allclose(result, expected, rtol=1e-5)


@merged("threads")
@pytest.mark.parametrize("shape", [(1, 1), (9, 5), (5, 9), (200, 300), (700, 700)])
@pytest.mark.parametrize("kind", ["plain", "causal", "boolean", "added", "far away", "sink", "large"])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_attention(shape: tuple[int, int], kind: str, team: Callable[[int], None], threads: int) -> None:
    team(threads)
    draw = np.random.default_rng(3)
    queries, keys = shape
    size = 100 if kind == "large" else 1
    q = draw.standard_normal((2, 3, queries, 8), dtype=np.float32) * size
    k = draw.standard_normal((2, 1, keys, 8), dtype=np.float32)
    v = draw.standard_normal((1, 3, keys, 5), dtype=np.float32)
    mask: Array | None = None
    if kind == "boolean":
        mask = draw.random((2, 1, 1, keys)) < 0.8
        mask[..., 0] = True
    if kind == "added":
        mask = draw.standard_normal((queries, keys), dtype=np.float32)
    if kind == "far away":
        mask = np.full((1, keys), np.finfo(np.float32).min / 2, np.float32)
    sink = draw.standard_normal((3, 1, 1), dtype=np.float32) if kind == "sink" else None
    result = attention(q, k, v, mask, 0.3, causal=kind == "causal", sink=sink)
    assert result.shape == (2, 3, queries, 5)
    exact = _attention(q, k, v, mask, kind == "causal", sink)
    if kind == "far away":
        exact = np.broadcast_to(v.mean(axis=-2, keepdims=True), result.shape)
    np.testing.assert_allclose(result, exact, atol=2e-4 if kind == "large" else 3e-6)

"""Functions of one element against float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun_kernels.functions import UNARY
from tests.kernels.compiled import built, own_kernels
from tests.kernels.merged import merged

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True, scope="module")
def _built() -> None:
    built.add(Path(own_kernels.__file__))


def unary(function: str, x: Array, alpha: float = 0, beta: float = 0) -> None:
    built.call(own_kernels.apply_unary, UNARY.index(function), x.ctypes.data, len(x), alpha, beta)


ERF = np.vectorize(math.erf)

EXACT: dict[str, Callable[[Array], Array]] = {
    "clamp": lambda x: np.clip(x, -2, 3),
    "gelu": lambda x: x * (1 + ERF(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "swish": lambda x: x / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "exp": np.exp,
    "hswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "hsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "elu": lambda x: np.where(x < 0, -2 * np.expm1(x), x),
    "sqrt": lambda x: np.sqrt(np.where(x < 0, np.nan, x)),
    "negative": lambda x: -x,
    "abs": np.abs,
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "softplus": lambda x: np.logaddexp(0, x),
    "prelu": lambda x: np.where(x < 0, -2 * x, x),
}


@merged()
@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("count", [1, 15, 16, 1001])
def test_unary(name: str, count: int) -> None:
    x = np.linspace(-20, 20, count, dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        expected = EXACT[name](x.astype(np.float64))
    unary(name, x, -2, 3)
    np.testing.assert_allclose(x, expected, rtol=1e-6, atol=3e-6 if name.startswith("gelu") else 3e-7)


@merged()
@pytest.mark.parametrize("name", sorted(set(UNARY) - {"sqrt"}))
def test_special_values(name: str) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0, 200, -200], np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        expected = EXACT[name](x.astype(np.float64)).astype(np.float32)
    unary(name, x, -2, 3)
    kept = np.ones(len(x), np.bool_)
    if name in ("gelu", "gelu_tanh", "swish", "hswish", "mish"):
        kept[2] = False  # minus infinity times zero
    np.testing.assert_allclose(x[kept], expected[kept], rtol=1e-6, atol=1e-30)


def test_exponentials_below_normal_numbers_are_zero() -> None:
    x = np.array([-87, -88, -104, -1000], np.float32)
    unary("exp", x)
    np.testing.assert_allclose(x, [np.exp(-87), 0, 0, 0], rtol=1e-6, atol=0)

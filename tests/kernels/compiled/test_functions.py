"""Functions of one element against their operations in float64."""

from __future__ import annotations

import importlib
import inspect
import itertools
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from irrun.kernels.elementwise import Elementwise
from irrun.ops import Fact, Op, Shape
from irrun.ops._declared import fused
from irrun.ops._declared.fused.base import Fused
from irrun.ops.registry import declarations
from irrun.tensor.element_type import F32
from irrun_kernels.scalars import UNARY
from tests.kernels.compiled import built, own_kernels
from tests.kernels.merged import merged

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True, scope="module")
def _built() -> None:
    built.add(Path(own_kernels.__file__))


def unary(function: str, x: Array, alpha: float = 0, beta: float = 0) -> None:
    built.call(own_kernels.apply_unary, UNARY.index(function), x.ctypes.data, len(x), alpha, beta)


def _instances() -> Iterator[Op]:
    """All operations of one input, with each of their choices, and numbers for other attributes."""
    for module in pkgutil.iter_modules(fused.__path__):
        importlib.import_module(f"{fused.__name__}.{module.name}")
    for made in Fused.__subclasses__():
        if made.elementwise is not Op.elementwise:
            yield made(fact=Fact(F32, Shape(())), **dict.fromkeys(inspect.get_annotations(made), -2.0))
    for declared in declarations():
        if declared.elementwise is not Op.elementwise:
            given = enumerate(declared.spec.attributes)
            values = [[(each.field, one) for one in each.choices or (place + 0.5,)] for place, each in given]
            yield from (declared(**dict(chosen)) for chosen in itertools.product(*values))


def _defined() -> dict[str, Elementwise]:
    functions = [function for op in _instances() if (function := op.elementwise()) is not None]
    return {function.name: function for function in reversed(functions)}


DEFINED: Final = _defined()
"""Functions as their operations define them."""


def defined(name: str) -> Elementwise:
    assert name in DEFINED, f"{name} is in ELEMENTS, but no operation returns an Elementwise of this name"
    return DEFINED[name]


def in_f64(function: Elementwise, x: Array) -> Array:
    expected = x.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        function.in_place(expected)
    return expected


@merged()
@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("count", [1, 15, 16, 1001])
def test_unary(name: str, count: int) -> None:
    function = defined(name)
    x = np.linspace(-20, 20, count, dtype=np.float32)
    expected = in_f64(function, x)
    unary(name, x, *function.parameters)
    np.testing.assert_allclose(x, expected, rtol=1e-6, atol=3e-6 if name.startswith("gelu") else 3e-7)


@merged()
@pytest.mark.parametrize("name", sorted(set(UNARY) - {"sqrt"}))
def test_special_values(name: str) -> None:
    function = defined(name)
    x = np.array([np.nan, np.inf, -np.inf, 0, 200, -200], np.float32)
    with np.errstate(over="ignore"):
        expected = in_f64(function, x).astype(np.float32)
    unary(name, x, *function.parameters)
    kept = np.ones(len(x), np.bool_)
    if name in ("gelu", "gelu_tanh", "swish", "hswish", "mish"):
        kept[2] = False  # minus infinity times zero
    np.testing.assert_allclose(x[kept], expected[kept], rtol=1e-6, atol=1e-30)


def test_exponentials_below_normal_numbers_are_zero() -> None:
    x = np.array([-87, -88, -104, -1000], np.float32)
    unary("exp", x)
    np.testing.assert_allclose(x, [np.exp(-87), 0, 0, 0], rtol=1e-6, atol=0)

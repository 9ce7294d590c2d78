"""The loops whose source is made for each function, run by Python instead of a compiler."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from irrun_kernels import angles, scalars
from irrun_kernels.scalars import ELEMENTS, NUMBERS, UNARY, ElementFunction


@pytest.fixture(autouse=True)
def _not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the addresses of arrays be the arrays, and functions be as they are."""
    monkeypatch.setattr(scalars, "scalar", lambda function: function)
    monkeypatch.setattr(scalars, "inlined", lambda function: SimpleNamespace(form=function))
    monkeypatch.setattr(scalars, "carray", lambda array, count: array[:count])
    monkeypatch.setattr(scalars, "POINTERS", {kind: (lambda array: array) for kind in "?bhiqBHIQfd"})


def array(*values: float, kind: str = "f") -> Any:
    return np.array(values, kind)


@pytest.mark.parametrize(
    ("name", "operands", "arrays", "expected"),
    [
        ("add", "ff", [array(1, 2), array(3, 5)], array(4, 7)),
        ("subtract", "qq", [array(1, 2, kind="q"), array(3, 5, kind="q")], array(-2, -3, kind="q")),
        ("maximum", "ff", [array(1, 5), array(3, np.nan)], array(3, np.nan)),
        ("less", "dd", [array(1, 5, kind="d"), array(3, 5, kind="d")], array(1, 0, kind="B")),
        ("select", "?II", [array(1, 0, kind="B"), array(7, 8, kind="I"), array(9, 6, kind="I")], array(7, 6, kind="I")),
        ("sign", "f", [array(-3, 0)], array(-1, 0)),
    ],
)
def test_a_function_of_each_element(name: str, operands: str, arrays: list[Any], expected: Any) -> None:
    """The first ``count`` elements are computed, in the type of the result."""
    apply = scalars.apply._make()
    out = np.zeros(3, expected.dtype)
    apply(NUMBERS[name, operands], 2, out, *arrays, *[None] * (4 - len(arrays)))
    np.testing.assert_array_equal(out[:2], expected)
    assert out[2] == 0


def test_far_elements_and_wide_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second function replaces the first for far angles, and both get f64 for f32."""
    monkeypatch.setattr(angles, "is_far", lambda x: x > 100)
    element = ElementFunction("near", "f", "f", 1, lambda x: x + x.itemsize, wide=True, far=lambda x: -x)
    monkeypatch.setattr(scalars, "ELEMENTS", [element])
    out, x = array(0, 0), array(1, 101)
    scalars.apply._make()(0, 2, out, x, None, None, None)
    assert out.tolist() == [9, -101]


@pytest.mark.parametrize("column", [1, 3])
@pytest.mark.parametrize(("name", "fold"), [("add", np.add), ("multiply", np.multiply), ("minimum", np.minimum)])
def test_rows_that_are_combined(name: str, fold: Any, column: int) -> None:
    """Elements of a row are neighbours, or further apart than those of a column."""
    combine = scalars.combine._make()
    number = next(number for number, each in enumerate(ELEMENTS) if (each.name, each.operands) == (name, "ff"))
    x = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
    # Four rows of three neighbours, or three rows of four elements that are three apart.
    count, rows, row = (3, 4, 3) if column == 1 else (4, 3, 1)
    out = np.full(count, 2, np.float32)
    combine(number, count, out, x.reshape(-1), rows, row, column)
    np.testing.assert_array_equal(out, fold(fold.reduce(x, 0 if column == 1 else 1), np.float32(2)))


def test_functions_in_place() -> None:
    unary = scalars.unary._make()
    x = array(-2, 4)
    unary(UNARY.index("abs"), 2, x, 0.0, 0.0)
    assert x.tolist() == [2, 4]
    x = array(-2, 4)
    unary(UNARY.index("prelu"), 2, x, 0.5, 0.0)
    assert x.tolist() == [-1, 4]

"""Errors and statistics of tensors: by formula, in blocks, and for values that are not finite."""

from __future__ import annotations

import math

import numpy as np
import pytest

from irrun.debugging.metrics import errors
from irrun.debugging.statistics import statistics_of
from irrun.tensor.element_type import BOOLEAN, F16, F32, I64, STRING
from tests.cases import f32, i64


def test_errors_by_formula() -> None:
    found = errors(f32([1, 2, 4]), f32([1, 2, 3]), median=True)
    assert (found.max, found.mean, found.median, found.scale) == (1, pytest.approx(1 / 3), 0, 4)
    assert found.rms == pytest.approx(math.sqrt(1 / 3))
    assert found.relative == 0.25
    assert found.cosine == pytest.approx(17 / math.sqrt(21 * 14))
    assert found.snr == pytest.approx(10 * math.log10(14))
    assert found.psnr == pytest.approx(10 * math.log10(9 * 3))
    assert found.ulp == 2**22


@pytest.mark.parametrize(
    ("a", "b", "ulp"),
    [
        (f32([1]), np.nextafter(f32([1]), f32([2])), 1),
        (f32([0.0]), f32([-0.0]), 0),
        (f32([1e-45]), f32([-1e-45]), 2),
        (f32([1]).astype(np.float16), f32([1.001]), 1),
        (f32([np.nan]), f32([np.nan]), 0),
        (f32([np.nan]), f32([1]), math.inf),
        (i64([1]), i64([2]), None),
    ],
)
def test_ulp(a: np.ndarray, b: np.ndarray, ulp: float | None) -> None:
    assert errors(a, b).ulp == ulp


def test_errors_of_equal_and_of_lost_values() -> None:
    same = errors(f32([np.inf, 1]), f32([np.inf, 1]))
    assert (same.max, same.snr, same.psnr, same.cosine) == (0, math.inf, math.inf, None)
    lost = errors(f32([np.nan, 1]), f32([1, 1]))
    assert (lost.max, lost.snr) == (math.inf, -math.inf)
    assert lost.exceeds(1.0, 1.0)
    assert errors(np.array(["a"], object), np.array(["b"], object)).exceeds(1.0, 1.0)
    assert not errors(f32([]), f32([])).exceeds(0, 0)


def test_errors_of_large_tensors_are_those_of_small_ones() -> None:
    """Tensors beyond the size of a block, whose axes lie in other orders in memory."""
    random = np.random.default_rng(0)
    a = random.standard_normal((3, 200, 300)).astype(np.float32)
    b = (a + random.standard_normal(a.shape) * 1e-3).astype(np.float32)
    found = errors(np.asfortranarray(a), b)
    gap = np.abs(a.astype(np.float64) - b)
    assert found.max == gap.max()
    assert found.mean == pytest.approx(gap.mean())
    assert found.rms == pytest.approx(math.sqrt((gap**2).mean()))


def test_statistics_of_large_tensors() -> None:
    random = np.random.default_rng(1)
    array = np.asfortranarray((random.standard_normal((3, 200, 300)) * 5 + 2).astype(np.float32))
    array[0, 0, :3] = np.nan, np.inf, -np.inf
    array[1, 0, :2] = 0
    array[2, 0, :2] = 1e-40, 70000
    found = statistics_of(array, F32)
    finite = array[np.isfinite(array)].astype(np.float64)
    assert (found.min, found.max) == (finite.min(), finite.max())
    assert found.mean == pytest.approx(finite.mean())
    assert found.std == pytest.approx(finite.std())
    counts = found.nan, found.inf, found.zeros, found.subnormals, found.beyond_f16
    assert counts == (1, 2, 2, 1, 1)


def test_statistics_of_other_types() -> None:
    assert statistics_of(i64([1, 0, 3]), I64).as_dict() | {"layer": "", "type": ""} == {
        "layer": "",
        "type": "",
        "output": 0,
        "element_type": "i64",
        "shape": (3,),
        "runs": 1,
        "size": 3,
        "min": 0,
        "max": 3,
        "mean": pytest.approx(4 / 3),
        "std": pytest.approx(np.std([1, 0, 3])),
        **dict.fromkeys(("nan", "inf", "subnormals", "beyond_f16"), 0),
        "zeros": 1,
    }
    assert statistics_of(np.array([True, False]), BOOLEAN).mean == 0.5
    assert statistics_of(np.array(["a"], object), STRING).mean is None
    assert statistics_of(f32([1e-6]), F16).subnormals == 1
    assert statistics_of(f32([]), F32).min is None

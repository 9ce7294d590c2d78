"""Ways to differ, and which are the same."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.debugging.kinds import TensorDifference, fault_of
from irrun.tensor import Array
from tests.cases import f32

WAVE = np.sin(np.arange(64, dtype=np.float32))
LEVELS = np.rint(WAVE * 16) / 16


def with_step(array: Array, places: list[int], step: float) -> Array:
    other = array.copy()
    other[places] += np.float32(step)
    return other


@pytest.mark.parametrize(
    ("array", "other", "kind"),
    [
        (WAVE, WAVE, "none"),
        (WAVE, WAVE[:32], "shape"),
        (np.array(["a"], object), np.array(["b"], object), "text"),
        (np.array(["a"], object), np.array(["a"], object), "none"),
        (WAVE, with_step(WAVE, [3], np.nan), "not finite"),
        (LEVELS, with_step(LEVELS, [5], 1 / 16), "step"),
        (LEVELS, with_step(LEVELS, [5], 1 / 4), "error"),
        (WAVE, np.minimum(WAVE, 0.75), "clipping"),
        (np.maximum(WAVE, -0.5), WAVE, "clipping"),
        (WAVE, WAVE * np.float32(1.1), "error"),
        (np.array([True, False]), np.array([True, True]), "error"),
        (np.zeros(0, np.float32), np.zeros(0, np.float32), "none"),
    ],
)
def test_kinds(array: Array, other: Array, kind: str) -> None:
    assert fault_of(array, other).kind == kind


def test_numbers_that_are_not_finite_by_side() -> None:
    found = fault_of(f32([1, np.nan, np.inf, 4]), f32([1, np.nan, -np.inf, 5]))
    assert found == TensorDifference("not finite", ("infinity in the first", "infinity in the second"), 1, 0.2)
    assert fault_of(f32([np.nan, np.inf]), f32([np.nan, np.inf])).kind == "none"


@pytest.mark.parametrize(
    ("fault", "before", "is_like"),
    [
        (TensorDifference("shape"), TensorDifference("shape"), True),
        (TensorDifference("shape"), TensorDifference("error", (), 1, 0.1), False),
        (
            TensorDifference("not finite", ("NaN in the first",)),
            TensorDifference("not finite", ("NaN in the first",)),
            True,
        ),
        (
            TensorDifference("not finite", ("NaN in the first",)),
            TensorDifference("not finite", ("infinity in the first",)),
            False,
        ),
        (TensorDifference("not finite", ("NaN in the first",)), TensorDifference("step", (), 0.1, 0.01), False),
        (TensorDifference("error", (), 0.1, 0.5), TensorDifference("step", (), 0.1, 0.01), True),
        (TensorDifference("step", (), 0.2, 0.01), TensorDifference("step", (), 0.1, 0.01), False),
        (TensorDifference("step", (), 0.1, 0.01), TensorDifference("clipping", (), 0.1, 0.01), False),
        (TensorDifference("clipping", (), 0.1, 0.05), TensorDifference("clipping", (), 0.1, 0.01), True),
        (TensorDifference("error", (), 0.1, 0.05), TensorDifference("error", (), 3, 0.01), True),
        (TensorDifference("error", (), 0.1, 0.2), TensorDifference("error", (), 3, 0.01), False),
        (TensorDifference("error", (), 0.1, 0.0009), TensorDifference("error", (), 3, 0.01), False),
        (TensorDifference("none"), TensorDifference("error", (), 3, 0.01), False),
    ],
)
def test_the_same_fault(fault: TensorDifference, before: TensorDifference, *, is_like: bool) -> None:
    assert fault.is_like(before) == is_like

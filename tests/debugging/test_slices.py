"""The errors of a tensor by place, and expected outputs of fewer bits."""

from __future__ import annotations

import numpy as np
import pytest

from irrun.debugging.expected import diagnose_expected
from irrun.debugging.metrics import errors
from irrun.debugging.slices import SliceErrors, beyond, notable_slices
from irrun.tensor import Array
from irrun.tensor.rounding import round_to
from tests.cases import f32


def scores() -> Array:
    """Return four rows of boxes up to 640, and five of scores up to 1."""
    random = np.random.default_rng(0)
    rows = [random.uniform(1, 640, (4, 64)), random.uniform(0.1, 1, (5, 64))]
    return np.concatenate(rows)[np.newaxis].astype(np.float32)


def told(array: Array, other: Array, *, differs: bool = True) -> list[tuple[str, int, int, tuple[int, ...], str]]:
    found = notable_slices(array, other, differs=differs)
    return [(item.kind, item.axis, item.size, item.indices, item.zero) for item in found]


@pytest.mark.parametrize("zero", ["model", "other"])
def test_rows_that_are_zero_on_one_side(zero: str) -> None:
    """The whole is within a tolerance of 1 %."""
    array = scores()
    lost = array.copy()
    lost[:, 4:] = 0
    pair = (lost, array) if zero == "model" else (array, lost)
    assert not errors(*pair).exceeds(0.01, 0)
    assert told(*pair, differs=False) == [("zero", 1, 9, (4, 5, 6, 7, 8), zero)]
    (item,) = notable_slices(*pair, differs=False)
    assert (item.relative, item.share) == (1, 1)


def test_a_row_that_errs_by_its_own_magnitude() -> None:
    array = scores()
    other = array.copy()
    other[:, 6] = 0.5
    assert told(array, other, differs=False) == [("small", 1, 9, (6,), "")]


def test_errors_in_one_channel() -> None:
    array = np.random.default_rng(1).standard_normal((2, 16, 8, 8)).astype(np.float32)
    other = array.copy()
    other[:, 3] *= 1.5
    other += 1e-4
    (item,) = notable_slices(array, other, differs=True)
    assert (item.kind, item.axis, item.indices) == ("concentrated", 1, (3,))
    assert item.share > 0.99
    assert told(array, other, differs=False) == []
    assert item.as_dict()["indices"] == [3]


def test_nan_in_one_row() -> None:
    array = np.ones((8, 8), np.float32)
    other = array.copy()
    other[5, 2:] = np.nan
    assert told(array, other)[0][:4] == ("concentrated", 0, 8, (5,))


@pytest.mark.parametrize(
    "pair",
    [
        (f32([1, 2, 3]), f32([1, 2, 4])),
        (np.zeros((4, 0), np.float32), np.zeros((4, 0), np.float32)),
        (np.array([["a"]], object), np.array([["b"]], object)),
        (scores(), scores()),
        (scores(), scores() * np.float32(1.001)),
    ],
)
def test_nothing_to_tell(pair: tuple[Array, Array]) -> None:
    assert notable_slices(*pair, differs=True) == ()


@pytest.mark.parametrize(
    ("array", "other", "count"),
    [
        (f32([1, 2, 3, 100]), f32([1, 2.2, 3, 101]), 1),
        (f32([1, np.nan, np.inf, 100]), f32([np.nan, np.nan, 3, 100]), 2),
        (np.array([1, 2, 3]), np.array([1, 0, 0]), 2),
        (np.array(["a", "b"], object), np.array(["a", "c"], object), 1),
    ],
)
def test_elements_beyond_a_tolerance(array: Array, other: Array, count: int) -> None:
    assert beyond(array, other, errors(array, other), 0.005, 0) == count


@pytest.mark.parametrize("precision", ["bf16", "f16"])
def test_expected_outputs_of_fewer_bits(precision: str) -> None:
    array = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)
    expected = round_to(array, precision)
    found = diagnose_expected([array], [expected])
    assert (found.verdict, found.cause) == ("different", "rounding")
    assert found.reason.startswith(
        f"the expected outputs look like {precision}, which holds all of 32 values; the error is "
    )
    far = diagnose_expected([array], [round_to(2 * array, precision)])
    assert (far.verdict, far.cause) == ("unknown", "")
    assert f"; the expected outputs look like {precision}" in far.reason


@pytest.mark.parametrize(
    "expected",
    [
        np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32),
        np.ones(3, np.float32),
        np.array(["a"], object),
        None,
    ],
)
def test_expected_outputs_that_tell_nothing(expected: Array | None) -> None:
    array = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)
    found = diagnose_expected([array], [expected])
    assert (found.verdict, found.reason) == ("unknown", "expected outputs do not tell which layer differs")
    assert diagnose_expected([f32(range(32))], [f32(range(1, 33))]).reason == found.reason


def test_the_record_of_a_slice() -> None:
    item = SliceErrors("zero", 1, 9, (4,), 1.0, 0.5, "other")
    assert item.as_dict() == {
        "kind": "zero",
        "axis": 1,
        "size": 9,
        "indices": [4],
        "relative": 1.0,
        "share": 0.5,
        "zero": "other",
    }

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_DATA = f32([[[3, 0], [7, 0]], [[-1, 0], [-1, 0]]])
"""The frames 1, 2 and 3, 4: sums, and differences."""
_PLAIN = {"center": False, "normalized": False}
_ONES = f32([1, 1])

CASES = [
    Case("ISTFT", 16, [_DATA, _ONES, i64(2), i64(2)], [f32([1, 2, 3, 4])], _PLAIN, name="frames side by side"),
    Case("ISTFT", 16, [_DATA, _ONES, i32(2), i32(1)], [f32([1, 2.5, 4])], _PLAIN, name="frames overlap"),
    Case(
        "ISTFT",
        16,
        [_DATA, f32([1, 2]), i64(2), i64(1)],
        [f32([1, (2 * 2 + 3 * 1) / (4 + 1), 2])],
        _PLAIN,
        name="window",
    ),
    Case(
        "ISTFT", 16, [_DATA, _ONES, i64(2), i64(1)], [f32([2.5])], {"center": True, "normalized": False}, name="center"
    ),
    Case(
        "ISTFT",
        16,
        [_DATA[None] / f32(np.sqrt(2)), _ONES, i64(2), i64(2)],
        [f32([[1, 2, 3, 4]])],
        {"center": False, "normalized": True},
        name="normalized batch",
    ),
    Case("ISTFT", 16, [_DATA, _ONES, i64(2), i64(2), i64(6)], [f32([1, 2, 3, 4, 0, 0])], _PLAIN, name="longer"),
    Case("ISTFT", 16, [_DATA, _ONES, i64(2), i64(2), i64([3])], [f32([1, 2, 3])], _PLAIN, name="shorter"),
    Case("ISTFT", 16, [_DATA, _ONES, i64(2), i64(3)], [f32([1, 2, 0, 3, 4])], _PLAIN, name="a gap between frames"),
    Case(
        "ISTFT",
        16,
        [_DATA, f32([1, 1, 1]), i64(3), i64(1)],
        [f32([1.5])],
        {"center": True, "normalized": False},
        name="center of an odd frame",
        departs="odd frames",
    ),
]
INVALID = [
    Invalid("ISTFT", 16, [_DATA, f32([1, 1, 1]), i64(2), i64(1)], "the window has 3 samples", _PLAIN, input=1),
    Invalid("ISTFT", 16, [_DATA, _ONES, i64(4), i64(1)], "data has 2 frequencies, expected 3", _PLAIN, input=0),
    Invalid("ISTFT", 16, ["f32[2,2]", _ONES, i64(2), i64(1)], "has rank 2, expected 3 or 4", _PLAIN, input=0),
    Invalid(
        "ISTFT", 16, ["f32[2,2,3]", _ONES, i64(2), i64(1)], "the last size of data is 3, expected 2", _PLAIN, input=0
    ),
    Invalid(
        "ISTFT", 16, [_DATA, _ONES, i64(2), i64(1)], "center is missing", {"normalized": False}, attribute="center"
    ),
    Invalid("ISTFT", 16, [_DATA, _ONES, i64(2), i64(1), i64([1, 2])], "signal_length has shape [2]", _PLAIN, input=4),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i64

CASES = [
    Case("Identity", 16, [f32([[1, 2, 3], [4, 5, 6], [7, 8, 9]])], [f32([[1, 2, 3], [4, 5, 6], [7, 8, 9]])]),
    Case(
        "Identity",
        16,
        [i64([2**60 + 1])],
        [i64([2**60 + 1])],
        name="i64",
        departs="64-bit",
    ),
    Case("Identity", 16, [boolean([True, False])], [boolean([True, False])], name="boolean"),
    Case(
        "Identity",
        16,
        [np.array(["a", ""], object)],
        [np.array(["a", ""], object)],
        name="string",
        departs="strings",
    ),
    Case("Identity", 16, [f32(np.zeros((0, 3)))], [f32(np.zeros((0, 3)))], name="empty"),
]
INVALID = [
    Invalid("Identity", 16, [f32([1]), f32([1])], "Identity has 2 inputs, expected 1 (input)"),
]

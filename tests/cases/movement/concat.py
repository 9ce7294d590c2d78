from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i64, u8


def image(channels: int) -> np.ndarray:
    """Return [1, channels, 50, 50] filled with the number of channels."""
    return np.full((1, channels, 50, 50), channels, dtype=np.float32)


PAGE = f32(np.repeat([8.0] * 8 + [16.0] * 16 + [32.0] * 32, 2500).reshape(1, 56, 50, 50))

CASES = [
    Case("Concat", 1, [image(8), image(16), image(32)], [PAGE], {"axis": 1}, source="page", name="channels"),
    Case("Concat", 1, [image(8), image(16), image(32)], [PAGE], {"axis": -3}, source="page", name="negative-axis"),
    Case(
        "Concat", 1, [f32([[1, 2]]), f32([[3, 4], [5, 6]])], [f32([[1, 2], [3, 4], [5, 6]])], {"axis": 0}, name="rows"
    ),
    Case(
        "Concat", 1, [f32([[1], [2]]), f32([[3, 4], [5, 6]])], [f32([[1, 3, 4], [2, 5, 6]])], {"axis": -1}, name="last"
    ),
    Case("Concat", 1, [f32([1, 2])], [f32([1, 2])], {"axis": 0}, name="single"),
    Case("Concat", 1, [i64([2**60]), i64([-1, 5])], [i64([2**60, -1, 5])], {"axis": 0}, name="wide", departs="64-bit"),
    Case("Concat", 1, [u8([1]), u8([255])], [u8([1, 255])], {"axis": 0}, name="bytes"),
    Case("Concat", 1, [boolean([True]), boolean([False])], [boolean([True, False])], {"axis": 0}, name="booleans"),
    Case("Concat", 1, [f32(np.zeros((2, 0))), f32([[1], [2]])], [f32([[1], [2]])], {"axis": 1}, name="empty-part"),
    Case("Concat", 7, [f32([1]), f32([np.nan])], [f32([1, np.nan])], {"axis": 0}, name="later-opset"),
    Case(
        "Concat",
        1,
        [np.array(["a"], dtype=object), np.array(["bc", ""], dtype=object)],
        [np.array(["a", "bc", ""], dtype=object)],
        {"axis": 0},
        name="strings",
    ),
]

INVALID = [
    Invalid(
        "Concat",
        1,
        [f32([[1, 2]]), f32([[1, 2, 3]])],
        "size 1 of all inputs must be the same, got 2 and 3",
        {"axis": 0},
        input=1,
    ),
    Invalid(
        "Concat",
        1,
        ["f32[2,?]", "f32[3,4]"],
        "size 0 of all inputs must be the same, got 2 and 3",
        {"axis": 1},
        input=1,
    ),
    Invalid("Concat", 1, [f32([1]), f32([[1]])], "input 1 has rank 2, expected 1 as the others", {"axis": 0}, input=1),
    Invalid("Concat", 1, [f32([1]), f32([1])], "axis 1 is outside a tensor of rank 1", {"axis": 1}, attribute="axis"),
    Invalid(
        "Concat", 1, [f32(1), f32(1)], "input 0 is a scalar, expected a tensor of rank 1 or more", {"axis": 0}, input=0
    ),
    Invalid("Concat", 1, [f32([1]), i64([1])], "input 1 (inputs) is i64 but input 0 is f32", {"axis": 0}, input=1),
    Invalid("Concat", 1, [f32([1])], "axis is missing; Concat requires it", attribute="axis"),
]

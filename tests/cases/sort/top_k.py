from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64, u8

_ROWS = f32([[3, 1, 2, 5], [9, 8, 7, 6]])
_TIES = f32([5, 3, 1, 2, 5, 5])


def _attributes(axis: int = -1, mode: str = "max", sort: str = "value", **others: Any) -> dict[str, Any]:
    return {"axis": axis, "mode": mode, "sort": sort, **others}


CASES = [
    Case(
        "TopK", 1, [_ROWS, i64(2)], [f32([[5, 3], [9, 8]]), i32([[3, 0], [0, 1]])], _attributes(), name="max by value"
    ),
    Case(
        "TopK", 1, [_ROWS, i64(1)], [f32([[3, 1, 2, 5]]), i32([[0, 0, 0, 0]])], _attributes(0, "min"), name="first axis"
    ),
    Case(
        "TopK",
        3,
        [_ROWS, i64(3)],
        [f32([[3, 2, 5], [9, 8, 7]]), i64([[0, 2, 3], [0, 1, 2]])],
        _attributes(sort="index", index_element_type="i64"),
        name="max by index",
    ),
    Case("TopK", 3, [_ROWS, i64(2)], [f32([[1, 2], [6, 7]]), i32([[1, 2], [3, 2]])], _attributes(1, "min"), name="min"),
    Case(
        "TopK",
        3,
        [f32([[[1, 2], [4, 3]], [[5, 8], [7, 6]]]), i32(1)],
        [f32([[[4, 3]], [[7, 8]]]), i32([[[1, 1]], [[1, 0]]])],
        _attributes(-2),
        name="middle axis",
    ),
    Case(
        "TopK",
        3,
        [f32([np.nan, 1, -np.inf, 2]), i64(4)],
        [f32([2, 1, -np.inf, np.nan]), i32([3, 1, 2, 0])],
        _attributes(),
        "page",
        "NaN is the smallest for max",
        departs="nan",
    ),
    Case(
        "TopK",
        3,
        [f32([2, np.nan, -np.inf, np.nan]), i64(3)],
        [f32([np.nan, np.nan, -np.inf]), i32([1, 3, 2])],
        _attributes(mode="min"),
        "page",
        "NaN is the smallest for min",
        departs="nan",
    ),
    Case(
        "TopK",
        11,
        [_TIES, i64(4)],
        [f32([5, 3, 1, 2]), i32([0, 1, 2, 3])],
        _attributes(0, "min", "index", stable=True),
        "page",
        "ties by index",
    ),
    Case(
        "TopK",
        11,
        [_TIES, i64(4)],
        [f32([5, 5, 5, 3]), i32([0, 4, 5, 1])],
        _attributes(0, stable=True),
        name="ties by value",
    ),
    Case(
        "TopK",
        11,
        [i64([2**53, 2**53 + 1, -(2**63)]), i64(3)],
        [i64([2**53 + 1, 2**53, -(2**63)]), i32([1, 0, 2])],
        _attributes(),
        name="i64 beyond f64",
        departs="64-bit",
    ),
    Case("TopK", 11, [u8([0, 255, 7]), i64(2)], [u8([255, 7]), i32([1, 2])], _attributes(), name="u8"),
    Case(
        "TopK",
        11,
        [f32(np.arange(2000) % 500), i64(5)],
        [f32([499, 499, 499, 499, 498]), i32([499, 999, 1499, 1999, 498])],
        _attributes(stable=True),
        name="long row with ties",
    ),
    Case(
        "TopK",
        11,
        [_ROWS, i64(4)],
        [f32([[3, 1, 2, 5], [9, 8, 7, 6]]), i32([[0, 1, 2, 3]] * 2)],
        _attributes(sort="index"),
        name="all",
    ),
    Case(
        "TopK",
        11,
        [f32(np.zeros((0, 3))), i64(2)],
        [f32(np.zeros((0, 2))), i32(np.zeros((0, 2)))],
        _attributes(),
        name="empty",
    ),
]
INVALID = [
    Invalid("TopK", 3, [_ROWS, i64(5)], "k is 5, expected 0 to 4, the size of axis 1", _attributes(), input=1),
    Invalid("TopK", 3, [_ROWS, i64(-1)], "k is -1, expected 0 to 4", _attributes(), input=1),
    Invalid("TopK", 3, [_ROWS, i64([1])], "has rank 1, expected 0", _attributes(), input=1),
    Invalid("TopK", 1, [_ROWS, i64(1)], "axis 2 is outside a tensor of rank 2", _attributes(2), attribute="axis"),
    Invalid("TopK", 11, [_ROWS, i64(1)], "mode is missing", {"axis": 0, "sort": "value"}, attribute="mode"),
    Invalid("TopK", 11, [_ROWS, f32(1)], "is f32, expected any integer type", _attributes(), input=1),
]

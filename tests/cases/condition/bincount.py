from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32, i64, u8

_DATA = i64([0, 1, 1, 3, 3, 3])

CASES = [
    Case("Bincount", 17, [_DATA], [i64([1, 2, 0, 3])], departs="unknown"),
    Case(
        "Bincount",
        17,
        [_DATA, f32([1, 2, 3, 4, 5, 0.5])],
        [f32([1, 5, 0, 9.5, 0])],
        {"minlength": 5},
        name="weights",
        types={1: "f32"},
        departs="unknown",
    ),
    Case(
        "Bincount", 17, [i32([2, 2]), i64([2**60, 1])], [i64([0, 0, 2**60 + 1])], name="i64_weights", departs="unknown"
    ),
    Case("Bincount", 17, [u8([255])], [i64([0] * 255 + [1])], {"minlength": 3}, name="u8", departs="unknown"),
    Case("Bincount", 17, [i64([]), f64([])], [f64([0, 0])], {"minlength": 2}, name="empty", departs="unknown"),
    Case("Bincount", 17, [np.array([1], np.uint64)], [i64([0, 1])], name="u64", departs="unknown"),
]
INVALID = [
    Invalid("Bincount", 17, [_DATA, f32([1])], "weights has shape [1], expected that of data, [6]", input=1),
    Invalid("Bincount", 17, [i64([3, -1])], "data has the element -1, expected none below 0", input=0),
    Invalid("Bincount", 17, [f32([1])], "input 0 (data) is f32", input=0),
    Invalid("Bincount", 17, [i64([[1]])], "input 0 (data) has rank 2, expected 1", input=0),
    Invalid("Bincount", 17, [_DATA], "minlength is -1, expected >= 0", {"minlength": -1}, attribute="minlength"),
]

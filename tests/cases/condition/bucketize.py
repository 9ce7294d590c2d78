from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

_DATA, _BUCKETS = f32([[3, 50], [10, -1]]), f32([0, 5, 10])

CASES = [
    Case("Bucketize", 3, [_DATA, _BUCKETS], [i64([[1, 3], [2, 0]])], source="page"),
    Case("Bucketize", 3, [_DATA, _BUCKETS], [i64([[1, 3], [3, 0]])], {"with_right_bound": False}, name="left"),
    Case("Bucketize", 3, [_DATA, _BUCKETS], [i32([[1, 3], [2, 0]])], {"output_type": "i32"}, name="i32"),
    Case("Bucketize", 3, [i64([3, 50, 10, -1]), i32([0, 5, 10])], [i64([1, 3, 2, 0])], name="integers"),
    Case("Bucketize", 3, [i32([2, 3]), f32([2.5])], [i64([0, 1])], name="mixed"),
    Case("Bucketize", 3, [_DATA, f32([])], [i64([[0, 0], [0, 0]])], name="no_buckets"),
    Case("Bucketize", 3, [f32([np.nan, np.inf, -np.inf]), _BUCKETS], [i64([0, 3, 0])], name="not_finite"),
    Case("Bucketize", 3, [f32([np.nan]), _BUCKETS], [i64([3])], {"with_right_bound": False}, name="nan_left"),
    Case("Bucketize", 3, [f32(np.zeros((0, 2))), _BUCKETS], [i64(np.zeros((0, 2)))], name="empty"),
    Case("Bucketize", 3, [f32(7), _BUCKETS], [i64(2)], name="scalar"),
]
INVALID = [
    Invalid("Bucketize", 3, [_DATA, f32([[1]])], "input 1 (buckets) has rank 2, expected 1", input=1),
    Invalid(
        "Bucketize", 3, [boolean([True]), _BUCKETS], "input 0 (data) is boolean, expected any numeric type", input=0
    ),
]

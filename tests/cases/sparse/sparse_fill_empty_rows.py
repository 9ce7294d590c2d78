from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

_OP = "SparseFillEmptyRows"
_NONE = i32(np.zeros((0, 2)))

CASES = [
    Case(
        _OP,
        16,
        [f32([1, 2, 3, 4]), i32([5, 6]), i32([[0, 1], [0, 3], [2, 0], [3, 1]]), f32(9)],
        [
            i32([[0, 1], [0, 3], [1, 0], [2, 0], [3, 1], [4, 0]]),
            f32([1, 2, 9, 3, 4, 9]),
            boolean([False, True, False, False, True]),
        ],
        source="page",
        name="two empty rows",
    ),
    Case(
        _OP,
        16,
        [f32([1, 3]), i32([3, 3]), i32([[0, 0], [2, 2]]), f32(42)],
        [i32([[0, 0], [1, 0], [2, 2]]), f32([1, 42, 3]), boolean([False, True, False])],
        source="page",
        name="one empty row",
    ),
    Case(
        _OP,
        16,
        [i64([]), i32([2, 3]), _NONE, i64(2**53 + 1)],
        [i32([[0, 0], [1, 0]]), i64([2**53 + 1] * 2), boolean([True, True])],
        name="all rows empty",
        departs="empty",
    ),
    Case(
        _OP,
        16,
        [i32([1, 2]), i64([2, 2]), i64([[1, 0], [0, 1]]), i32(0)],
        [i64([[0, 1], [1, 0]]), i32([2, 1]), boolean([False, False])],
        name="sorted into row-major order",
    ),
]
INVALID = [
    Invalid(
        _OP, 16, [f32([1]), i32([2, 2]), i32([[0, 0], [1, 1]]), f32(0)], "the numbers of values and of indices", input=2
    ),
    Invalid(_OP, 16, [f32([1]), i32([2, 2]), "i32[1,3]", f32(0)], "indices have shape [1,3], expected [1,2]", input=2),
    Invalid(
        _OP, 16, [f32([1]), i32([2, 2, 2]), i32([[0, 0]]), f32(0)], "dense_shape has 3 elements, expected 2", input=1
    ),
    Invalid(_OP, 16, [f32([1]), i32([2, 2]), i64([[0, 0]]), f32(0)], "both must have the same type T_IDX", input=2),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

KEEP = {"special_zero": True}
PLAIN = {"special_zero": False}
BLOCK = f32(np.arange(2 * 5 * 5 * 24).reshape(2, 5, 5, 24))
SMALL = f32(np.arange(12).reshape(2, 2, 3))
COLUMN = f32([[[1]], [[2]], [[3]]])

CASES = [
    Case("Reshape", 1, [f32(np.zeros((2, 5, 5, 0))), i64([0, 4])], [f32(np.zeros((0, 4)))], PLAIN, "page", "empty"),
    Case("Reshape", 1, [BLOCK, i64([0, -1, 4])], [f32(np.arange(1200).reshape(2, 150, 4))], KEEP, "page", "keep-first"),
    Case("Reshape", 1, [SMALL, i64([0, 0, 1, -1])], [f32(np.arange(12).reshape(2, 2, 1, 3))], KEEP, "page", "keep-two"),
    Case("Reshape", 1, [COLUMN, i64([-1, 0])], [f32([[1], [2], [3]])], KEEP, "page", "keep-second"),
    Case("Reshape", 1, [COLUMN, i64([0, -1])], [f32([[1], [2], [3]])], KEEP, "page", "keep-first-of-column"),
    Case("Reshape", 1, [SMALL, i32([3, 4])], [f32(np.arange(12).reshape(3, 4))], PLAIN, name="sizes"),
    Case("Reshape", 1, [f32([[7]]), i64([])], [f32(7)], KEEP, name="to-a-scalar"),
    Case("Reshape", 1, [f32(7), i64([1, -1])], [f32([[7]])], KEEP, name="from-a-scalar"),
    Case("Reshape", 1, [f32(np.zeros((0, 4))), i64([0, -1])], [f32(np.zeros((0, 4)))], KEEP, name="empty-kept"),
    Case("Reshape", 1, [f32(np.zeros((0, 4))), i64([-1, 2])], [f32(np.zeros((0, 2)))], PLAIN, name="empty-rest"),
    Case("Reshape", 1, [f32(np.zeros((0, 8))), i64([0, 2, 3])], [f32(np.zeros((0, 2, 3)))], KEEP, name="empty-fit"),
    Case(
        "Reshape",
        1,
        [f32(np.zeros((0, 4))), i64([0, -1])],
        [f32(np.zeros((0, 1)))],
        PLAIN,
        name="empty-open",
    ),
    Case("Reshape", 1, [i64([[2**60, 1]]), i64([2, 1])], [i64([[2**60], [1]])], PLAIN, name="wide", departs="64-bit"),
    Case(
        "Reshape",
        1,
        [np.array([["a", "b"]], dtype=object), i64([2])],
        [np.array(["a", "b"], dtype=object)],
        PLAIN,
        name="strings",
    ),
]

INVALID = [
    Invalid(
        "Reshape", 1, [SMALL, i64([5, 2])], "shape [5,2] has 10 elements, but data [2,2,3] have 12", PLAIN, input=1
    ),
    Invalid(
        "Reshape", 1, [SMALL, i64([5, -1])], "shape [5,-1] does not divide data [2,2,3] of 12 elements", PLAIN, input=1
    ),
    Invalid("Reshape", 1, [SMALL, i64([-1, -1])], "shape holds -1 2 times, expected at most once", PLAIN, input=1),
    Invalid("Reshape", 1, [SMALL, i64([-2])], "shape holds -2, but a size cannot be negative", PLAIN, input=1),
    Invalid("Reshape", 1, [f32([1, 2]), i64([2, 0])], "shape copies size 1 of data, which have rank 1", KEEP, input=1),
    Invalid(
        "Reshape",
        1,
        [SMALL, i64([0, -1])],
        "-1 has no size where another is 0 and data [2,2,3] have elements",
        PLAIN,
        input=1,
    ),
    Invalid(
        "Reshape", 1, ["f32[2..3]", i64([4])], "shape [4] has 4 elements, but data [2..3] have 2..3", PLAIN, input=1
    ),
    Invalid("Reshape", 1, [SMALL, i64(12)], "input 1 (shape) has rank 0, expected 1", PLAIN, input=1),
    Invalid("Reshape", 1, [SMALL, f32([12])], "input 1 (shape) is f32, expected any integer type", PLAIN, input=1),
    Invalid("Reshape", 1, [SMALL, i64([12])], "special_zero is missing; Reshape requires it", attribute="special_zero"),
]

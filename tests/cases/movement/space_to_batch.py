from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

BLOCK = f32(np.arange(2 * 6 * 10 * 9).reshape(2, 6, 10, 3, 3))

CASES = [
    Case(
        "SpaceToBatch",
        2,
        [BLOCK, i64([1, 2, 4, 3, 1]), i64([0, 0, 1, 0, 0]), i64([0, 0, 1, 0, 0])],
        [
            np.pad(BLOCK, ((0, 0), (0, 0), (1, 1), (0, 0), (0, 0)))
            .reshape(2, 3, 2, 3, 4, 1, 3, 3, 1)
            .transpose(2, 4, 6, 8, 0, 1, 3, 5, 7)
            .reshape(48, 3, 3, 1, 3)
        ],
        source="page",
        name="5d",
    ),
    Case(
        "SpaceToBatch",
        2,
        [f32([[1, 2, 3]]), i32([1, 2]), i32([0, 1]), i32([0, 0])],
        [f32([[0, 2], [1, 3]])],
        name="padded",
    ),
    Case(
        "SpaceToBatch",
        2,
        [f32([[[[1, 2], [3, 4]]]]), i64([1, 1, 2, 2]), i64([0] * 4), i64([0] * 4)],
        [f32([[[[1]]], [[[2]]], [[[3]]], [[[4]]]])],
        name="image",
    ),
    Case(
        "SpaceToBatch",
        2,
        [i64([[2**60, 1]]), i64([1, 2]), i64([0, 0]), i64([0, 0])],
        [i64([[2**60], [1]])],
        name="wide",
        departs="64-bit",
    ),
    Case("SpaceToBatch", 2, [f32([[1, 2]]), i64([1, 1]), i64([0, 0]), i64([0, 0])], [f32([[1, 2]])], name="nothing"),
    Case(
        "SpaceToBatch",
        2,
        [f32(np.zeros((0, 4))), i64([1, 2]), i64([0, 0]), i64([0, 0])],
        [f32(np.zeros((0, 2)))],
        name="empty",
        departs="empty",
    ),
]

ROW = f32([[1, 2, 3]])
INVALID = [
    Invalid(
        "SpaceToBatch",
        2,
        [ROW, i64([1, 2]), i64([0, 0]), i64([0, 0])],
        "axis 1 has 3 elements with its pads, which do not divide by 2",
        input=1,
    ),
    Invalid(
        "SpaceToBatch",
        2,
        [ROW, i64([1, 3]), i64([1, 0]), i64([0, 0])],
        "pads_begin is 1 for axis 0, the batch, expected 0",
        input=2,
    ),
    Invalid(
        "SpaceToBatch",
        2,
        [ROW, i64([2, 3]), i64([0, 0]), i64([0, 0])],
        "block_shape is 2 for axis 0, the batch, expected 1",
        input=1,
    ),
    Invalid(
        "SpaceToBatch",
        2,
        [ROW, i64([1, 3]), i64([0, 0]), i64([0, -3])],
        "pads_end is -3 for axis 1, expected 0 or more",
        input=3,
    ),
    Invalid(
        "SpaceToBatch", 2, [ROW, i64([1, 3]), i64([0]), i64([0, 0])], "pads_begin has 1 element, expected 2", input=2
    ),
    Invalid(
        "SpaceToBatch", 2, [f32([1]), i64([1]), i64([0]), i64([0])], "data have rank 1, expected 2 or more", input=0
    ),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

LINES = f32(np.arange(20).reshape(10, 2))
BLOCK = f32(np.arange(48 * 27).reshape(48, 3, 3, 1, 3))

CASES = [
    Case(
        "BatchToSpace",
        2,
        [LINES, i64([1, 5]), i64([0, 2]), i64([0, 0])],
        [f32([[8, 12, 16, 1, 5, 9, 13, 17], [10, 14, 18, 3, 7, 11, 15, 19]])],
        source="page",
        name="2d",
    ),
    Case(
        "BatchToSpace",
        2,
        [BLOCK, i64([1, 2, 4, 3, 1]), i64([0, 0, 1, 0, 0]), i64([0, 0, 1, 0, 0])],
        [
            BLOCK.reshape(2, 4, 3, 1, 2, 3, 3, 1, 3)
            .transpose(4, 5, 0, 6, 1, 7, 2, 8, 3)
            .reshape(2, 6, 12, 3, 3)[:, :, 1:11]
        ],
        source="page",
        name="5d",
    ),
    Case(
        "BatchToSpace",
        2,
        [f32([[[[1]]], [[[2]]], [[[3]]], [[[4]]]]), i32([1, 1, 2, 2]), i32([0] * 4), i32([0, 0, 0, 1])],
        [f32([[[[1], [3]]]])],
        name="cropped",
    ),
    Case(
        "BatchToSpace",
        2,
        [i64([[2**60], [1]]), i64([1, 2]), i64([0, 0]), i64([0, 0])],
        [i64([[2**60, 1]])],
        name="wide",
        departs="64-bit",
    ),
    Case("BatchToSpace", 2, [f32([[1, 2]]), i64([1, 1]), i64([0, 0]), i64([0, 0])], [f32([[1, 2]])], name="nothing"),
    Case(
        "BatchToSpace",
        2,
        [f32(np.zeros((0, 2))), i64([1, 2]), i64([0, 0]), i64([0, 0])],
        [f32(np.zeros((0, 4)))],
        name="empty",
    ),
]

INVALID = [
    Invalid(
        "BatchToSpace",
        2,
        [LINES, i64([1, 3]), i64([0, 0]), i64([0, 0])],
        "a batch of 10 does not divide into blocks of 3",
        input=1,
    ),
    Invalid(
        "BatchToSpace",
        2,
        [LINES, i64([1, 5]), i64([0, 6]), i64([0, 5])],
        "crops take 11 of axis 1, which has 10 elements",
        input=2,
    ),
    Invalid(
        "BatchToSpace",
        2,
        [LINES, i64([2, 5]), i64([0, 0]), i64([0, 0])],
        "block_shape is 2 for axis 0, the batch, expected 1",
        input=1,
    ),
    Invalid(
        "BatchToSpace",
        2,
        [LINES, i64([1, 5]), i64([1, 0]), i64([0, 0])],
        "crops_begin is 1 for axis 0, the batch, expected 0",
        input=2,
    ),
    Invalid(
        "BatchToSpace",
        2,
        [LINES, i64([1, 0]), i64([0, 0]), i64([0, 0])],
        "block_shape is 0 for axis 1, expected 1 or more",
        input=1,
    ),
    Invalid(
        "BatchToSpace",
        2,
        [LINES, i64([1, 5]), i64([0, 0]), i64([0, -1])],
        "crops_end is -1 for axis 1, expected 0 or more",
        input=3,
    ),
    Invalid(
        "BatchToSpace",
        2,
        [LINES, i64([1, 5, 1]), i64([0, 0]), i64([0, 0])],
        "block_shape has 3 elements, expected 2",
        input=1,
    ),
    Invalid(
        "BatchToSpace", 2, [f32([1]), i64([1]), i64([0]), i64([0])], "data have rank 1, expected 2 or more", input=0
    ),
]

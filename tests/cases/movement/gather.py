from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

FIVE = f32([1, 2, 3, 4, 5])
TWO_BATCHES = f32([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]])
FOUR_BATCHES = f32(np.arange(1, 21).reshape(2, 2, 5))
DEEP = f32(np.arange(1, 41).reshape(2, 1, 5, 4))
LARGE = f32(np.arange(2 * 64 * 128).reshape(2, 64, 128))
PLACES = i64(np.arange(2 * 32 * 21).reshape(2, 32, 21) % 64)
SMALL = f32(np.arange(6 * 12 * 2 * 3).reshape(6, 12, 2, 3))
WORDS = np.array(["a", "b", "c"], dtype=object)

CASES = [
    *(
        case
        for opset in (7, 8)
        for case in (
            Case("Gather", opset, [FIVE, i64([0, 0, 4]), i64(0)], [f32([1, 1, 5])], source="page", name="default"),
            Case(
                "Gather",
                opset,
                [TWO_BATCHES, i64([[0, 0, 4], [4, 0, 0]]), i64(1)],
                [f32([[1, 1, 5], [10, 6, 6]])],
                {"batch_dims": 1},
                source="page",
                name="batches",
            ),
            Case(
                "Gather",
                opset,
                [FOUR_BATCHES, i64([[[0, 0, 4], [4, 0, 0]], [[1, 2, 4], [4, 3, 2]]]), i64(2)],
                [f32([[[1, 1, 5], [10, 6, 6]], [[12, 13, 15], [20, 19, 18]]])],
                {"batch_dims": 2},
                source="page",
                name="two-batch-axes",
            ),
            Case(
                "Gather",
                opset,
                [DEEP, i64([[1, 2, 4], [4, 3, 2]]), i64(2)],
                [
                    f32(
                        [
                            [[[5, 6, 7, 8], [9, 10, 11, 12], [17, 18, 19, 20]]],
                            [[[37, 38, 39, 40], [33, 34, 35, 36], [29, 30, 31, 32]]],
                        ]
                    )
                ],
                {"batch_dims": 1},
                source="page",
                name="axis-after-batches",
            ),
            Case(
                "Gather",
                opset,
                [TWO_BATCHES, i64([[0, 0, 4], [4, 0, 0]]), i64(1)],
                [f32([[1, 1, 5], [10, 6, 6]])],
                {"batch_dims": -1},
                source="page",
                name="negative-batch-dims",
            ),
            Case(
                "Gather",
                opset,
                [TWO_BATCHES, i64([4, 1]), i64(1)],
                [f32([5, 7])],
                {"batch_dims": 1},
                name="an-index-for-each-row",
            ),
            Case(
                "Gather",
                opset,
                [LARGE, PLACES, i64(1)],
                [np.stack([LARGE[0][PLACES[0]], LARGE[1][PLACES[1]]])],
                {"batch_dims": 1},
                source="page",
                name="large",
            ),
        )
    ),
    *(
        case
        for opset in (1, 7, 8)
        for case in (
            Case("Gather", opset, [f32([[1, 2], [3, 4]]), i64(1), i64(0)], [f32([3, 4])], name="scalar-index"),
            Case("Gather", opset, [FIVE, i64(2), i64(0)], [f32(3)], name="to-a-scalar"),
            Case(
                "Gather",
                opset,
                [f32([[1, 2], [3, 4]]), i32([1, 0]), i32([-1])],
                [f32([[2, 1], [4, 3]])],
                name="last-axis",
            ),
            Case(
                "Gather",
                opset,
                [FIVE, i64([]), i64(0)],
                [f32([])],
                name="no-indices",
                departs="empty",
            ),
            Case("Gather", opset, [i64([5, 2**60]), i64([1]), i64(0)], [i64([2**60])], name="wide", departs="64-bit"),
            Case(
                "Gather",
                opset,
                [WORDS, i64([2, 0]), i64(0)],
                [np.array(["c", "a"], dtype=object)],
                name="strings",
            ),
        )
    ),
    *(
        Case(
            "Gather",
            opset,
            [FIVE, i64([3, 10, -1]), i64(0)],
            [f32([4, 0, 0])],
            name="outside",
        )
        for opset in (1, 7)
    ),
    Case(
        "Gather",
        1,
        [SMALL, i64(np.arange(24).reshape(2, 3, 4) % 12), i64(1)],
        [np.moveaxis(np.moveaxis(SMALL, 1, 0)[np.arange(24).reshape(2, 3, 4) % 12], 3, 0)],
        name="4d",
    ),
    *(
        Case("Gather", opset, [FIVE, i64([[3, 1]]), i64(0)], [f32([[4, 2]])], {"batch_dims": -2}, name="no batches")
        for opset in (7, 8)
    ),
    Case("Gather", 8, [FIVE, i64([0, -2, -1]), i64(0)], [f32([1, 4, 5])], source="page", name="negative-indices"),
    Case("Gather", 8, [FIVE, i64([3, 10, -20]), i64(0)], [f32([4, 0, 0])], source="page", name="outside"),
    Case(
        "Gather",
        8,
        [TWO_BATCHES, i64([[-1, 5], [-6, 0]]), i64(1)],
        [f32([[5, 0], [0, 6]])],
        {"batch_dims": 1},
        name="outside-in-batches",
    ),
    Case(
        "Gather",
        8,
        [f32(np.zeros((0, 2))), i64([0, 1]), i64(0)],
        [f32([[0, 0], [0, 0]])],
        name="empty-axis",
        departs="memory",
    ),
    Case("Gather", 12, [FIVE, i64([-1]), i64(0)], [f32([5])], name="later-opset"),
]

INVALID = [
    Invalid("Gather", 8, [FIVE, i64([0]), i64(1)], "axis 1 is outside a tensor of rank 1", input=2),
    Invalid("Gather", 1, [f32(1), i64([0]), i64(0)], "data is a scalar, expected a tensor of rank 1 or more", input=0),
    Invalid("Gather", 1, [FIVE, i64([0]), i64([0, 0])], "axis has shape [2], expected a single element", input=2),
    Invalid(
        "Gather",
        7,
        [TWO_BATCHES, i64([[0]] * 3), i64(1)],
        "size 0 of data and indices must be the same, got 2 and 3",
        {"batch_dims": 1},
        input=1,
    ),
    Invalid(
        "Gather",
        8,
        [TWO_BATCHES, i64([[0]] * 2), i64(0)],
        "axis 0 is one of the 1 batch axes",
        {"batch_dims": 1},
        input=2,
    ),
    Invalid(
        "Gather",
        8,
        [TWO_BATCHES, i64([0]), i64(0)],
        "batch_dims is 2, but indices has rank 1",
        {"batch_dims": 2},
        attribute="batch_dims",
    ),
    Invalid("Gather", 8, [FIVE, f32([0]), i64(0)], "input 1 (indices) is f32, expected any integer type", input=1),
]

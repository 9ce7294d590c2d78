from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

SQUARE = f32([[1, 2], [3, 4]])
ROWS = f32(np.arange(1, 25).reshape(2, 3, 4))
SIX = i64([[[[1]], [[0]], [[2]]], [[[0]], [[2]], [[2]]]])
SMALL = f32(np.arange(20 * 6 * 5 * 3).reshape(20, 6, 5, 3))
TRIPLES = i64(np.stack([np.arange(8) * 2, np.arange(8) % 6, np.arange(8) % 5], 1).reshape(2, 4, 3))

CASES = [
    *(
        case
        for opset in (5, 8)
        for case in (
            Case("GatherND", opset, [SQUARE, i64([[0, 0], [1, 0]])], [f32([1, 3])], source="page", name="elements"),
            Case("GatherND", opset, [SQUARE, i64([[1], [0]])], [f32([[3, 4], [1, 2]])], source="page", name="slices"),
            Case(
                "GatherND",
                opset,
                [SQUARE, i64([[[1]], [[0]]])],
                [f32([[[3, 4]], [[1, 2]]])],
                source="page",
                name="leading",
            ),
            Case(
                "GatherND",
                opset,
                [SQUARE, i64([[1], [0]])],
                [f32([2, 3])],
                {"batch_dims": 1},
                source="page",
                name="batches",
            ),
            Case(
                "GatherND",
                opset,
                [ROWS, i64([[1], [0]])],
                [f32([[5, 6, 7, 8], [13, 14, 15, 16]])],
                {"batch_dims": 1},
                source="page",
                name="slices-of-batches",
            ),
            Case("GatherND", opset, [SMALL, TRIPLES], [SMALL[tuple(np.moveaxis(TRIPLES, 2, 0))]], name="triples"),
            Case("GatherND", opset, [i64([2**60, 1]), i32([[0]])], [i64([2**60])], name="wide", departs="64-bit"),
            Case("GatherND", opset, [f32([1, 2]), i64([1])], [f32(2)], name="to-a-scalar"),
            Case(
                "GatherND",
                opset,
                [f32([1, 2]), i64(np.zeros((3, 0)))],
                [f32([[1, 2]] * 3)],
                name="no-axes",
                departs="empty",
            ),
            Case(
                "GatherND",
                opset,
                [f32([1, 2]), i64(np.zeros((0, 1)))],
                [f32([])],
                name="no-indices",
            ),
            Case(
                "GatherND",
                opset,
                [f32([[1, 2, 3]]), i64([[0], [2]])],
                [f32([1, 3])],
                {"batch_dims": 1},
                name="broadcast-batch",
                departs="batch",
            ),
        )
    ),
    Case(
        "GatherND",
        5,
        [ROWS, SIX],
        [f32([[2], [5], [11], [13], [19], [23]])],
        {"batch_dims": 2},
        source="page",
        name="two-batch-axes",
    ),
    Case(
        "GatherND",
        8,
        [ROWS, SIX],
        [f32([[[2], [5], [11]], [[13], [19], [23]]])],
        {"batch_dims": 2},
        source="page",
        name="two-batch-axes",
    ),
    Case(
        "GatherND",
        8,
        [f32(np.arange(1, 17).reshape(1, 2, 2, 4)), i64([[[[1], [0]], [[3], [2]]]])],
        [f32([[[2, 5], [12, 15]]])],
        {"batch_dims": 3},
        source="page",
        name="three-batch-axes",
    ),
    Case("GatherND", 8, [SQUARE, i64([[-1, -2]])], [f32([3])], name="negative"),
]

INVALID = [
    Invalid("GatherND", 8, [SQUARE, i64([[0, 0, 0]])], "indices name 3 axes, but data has 2 to name", input=1),
    Invalid(
        "GatherND",
        5,
        [SQUARE, i64([[0, 0]] * 2)],
        "indices name 2 axes, but data has 1 to name",
        {"batch_dims": 1},
        input=1,
    ),
    Invalid(
        "GatherND",
        8,
        [SQUARE, i64([[0]] * 3)],
        "size 0 is 2 in data and 3 in indices, expected the same or 1",
        {"batch_dims": 1},
        input=1,
    ),
    Invalid(
        "GatherND",
        8,
        [SQUARE, i64([0])],
        "batch_dims is 1, but indices has rank 1",
        {"batch_dims": 1},
        attribute="batch_dims",
    ),
    Invalid(
        "GatherND", 8, [SQUARE, i64([0])], "batch_dims is -1, expected >= 0", {"batch_dims": -1}, attribute="batch_dims"
    ),
    Invalid("GatherND", 5, [SQUARE, i64(0)], "indices is a scalar, expected rank 1 or more", input=1),
    Invalid("GatherND", 5, [SQUARE, f32([0])], "input 1 (indices) is f32, expected any integer type", input=1),
]

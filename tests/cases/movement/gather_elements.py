from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

GRID = f32(np.arange(105).reshape(3, 7, 5))
PLACES = i64(np.arange(150).reshape(3, 10, 5) % 7)

CASES = [
    Case(
        "GatherElements",
        6,
        [f32([[1, 2], [3, 4]]), i64([[0, 1], [0, 0]])],
        [f32([[1, 4], [1, 2]])],
        {"axis": 0},
        source="page",
        name="rows",
    ),
    Case(
        "GatherElements",
        6,
        [f32([[1, 7], [4, 3]]), i64([[1, 1, 0], [1, 0, 1]])],
        [f32([[7, 7, 1], [3, 4, 3]])],
        {"axis": 1},
        source="page",
        name="more-indices",
    ),
    Case(
        "GatherElements",
        6,
        [f32([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), i32([[1, 0, 1], [1, 2, 0]])],
        [f32([[4, 2, 6], [4, 8, 3]])],
        {"axis": 0},
        source="page",
        name="fewer-indices",
    ),
    Case(
        "GatherElements",
        6,
        [GRID, PLACES],
        [GRID[np.arange(3)[:, None, None], PLACES, np.arange(5)]],
        {"axis": 1},
        source="page",
        name="3d",
    ),
    Case("GatherElements", 6, [f32([[1, 2, 3]]), i64([[-1, 0]])], [f32([[3, 1]])], {"axis": -1}, name="negative"),
    Case("GatherElements", 6, [i64([2**60, 1]), i64([0])], [i64([2**60])], {"axis": 0}, name="wide", departs="64-bit"),
    Case(
        "GatherElements",
        6,
        [f32([[1, 2]]), i64(np.zeros((1, 0)))],
        [f32(np.zeros((1, 0)))],
        {"axis": 1},
        name="no-indices",
    ),
]

INVALID = [
    Invalid("GatherElements", 6, [GRID, i64([[0]])], "indices have rank 2, expected 3 as data", {"axis": 1}, input=1),
    Invalid(
        "GatherElements",
        6,
        [f32([[1, 2]]), i64([[0], [0]])],
        "size 0 of data and indices must be the same, got 1 and 2",
        {"axis": 1},
        input=1,
    ),
    Invalid(
        "GatherElements", 6, [f32([1]), i64([0])], "axis 1 is outside a tensor of rank 1", {"axis": 1}, attribute="axis"
    ),
    Invalid("GatherElements", 6, [f32(1), i64([0])], "data is a scalar, expected rank 1 or more", {"axis": 0}, input=0),
    Invalid(
        "GatherElements", 6, [f32([1]), f32([0])], "input 1 (indices) is f32, expected i32 or i64", {"axis": 0}, input=1
    ),
    Invalid("GatherElements", 6, [f32([1]), i64([0])], "axis is missing; GatherElements requires it", attribute="axis"),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64, u8

CUBE = f32(np.arange(24).reshape(2, 3, 4))
FOUR = f32(np.arange(120).reshape(5, 2, 3, 4))
STRINGS = np.array(["a", "b"], dtype=object)

CASES = [
    Case(
        "Tile",
        1,
        [CUBE, i64([1, 2, 3])],
        [np.concatenate([np.concatenate([CUBE] * 2, 1)] * 3, 2)],
        source="page",
        name="as-many-repeats",
    ),
    Case(
        "Tile",
        1,
        [CUBE, i64([5, 1, 2, 3])],
        [np.stack([np.concatenate([np.concatenate([CUBE] * 2, 1)] * 3, 2)] * 5)],
        source="page",
        name="more-repeats",
    ),
    Case(
        "Tile",
        1,
        [FOUR, i64([1, 2, 3])],
        [np.concatenate([np.concatenate([FOUR] * 2, 2)] * 3, 3)],
        source="page",
        name="fewer-repeats",
    ),
    Case(
        "Tile",
        1,
        [f32(np.arange(6).reshape(2, 3)), i64([2, 2, 2])],
        [np.stack([np.concatenate([np.concatenate([f32([[0, 1, 2], [3, 4, 5]])] * 2, 0)] * 2, 1)] * 2)],
        source="page",
        name="promoted-data",
    ),
    Case(
        "Tile",
        1,
        [f32(np.arange(24).reshape(4, 2, 3)), i64([2, 2])],
        [np.concatenate([np.concatenate([f32(np.arange(24).reshape(4, 2, 3))] * 2, 1)] * 2, 2)],
        source="page",
        name="promoted-repeats",
    ),
    Case("Tile", 1, [f32([[1, 2]]), i32([2, 2])], [f32([[1, 2, 1, 2], [1, 2, 1, 2]])], name="values"),
    Case("Tile", 1, [u8([1, 2, 3]), i64([2])], [u8([1, 2, 3, 1, 2, 3])], name="integers"),
    Case("Tile", 1, [i64([2**60, -1]), i64([1])], [i64([2**60, -1])], name="wide", departs="64-bit"),
    Case("Tile", 1, [f32(7), i64([3])], [f32([7, 7, 7])], name="scalar"),
    Case("Tile", 1, [f32([[1, 2]]), i64([])], [f32([[1, 2]])], name="no-repeats", departs="empty"),
    Case("Tile", 1, [f32([[1, 2]]), i64([0, 3])], [f32(np.zeros((0, 6)))], name="zero-times"),
    Case("Tile", 1, [f32(np.zeros((0, 2))), i64([3, 2])], [f32(np.zeros((0, 4)))], name="empty"),
    Case(
        "Tile",
        1,
        [STRINGS, i64([2])],
        [np.array(["a", "b", "a", "b"], dtype=object)],
        name="strings",
        departs="strings",
    ),
]

INVALID = [
    Invalid("Tile", 1, [f32([1]), i64([[1]])], "input 1 (repeats) has rank 2, expected 1", input=1),
    Invalid("Tile", 1, [f32([1]), f32([2])], "input 1 (repeats) is f32, expected any integer type", input=1),
    Invalid("Tile", 1, [f32([1])], "Tile has 1 input, expected 2 (data, repeats)"),
]

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, boolean, f32, i32, u8

IMAGE = f32([[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]])
ROW = f32([[[[1, 2, 3, 4]]]])


def at(*places: tuple[float, float]) -> Array:
    """Return a grid with one row of positions (x, y)."""
    return f32([[places]])


def how(mode: str, padding: str = "zeros", align: bool = False) -> dict[str, Any]:
    return {"mode": mode, "padding_mode": padding, "align_corners": align}


def row(*values: float) -> Array:
    return f32([[[values]]])


CASES = [
    Case(
        "GridSample",
        9,
        [IMAGE, at((0, 0), (-1, -1), (1, 1), (-1, 1))],
        [row(5, 1, 9, 7)],
        how("nearest", align=True),
        name="corners",
    ),
    Case(
        "GridSample",
        9,
        [IMAGE, at((0, 0), (0.5, 0), (0, -0.5))],
        [row(5, 5.5, 3.5)],
        how("bilinear", align=True),
        name="bilinear-aligned",
    ),
    Case(
        "GridSample",
        9,
        [IMAGE, at((0, 0), (1 / 3, 0), (-1, -1))],
        [row(5, 5.5, 0.25)],
        how("bilinear"),
        name="bilinear",
    ),
    Case(
        "GridSample", 9, [IMAGE, at((-1, -1), (3, 0))], [row(1, 6)], how("bilinear", "border"), name="bilinear-border"
    ),
    Case(
        "GridSample",
        9,
        [ROW, at((1.5, 0), (-1.5, 0), (2.5, 0))],
        [row(3.5, 1.5, 1.5)],
        how("bilinear", "reflection"),
        name="bilinear-reflection",
    ),
    Case(
        "GridSample",
        9,
        [ROW, at((5 / 3, 0), (-5 / 3, 0), (3, 0))],
        [row(3, 2, 1)],
        how("bilinear", "reflection", True),
        name="bilinear-reflection-aligned",
    ),
    Case(
        "GridSample",
        9,
        [ROW, at((0.25, 0), (0.75, 0), (-0.25, 0), (-2, 0))],
        [row(3, 4, 2, 0)],
        how("nearest"),
        name="nearest",
    ),
    Case(
        "GridSample",
        9,
        [ROW, at((0, 0), (-0.5, 0), (0.5, 0))],
        [row(3, 1, 3)],
        how("nearest"),
        name="nearest-half-to-even",
    ),
    Case("GridSample", 9, [ROW, at((5, 0), (-5, 0))], [row(4, 1)], how("nearest", "border"), name="nearest-border"),
    Case(
        "GridSample",
        9,
        [ROW, at((1.25, 0), (-1.75, 0))],
        [row(4, 2)],
        how("nearest", "reflection"),
        name="nearest-reflection",
    ),
    Case(
        "GridSample",
        9,
        [ROW, at((-1, 0), (1 / 3, 0), (1, 0))],
        [row(1, 3, 4)],
        how("bicubic", "border", True),
        name="bicubic-on-elements",
    ),
    Case(
        "GridSample",
        9,
        [f32([[[[0, 0, 8, 8]]]]), at((0, 0), (-2 / 3, 0))],
        [row(4, 8 * -0.09375)],
        how("bicubic", "border", True),
        name="bicubic",
    ),
    Case(
        "GridSample",
        9,
        [f32(np.arange(8).reshape(2, 2, 1, 2)), f32([[[[-1, 0]], [[1, 0]]], [[[1, 0]], [[0, 0]]]])],
        [f32([[[[0], [1]], [[2], [3]]], [[[5], [4.5]], [[7], [6.5]]]])],
        how("bilinear", align=True),
        name="batch-and-channels",
    ),
    Case(
        "GridSample",
        9,
        [i32([[[[1, 2, 3]]]]), at((0, 0), (1, 0))],
        [i32([[[[2, 3]]]])],
        how("nearest", align=True),
        name="i32",
    ),
    Case(
        "GridSample",
        9,
        [u8([[[[0, 0, 200, 210]]]]), at((-2 / 3, 0), (0, 0), (0.9, 0))],
        [u8([[[[0, 99, 212]]]])],
        how("bicubic", "border", True),
        name="u8",
        source="oracle",
    ),
    Case(
        "GridSample",
        9,
        [i32([[[[1, 2, 3, 4]]]]), at((0.2, 0))],
        [i32([[[[2]]]])],
        how("bilinear", align=True),
        name="i32-truncated",
        source="oracle",
    ),
    Case(
        "GridSample",
        9,
        [boolean([[[[0, 1]]]]), at((-0.4, 0), (0.4, 0))],
        [boolean([[[[0, 1]]]])],
        how("bilinear", align=True),
        name="boolean",
        source="oracle",
    ),
    Case("GridSample", 9, [ROW, at()[..., :0].reshape(1, 0, 3, 2)], [f32(np.zeros((1, 1, 0, 3)))], name="empty-grid"),
    Case(
        "GridSample",
        9,
        [f32(np.ones((1, 3, 100, 100))), f32(np.zeros((1, 10, 10, 2)))],
        [f32(np.ones((1, 3, 10, 10)))],
        how("nearest", "border", True),
        name="page",
        source="page",
    ),
]

INVALID = [
    Invalid(
        "GridSample",
        9,
        ["f32[2,3,8,8]", "f32[1,4,4,2]"],
        "batch of data and grid must be the same, got 2 and 1",
        input=1,
    ),
    Invalid(
        "GridSample",
        9,
        ["f32[1,3,8,8]", "f32[1,4,4,3]"],
        "the last axis of grid has 3 elements, expected 2 (x and y)",
        input=1,
    ),
    Invalid("GridSample", 9, ["f32[1,3,8]", "f32[1,4,4,2]"], "input 0 (data) has rank 3, expected 4", input=0),
    Invalid(
        "GridSample", 9, ["f32[1,3,8,8]", "i32[1,4,4,2]"], "input 1 (grid) is i32, expected any float type", input=1
    ),
]

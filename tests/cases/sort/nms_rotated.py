from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, i32, i64

_QUARTER = np.pi / 2
# Box 1 is box 0 rotated by 90 degrees: both share a square of 2 x 2, 4 of 12. Box 2 is box 0 moved by 1: 6 of 10.
_BOXES = f32([[[5, 5, 4, 2, 0], [5, 5, 4, 2, _QUARTER], [6, 5, 4, 2, 0], [20, 20, 3, 3, 0.3]]])
_SCORES = f32([[[0.9, 0.8, 0.7, 0.6]]])


def _limits(most: int, overlap: float, score: float) -> list[Array]:
    return [i64(most), f32(overlap), f32(score)]


def _found(rows: list[list[int]], scores: list[float], kind: Any = i64) -> list[Array]:
    pairs = f32([[row[0], row[1], score] for row, score in zip(rows, scores, strict=True)])
    return [kind(rows).reshape(-1, 3), pairs.reshape(-1, 3), kind([len(rows)])]


CASES = [
    Case(
        "NMSRotated",
        13,
        [_BOXES, _SCORES, *_limits(9, 0.5, 0.1)],
        _found([[0, 0, 0], [0, 0, 1], [0, 0, 3]], [0.9, 0.8, 0.6]),
        name="moved",
    ),
    Case(
        "NMSRotated",
        13,
        [_BOXES, _SCORES, *_limits(9, 0.3, 0.1)],
        _found([[0, 0, 0], [0, 0, 3]], [0.9, 0.6]),
        name="turned",
    ),
    Case(
        "NMSRotated",
        13,
        [_BOXES, _SCORES, *_limits(2, 0.7, 0.1)],
        _found([[0, 0, 0], [0, 0, 1]], [0.9, 0.8], i32),
        {"output_type": "i32"},
        name="limit",
    ),
    Case(
        "NMSRotated",
        13,
        [_BOXES, f32([[[0.1, 0.2, 0.3, 0.4], [0.9, 0.8, 0.7, 0.6]]]), i64([1]), f32([0.5]), f32([0.25])],
        _found([[0, 0, 3], [0, 1, 0]], [0.4, 0.9]),
        {"sort_result_descending": False},
        name="sorted per class",
    ),
    Case(
        "NMSRotated",
        13,
        [
            f32([[[0, 0, 4, 2, 0], [0, 0, 4, 2, np.pi], [0, 0, 2, 4, _QUARTER]]]),
            f32([[[0.9, 0.8, 0.7]]]),
            *_limits(9, 0.9, 0),
        ],
        _found([[0, 0, 0]], [0.9]),
        name="the same box in other words",
    ),
    Case(
        "NMSRotated",
        13,
        [f32([[[0, 0, 8, 2, 0], [3.5, 1.5, 2, 8, 0]]]), f32([[[0.9, 0.8]]]), *_limits(9, 0.1, 0)],
        _found([[0, 0, 0]], [0.9]),
        {"clockwise": False},
        name="an overlap of 3/29",
    ),
    Case(
        "NMSRotated",
        13,
        [f32([[[0, 0, 8, 0.5, 0.5], [2.6, 1.4, 1, 0.5, 0.5]]]), f32([[[0.9, 0.8]]]), *_limits(9, 0.05, 0)],
        _found([[0, 0, 0]], [0.9]),
        name="clockwise meets the bar below",
    ),
    Case(
        "NMSRotated",
        13,
        [f32([[[0, 0, 8, 0.5, 0.5], [2.6, 1.4, 1, 0.5, 0.5]]]), f32([[[0.9, 0.8]]]), *_limits(9, 0.05, 0)],
        _found([[0, 0, 0], [0, 0, 1]], [0.9, 0.8]),
        {"clockwise": False},
        name="counterclockwise misses the bar above",
    ),
    Case(
        "NMSRotated",
        13,
        [f32([[[0, 0, 0, 2, 0], [0, 0, 2, 2, 0]]]), f32([[[0.9, 0.8]]]), *_limits(9, 0.1, 0)],
        _found([[0, 0, 0], [0, 0, 1]], [0.9, 0.8]),
        name="a box without area overlaps nothing",
    ),
    Case(
        "NMSRotated",
        13,
        [f32(np.zeros((2, 0, 5))), f32(np.zeros((2, 3, 0))), *_limits(9, 0.1, 0)],
        _found([], []),
        name="no boxes",
        departs="empty",
    ),
]

INVALID = [
    Invalid(
        "NMSRotated",
        13,
        ["f32[1,4,4]", "f32[1,1,4]", "i64[]", "f32[]", "f32[]"],
        "the last size of boxes is 4, expected 5",
        input=0,
    ),
    Invalid(
        "NMSRotated",
        13,
        ["f32[1,4,5]", "f32[1,1,3]", "i64[]", "f32[]", "f32[]"],
        "the numbers of boxes of boxes and scores must be the same, got 4 and 3",
        input=1,
    ),
    Invalid(
        "NMSRotated",
        13,
        ["f32[1,4,5]", "f32[1,1,4]", "i64[3]", "f32[]", "f32[]"],
        "max_output_boxes_per_class has shape [3], expected a single element",
        input=2,
    ),
    Invalid(
        "NMSRotated",
        13,
        ["f32[1,4,5]", "f32[1,1,4]", "f32[]", "f32[]", "f32[]"],
        "input 2 (max_output_boxes_per_class) is f32",
        input=2,
    ),
    Invalid("NMSRotated", 13, ["f32[1,4,5]", "f32[1,1,4]", "i64[]", "f32[]"], "has 4 inputs, expected 5"),
]

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, f64, i32, i64

# Boxes 0 and 1 overlap by 9/11, box 2 is separate, box 3 is half of box 0.
_BOXES = f32([[[0, 0, 10, 10], [0, 1, 10, 11], [20, 20, 30, 30], [0, 0, 10, 5]]])
_SCORES = f32([[[0.9, 0.8, 0.3, 0.6], [0.1, 0.7, 0.95, 0.2]]])
_CENTERS = f32([[[5, 5, 10, 10], [6, 5, 10, 10], [25, 25, 10, 10], [2.5, 5, 5, 10]]])
_SWAPPED = f32([[[10, 10, 0, 0], [0, 11, 10, 1], [30, 20, 20, 30], [10, 0, 0, 5]]])


def _limits(most: int, overlap: float, score: float) -> list[Array]:
    return [i64(most), f32(overlap), f32(score)]


def _found(rows: list[list[int]], scores: list[float], kind: Any = i64) -> list[Array]:
    pairs = f32([[row[0], row[1], score] for row, score in zip(rows, scores, strict=True)])
    return [kind(rows).reshape(-1, 3), pairs.reshape(-1, 3), kind([len(rows)])]


_ALL = [[0, 1, 2], [0, 0, 0], [0, 1, 1], [0, 0, 3], [0, 0, 2], [0, 1, 3]]

CASES = [
    Case(
        "NonMaxSuppression",
        1,
        [_BOXES[:, :3], _SCORES[:, :1, :3], *_limits(2, 0.6, 0.2)],
        [i64([[0, 0, 0], [0, 0, 2]])],
        name="one class",
    ),
    Case(
        "NonMaxSuppression",
        1,
        [_BOXES, _SCORES, *_limits(2, 0.6, 0.5)],
        [i64([[0, 1, 2], [0, 0, 0], [0, 1, 1], [0, 0, 3]])],
        {"sort_result_descending": True},
        name="two classes",
    ),
    Case(
        "NonMaxSuppression",
        1,
        [_CENTERS, _SCORES, *_limits(3, 0.6, 0.65)],
        [i64([[0, 0, 0], [0, 1, 2], [0, 1, 1], [-1, -1, -1]])],
        {"box_encoding": "center", "sort_result_descending": False},
        name="rows of -1 up to the number of boxes",
        departs="rows of -1",
    ),
    Case(
        "NonMaxSuppression",
        1,
        [np.concatenate([_BOXES, _BOXES]), np.concatenate([_SCORES, _SCORES]), *_limits(2, 0.6, 0.5)],
        [i64([[0, 1, 2], [1, 1, 2], [0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 3], [1, 0, 3]])],
        name="more rows than the page has room for",
    ),
    Case("NonMaxSuppression", 1, [_BOXES, _SCORES], [i64(np.zeros((0, 3)))], name="no limit is none"),
    Case(
        "NonMaxSuppression",
        3,
        [_SWAPPED, _SCORES, *_limits(2, 0.6, 0.5)],
        [i32([[0, 0, 0], [0, 0, 3], [0, 1, 2], [0, 1, 1]])],
        {"sort_result_descending": False, "output_type": "i32"},
        name="corners in any order, sorted per class",
    ),
    Case(
        "NonMaxSuppression",
        3,
        [_BOXES, _SCORES, *_limits(1, 0.6, 0.92)],
        [i64([[0, 1, 2], [-1, -1, -1]])],
        name="fewer than the limit",
        departs="rows of -1",
    ),
    Case(
        "NonMaxSuppression",
        4,
        [_BOXES, _SCORES, *_limits(2, 0.6, 0.5)],
        [i64([[0, 1, 2], [0, 0, 0], [0, 1, 1], [0, 0, 3]])],
        name="plain",
    ),
    Case(
        "NonMaxSuppression",
        4,
        [_CENTERS, _SCORES, *_limits(3, 0.6, 0.5)],
        [i32([[0, 1, 2], [0, 0, 0], [0, 1, 1], [0, 0, 3], [-1, -1, -1], [-1, -1, -1]])],
        {"box_encoding": "center", "output_type": "i32"},
        name="rows of -1",
        departs="rows of -1",
    ),
    Case(
        "NonMaxSuppression",
        4,
        [_BOXES, _SCORES, i64(9), f32(0.6)],
        [i64([*_ALL, [-1, -1, -1], [-1, -1, -1]])],
        name="without score_threshold",
        departs="rows of -1",
    ),
    Case(
        "NonMaxSuppression",
        5,
        [_BOXES, _SCORES, *_limits(9, 0.6, 0.15)],
        _found(_ALL, [0.95, 0.9, 0.7, 0.6, 0.3, 0.2]),
        name="plain",
    ),
    Case(
        "NonMaxSuppression",
        5,
        [_CENTERS, _SCORES, i64([9]), f32([0.6]), f32([0.15]), f32([0])],
        _found(
            [[0, 0, 0], [0, 0, 3], [0, 0, 2], [0, 1, 2], [0, 1, 1], [0, 1, 3]], [0.9, 0.6, 0.3, 0.95, 0.7, 0.2], i32
        ),
        {"box_encoding": "center", "sort_result_descending": False, "output_type": "i32"},
        name="inputs of one element",
    ),
    Case(
        "NonMaxSuppression",
        5,
        [_BOXES[:, :2], _SCORES[:, :1, :2], *_limits(9, 0.9, 0.1), f32(0.5)],
        _found([[0, 0, 0], [0, 0, 1]], [0.9, 0.8 * np.exp(-((9 / 11) ** 2))]),
        name="soft, below iou_threshold",
    ),
    Case(
        "NonMaxSuppression",
        5,
        [_BOXES[:, :3], _SCORES[:, :1, :3], *_limits(9, 0.5, 0.1), f32(0.5)],
        _found([[0, 0, 0], [0, 0, 2]], [0.9, 0.3]),
        name="soft drops what is above iou_threshold",
        departs="soft",
    ),
    Case(
        "NonMaxSuppression",
        5,
        [_BOXES, _SCORES, *_limits(9, 0.6, 2)],
        _found([], []),
        name="no score is high enough",
    ),
    Case(
        "NonMaxSuppression", 5, [_BOXES, _SCORES], _found([], []), name="no limit is none", departs="nothing selected"
    ),
    Case(
        "NonMaxSuppression",
        9,
        [_BOXES, _SCORES, *_limits(1, 0.6, 0.15)],
        _found([[0, 1, 2], [0, 0, 0]], [0.95, 0.9]),
        name="best of each class",
    ),
    Case(
        "NonMaxSuppression",
        9,
        [_BOXES[:, :3], _SCORES[:, :1, :3], *_limits(9, 0.5, 0.1), f32(0.5)],
        _found([[0, 0, 0], [0, 0, 1], [0, 0, 2]], [0.9, 0.8 * np.exp(-((9 / 11) ** 2)), 0.3]),
        name="soft keeps what is above iou_threshold",
    ),
    Case(
        "NonMaxSuppression",
        9,
        [_BOXES[:, :2], _SCORES[:, :1, :2], *_limits(9, 0.5, 0.5), f32(0.5)],
        _found([[0, 0, 0]], [0.9]),
        name="soft, decayed below score_threshold",
    ),
    Case(
        "NonMaxSuppression",
        9,
        [f32([[[0, 0, 1, 1], [0, 0, 1, 1], [5, 5, 6, 6]]]), f32([[[0.5, 0.5, 0.5]]]), *_limits(9, 0.5, 0.25)],
        _found([[0, 0, 0], [0, 0, 2]], [0.5, 0.5]),
        name="equal scores by index",
    ),
    Case(
        "NonMaxSuppression",
        9,
        [f32([[[0, 0, 2, 2], [0, 0, 1, 2]]]), f32([[[0.9, 0.8]]]), *_limits(9, 0.5, 0)],
        _found([[0, 0, 0], [0, 0, 1]], [0.9, 0.8]),
        name="an overlap of iou_threshold is not a reason to drop",
        departs="equal overlap",
    ),
    Case(
        "NonMaxSuppression",
        9,
        [f32([[[0, 0, 0, 2], [0, 0, 0, 2]]]), f32([[[0.9, 0]]]), *_limits(9, 0.5, 0)],
        _found([[0, 0, 0]], [0.9]),
        name="a score of 0 does not exceed the threshold of 0",
    ),
    Case(
        "NonMaxSuppression",
        9,
        [f32(np.zeros((1, 0, 4))), f32(np.zeros((1, 2, 0))), *_limits(9, 0.5, 0)],
        _found([], [], i32),
        {"output_type": "i32"},
        name="no boxes",
        departs="empty",
    ),
    Case(
        "NonMaxSuppression",
        9,
        [_BOXES, _SCORES, i64(-1), f32(0.5)],
        _found([], []),
        name="a negative limit selects nothing",
        departs="nothing selected",
    ),
    Case(
        "NonMaxSuppression",
        9,
        [f64(_BOXES), f64(_SCORES), i64(1), f64(0.5), f64(0.2)],
        _found([[0, 1, 2], [0, 0, 0]], [0.95, 0.9]),
        name="f64",
        departs="f64",
    ),
    *(
        Case(
            "NonMaxSuppression",
            opset,
            [f32([[[0, 0, 10, 10], [0, 0, 10, 5]]]), f32([[[0.9, 0.8]]]), *_limits(2, 0.5, 0)],
            _found([[0, 0, 0], [0, 0, 1]], [0.9, 0.8])[: 1 if opset < 5 else 3],
            name="an overlap of iou_threshold",
            departs="equal overlap",
        )
        for opset in (1, 3, 4, 5)
    ),
]

INVALID = [
    Invalid(
        "NonMaxSuppression",
        9,
        ["f32[1,4,5]", "f32[1,2,4]", "i64[]"],
        "the last size of boxes is 5, expected 4",
        input=0,
    ),
    Invalid(
        "NonMaxSuppression",
        9,
        ["f32[1,4,4]", "f32[1,2,3]", "i64[]"],
        "the numbers of boxes of boxes and scores must be the same, got 4 and 3",
        input=1,
    ),
    Invalid(
        "NonMaxSuppression",
        4,
        ["f32[2,4,4]", "f32[1,2,4]", "i64[]"],
        "the numbers of batches of boxes and scores must be the same, got 2 and 1",
        input=1,
    ),
    Invalid("NonMaxSuppression", 1, ["f32[1,4,4]", "f32[1,2,4]", "i64[1]"], "has rank 1, expected 0", input=2),
    Invalid(
        "NonMaxSuppression",
        5,
        ["f32[1,4,4]", "f32[1,2,4]", "i64[]", "f32[2]"],
        "iou_threshold has shape [2], expected a single element",
        input=3,
    ),
    Invalid("NonMaxSuppression", 3, ["i32[1,4,4]", "f32[1,2,4]"], "input 0 (boxes) is i32", input=0),
    Invalid("NonMaxSuppression", 3, ["f32[4,4]", "f32[1,2,4]"], "has rank 2, expected 3", input=0),
]

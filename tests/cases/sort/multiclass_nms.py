from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, i32, i64

# Boxes 0 and 1 overlap by 1/2, box 2 is separate.
_BOXES = f32([[[0, 0, 2, 1], [0, 0, 1, 1], [5, 5, 6, 6]]])
_SCORES = f32([[[0.9, 0.8, 0.3], [0.4, 0.7, 0.6]]])
_TWO = f32([[[0, 0, 1, 1], [5, 5, 6, 6]], [[0, 0, 2, 2], [7, 7, 8, 8]]])
_TWO_SCORES = f32([[[0.5, 0.6], [0.7, 0.4]], [[0.55, 0.45], [0.3, 0.9]]])
# Three boxes in a row: neighbours overlap by 7/13, the first and the third box by 1/4.
_ROW = f32([[[0, 0, 10, 1], [3, 0, 13, 1], [6, 0, 16, 1]]])


def _found(rows: list[list[float]], boxes: list[int], of: Array, counts: list[int], kind: Any = i64) -> list[Array]:
    """Rows of [class, score] with the corners of these boxes, their indices, and the number of each image."""
    corners = of.reshape(-1, 4)[boxes]
    return [
        np.concatenate([f32(rows).reshape(-1, 2), corners], axis=1),
        kind(boxes).reshape(-1, 1),
        kind(counts),
    ]


def _both(*arguments: Any, **named: Any) -> list[Case]:
    return [Case("MulticlassNms", 8, *arguments, **named), Case("MulticlassNms", 9, *arguments, **named)]


_SPLIT = f32([[[0, 0, 2, 1], [0, 0, 1, 1], [5, 5, 6, 6]], [[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4]]])
_SPLIT_SCORES = f32([[0.9, 0.8, 0.3], [0.4, 0.7, 0.6]])

CASES = [
    *_both(
        [_BOXES, _SCORES],
        _found([[0, 0.9], [1, 0.7], [1, 0.6], [0, 0.3]], [0, 1, 2, 2], _BOXES, [4]),
        {"iou_threshold": 0.4, "sort_result_type": "score"},
        name="by score",
    ),
    *_both(
        [_BOXES, _SCORES],
        _found([[0, 0.9], [0, 0.8], [0, 0.3], [1, 0.7], [1, 0.6], [1, 0.4]], [0, 1, 2, 1, 2, 0], _BOXES, [6], i32),
        {"iou_threshold": 0.6, "sort_result_type": "classid", "output_type": "i32"},
        name="by class",
    ),
    *_both(
        [_TWO, _TWO_SCORES],
        _found(
            [[1, 0.9], [1, 0.7], [0, 0.6], [0, 0.55], [0, 0.5], [0, 0.45], [1, 0.4], [1, 0.3]],
            [3, 0, 1, 2, 0, 3, 1, 2],
            _TWO,
            [4, 4],
        ),
        {"iou_threshold": 0.5, "sort_result_type": "score", "sort_result_across_batch": True},
        name="by score across batches",
    ),
    *_both(
        [_TWO, _TWO_SCORES],
        _found(
            [[0, 0.6], [0, 0.5], [0, 0.55], [0, 0.45], [1, 0.7], [1, 0.4], [1, 0.9], [1, 0.3]],
            [1, 0, 2, 3, 0, 1, 3, 2],
            _TWO,
            [4, 4],
        ),
        {"iou_threshold": 0.5, "sort_result_type": "classid", "sort_result_across_batch": True},
        name="by class across batches",
    ),
    *_both(
        [_TWO, _TWO_SCORES],
        _found([[0, 0.6], [0, 0.55]], [1, 2], _TWO, [1, 1]),
        {"iou_threshold": 0.5, "background_class": 1, "nms_top_k": 1},
        name="background and nms_top_k",
    ),
    *_both(
        [_TWO, _TWO_SCORES],
        _found([[1, 0.7], [1, 0.9]], [0, 3], _TWO, [1, 1]),
        {"iou_threshold": 0.5, "keep_top_k": 1},
        name="keep_top_k",
    ),
    *_both(
        [_BOXES, f32([[[0.5, 0.25, 0.125]]])],
        _found([[0, 0.5], [0, 0.25]], [0, 1], _BOXES, [2]),
        {"iou_threshold": 0.9, "score_threshold": 0.25},
        name="a score may equal the threshold",
    ),
    *_both(
        [f32([[[0, 0, 1, 1], [1, 0, 2, 1]]]), f32([[[0.9, 0.8]]])],
        _found([[0, 0.9]], [0], f32([[[0, 0, 1, 1]]]), [1]),
        {"iou_threshold": 0.3, "normalized": False},
        name="sides are 1 longer: 2 of 6",
    ),
    *_both(
        [_ROW, f32([[[0.9, 0.8, 0.7]]])],
        _found([[0, 0.9], [0, 0.8], [0, 0.7]], [0, 1, 2], _ROW, [3]),
        {"iou_threshold": 0.6},
        name="row",
    ),
    *_both(
        [_ROW, f32([[[0.9, 0.8, 0.7]]])],
        _found([[0, 0.9], [0, 0.7]], [0, 2], _ROW, [2]),
        {"iou_threshold": 0.6, "nms_eta": 0.8},
        name="the threshold shrinks to 0.48 with the first box",
    ),
    *_both(
        [_BOXES, _SCORES],
        _found([], [], _BOXES, [0]),
        {"score_threshold": 0.95},
        name="none",
    ),
    *_both(
        [f32(np.zeros((2, 0, 4))), f32(np.zeros((2, 2, 0)))],
        [f32(np.zeros((0, 6))), i64(np.zeros((0, 1))), i64([0, 0])],
        name="no boxes",
        departs="empty",
    ),
    Case(
        "MulticlassNms",
        9,
        [_SPLIT, _SPLIT_SCORES, i64([2, 1])],
        [
            f32(
                [
                    [0, 0.9, 0, 0, 2, 1],
                    [0, 0.8, 0, 0, 1, 1],
                    [1, 0.7, 1, 1, 2, 2],
                    [1, 0.6, 3, 3, 4, 4],
                    [0, 0.3, 5, 5, 6, 6],
                ]
            ),
            i64([[0], [2], [3], [5], [4]]),
            i64([3, 2]),
        ],
        {"iou_threshold": 0.6},
        name="boxes of each class, two images",
    ),
    Case(
        "MulticlassNms",
        9,
        [_SPLIT, _SPLIT_SCORES, i32([0, 3])],
        [
            f32([[0, 0.9, 0, 0, 2, 1], [1, 0.7, 1, 1, 2, 2]]),
            i32([[0], [3]]),
            i32([0, 2]),
        ],
        {"iou_threshold": 0.4, "keep_top_k": 2, "output_type": "i32", "score_threshold": 0.65},
        name="boxes of each class, an image without",
    ),
    *_both(
        [f32([[[0, 0, 2, 1], [5, 5, 6, 6], [0, 0, 1, 1]]]), f32([[[0.9, 0.8, 0.7]]])],
        _found([[0, 0.9], [0, 0.8], [0, 0.7]], [0, 1, 2], f32([[0, 0, 2, 1], [5, 5, 6, 6], [0, 0, 1, 1]]), [3]),
        {"iou_threshold": 0.8, "nms_eta": 0.7},
        name="box 2 is held against box 0 by 0.56, against box 1 by 0.39",
        departs="nms_eta",
    ),
    *_both(
        [f32([[[0, 0, 2, 1], [0, 0, 1, 1]]]), f32([[[0.9, 0.8]]])],
        _found([[0, 0.9], [0, 0.8]], [0, 1], f32([[0, 0, 2, 1], [0, 0, 1, 1]]), [2]),
        {"iou_threshold": 0.5},
        name="an overlap of iou_threshold is not a reason to drop",
        departs="equal overlap",
    ),
]

INVALID = [
    Invalid(
        "MulticlassNms",
        9,
        ["f32[3,4,4]", "f32[3,4]"],
        "scores have rank 2, expected 3 without roisnum",
        input=1,
    ),
    Invalid(
        "MulticlassNms",
        9,
        ["f32[3,4,4]", "f32[3,4,4]", "i64[2]"],
        "scores have rank 3, expected 2 with roisnum",
        input=1,
    ),
    Invalid(
        "MulticlassNms",
        9,
        ["f32[3,4,4]", "f32[2,4]", "i64[2]"],
        "the numbers of classes of boxes and scores must be the same, got 3 and 2",
        input=1,
    ),
    Invalid("MulticlassNms", 9, ["f32[3,4,4]", "f32[3,4]", "f32[2]"], "input 2 (roisnum) is f32", input=2),
    Invalid("MulticlassNms", 8, ["f32[1,4,3]", "f32[1,2,4]"], "the last size of boxes is 3, expected 4", input=0),
    Invalid("MulticlassNms", 8, ["f32[1,4,4]", "f32[1,2,4]"], "nms_eta is 1.5", {"nms_eta": 1.5}, attribute="nms_eta"),
    Invalid(
        "MulticlassNms", 8, ["f32[1,4,4]", "f32[1,2,4]"], "keep_top_k is -3", {"keep_top_k": -3}, attribute="keep_top_k"
    ),
]

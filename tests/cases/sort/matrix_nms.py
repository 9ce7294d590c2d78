from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, i32, i64

# Boxes 0 and 1 overlap by 1/2, boxes 1 and 2 by 1/4, boxes 0 and 2 do not.
_BOXES = f32([[[0, 0, 2, 1], [0, 0, 1, 1], [0.6, 0, 1.6, 1]]])
_PAIR = f32([[[0, 0, 2, 1], [0, 0, 1, 1]]])
_SCORES = f32([[[0.8, 0.6]]])


def _found(rows: list[list[float]], boxes: list[int], of: Array, counts: list[int], kind: Any = i64) -> list[Array]:
    """Rows of [class, score] with the corners of these boxes, their indices, and the number of each batch."""
    corners = of.reshape(-1, 4)[boxes]
    return [
        np.concatenate([f32(rows).reshape(-1, 2), corners], axis=1),
        kind(boxes).reshape(-1, 1),
        kind(counts),
    ]


_TWO = f32([[[0, 0, 1, 1], [5, 5, 6, 6]], [[0, 0, 2, 2], [7, 7, 8, 8]]])
_TWO_SCORES = f32([[[0.5, 0.6], [0.7, 0.4]], [[0.55, 0.45], [0.3, 0.9]]])

CASES = [
    Case(
        "MatrixNms",
        8,
        [_PAIR, _SCORES],
        _found([[0, 0.8], [0, 0.3]], [0, 1], _PAIR, [2]),
        name="linear",
    ),
    Case(
        "MatrixNms",
        8,
        [_PAIR, _SCORES],
        _found([[0, 0.8], [0, 0.6 * np.exp(-0.25 * 3)]], [0, 1], _PAIR, [2], i32),
        {"decay_function": "gaussian", "gaussian_sigma": 3.0, "output_type": "i32"},
        name="gaussian",
    ),
    Case(
        "MatrixNms",
        8,
        [_PAIR, _SCORES],
        _found([[0, 0.8]], [0], _PAIR, [1]),
        {"post_threshold": 0.35, "sort_result_type": "score"},
        name="decayed below post_threshold",
    ),
    Case(
        "MatrixNms",
        8,
        [f32([[[0, 0, 1, 1], [1, 0, 2, 1]]]), _SCORES],
        _found([[0, 0.8], [0, 0.6 * 2 / 3]], [0, 1], f32([[[0, 0, 1, 1], [1, 0, 2, 1]]]), [2]),
        {"normalized": False},
        name="sides are 1 longer: 2 of 6",
    ),
    Case(
        "MatrixNms",
        8,
        [f32([[[0, 0, 1, 1], [1.5, 0, 2, 1]]]), _SCORES],
        _found([[0, 0.8], [0, 0.6]], [0, 1], f32([[[0, 0, 1, 1], [1.5, 0, 2, 1]]]), [2]),
        {"normalized": False},
        name="apart before sides are 1 longer",
    ),
    Case(
        "MatrixNms",
        8,
        [_TWO, _TWO_SCORES],
        _found(
            [[1, 0.7], [0, 0.6], [0, 0.5], [1, 0.4], [1, 0.9], [0, 0.55], [0, 0.45], [1, 0.3]],
            [0, 1, 0, 1, 3, 2, 3, 2],
            _TWO,
            [4, 4],
        ),
        {"sort_result_type": "score"},
        name="batch after batch",
    ),
    Case(
        "MatrixNms",
        8,
        [_TWO, _TWO_SCORES],
        _found(
            [[1, 0.9], [1, 0.7], [0, 0.6], [0, 0.55], [0, 0.5], [0, 0.45], [1, 0.4], [1, 0.3]],
            [3, 0, 1, 2, 0, 3, 1, 2],
            _TWO,
            [4, 4],
        ),
        {"sort_result_type": "score", "sort_result_across_batch": True},
        name="by score across batches",
    ),
    Case(
        "MatrixNms",
        8,
        [_TWO, _TWO_SCORES],
        _found(
            [[0, 0.6], [0, 0.5], [0, 0.55], [0, 0.45], [1, 0.7], [1, 0.4], [1, 0.9], [1, 0.3]],
            [1, 0, 2, 3, 0, 1, 3, 2],
            _TWO,
            [4, 4],
        ),
        {"sort_result_type": "classid", "sort_result_across_batch": True},
        name="by class across batches",
    ),
    Case(
        "MatrixNms",
        8,
        [_TWO, _TWO_SCORES],
        _found(
            [[0, 0.6], [0, 0.5], [1, 0.7], [1, 0.4], [0, 0.55], [0, 0.45], [1, 0.9], [1, 0.3]],
            [1, 0, 0, 1, 2, 3, 3, 2],
            _TWO,
            [4, 4],
        ),
        {"sort_result_type": "classid"},
        name="by class",
        departs="class",
    ),
    Case(
        "MatrixNms",
        8,
        [_TWO, _TWO_SCORES],
        _found([[0, 0.6], [0, 0.55]], [1, 2], _TWO, [1, 1]),
        {"background_class": 1, "nms_top_k": 1},
        name="background and nms_top_k",
    ),
    Case(
        "MatrixNms",
        8,
        [_TWO, _TWO_SCORES],
        _found([[1, 0.7], [0, 0.6], [1, 0.9]], [0, 1, 3], _TWO, [2, 1]),
        {"keep_top_k": 2, "score_threshold": 0.56, "sort_result_type": "score"},
        name="keep_top_k and score_threshold",
    ),
    Case(
        "MatrixNms",
        8,
        [_TWO, _TWO_SCORES],
        _found([], [], _TWO, [0, 0]),
        {"score_threshold": 0.95},
        name="none",
        departs="nothing selected",
    ),
    Case(
        "MatrixNms",
        8,
        [f32(np.zeros((1, 0, 4))), f32(np.zeros((1, 2, 0)))],
        [f32(np.zeros((0, 6))), i64(np.zeros((0, 1))), i64([0])],
        name="no boxes",
        departs="empty",
    ),
]

INVALID = [
    Invalid("MatrixNms", 8, ["f32[1,4,5]", "f32[1,2,4]"], "the last size of boxes is 5, expected 4", input=0),
    Invalid(
        "MatrixNms",
        8,
        ["f32[1,4,4]", "f32[2,2,4]"],
        "the numbers of batches of boxes and scores must be the same",
        input=1,
    ),
    Invalid("MatrixNms", 8, ["f32[1,4,4]", "f16[1,2,4]"], "both must have the same type T", input=1),
    Invalid("MatrixNms", 8, ["f32[1,4,4]", "f32[1,2,4]"], "nms_top_k is -2", {"nms_top_k": -2}, attribute="nms_top_k"),
]

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, i32

_TYPE = "ExperimentalDetectronDetectionOutput"


def _attributes(**others: Any) -> dict[str, Any]:
    return {
        "score_threshold": 0.1,
        "nms_threshold": 0.5,
        "max_delta_log_wh": 4.0,
        "num_classes": 3,
        "post_nms_count": 3,
        "max_detections_per_image": 4,
        "deltas_weights": (10.0, 10.0, 5.0, 5.0),
        **others,
    }


def _wave(*shape: int) -> Array:
    return f32(np.sin(np.arange(np.prod(shape)) * 0.7)).reshape(shape)


def _spread(*shape: int) -> Array:
    return f32(np.arange(np.prod(shape)) * 5 % np.prod(shape) / np.prod(shape)).reshape(shape)


# Regions 0 and 1 overlap by 50/100.
_ROIS = f32([[0, 0, 9, 9], [0, 0, 9, 4], [20, 20, 29, 29]])
_STILL = f32(np.zeros((3, 12)))
_SCORES = f32([[0.5, 0.9, 0.2], [0.95, 0.8, 0.3], [0.1, 0.05, 0.7]])
_INFO = f32([[60, 70, 1]])
_MANY = f32([[0, 3, 9, 13], [6, 9, 16, 20], [12, 15, 23, 22], [1, 4, 13, 12], [7, 10, 20, 19], [13, 16, 22, 26]])

CASES = [
    Case(
        _TYPE,
        6,
        [_ROIS, _STILL, _SCORES, _INFO],
        [
            f32([[0, 0, 9, 9], [20, 20, 29, 29], [0, 0, 9, 4], [0, 0, 0, 0]]),
            i32([1, 2, 2, 0]),
            f32([0.9, 0.7, 0.3, 0]),
        ],
        _attributes(nms_threshold=0.4),
        name="class after class, filled up by zeros",
    ),
    Case(
        _TYPE,
        6,
        [_ROIS, _STILL, _SCORES, _INFO],
        [f32([[0, 0, 9, 9], [0, 0, 9, 4]]), i32([1, 1]), f32([0.9, 0.8])],
        _attributes(nms_threshold=0.6, max_detections_per_image=2, class_agnostic_box_regression=True),
        name="the best of more than max_detections_per_image",
    ),
    Case(
        _TYPE,
        6,
        [_ROIS, _STILL, _SCORES, _INFO],
        [f32([[0, 0, 9, 9], [20, 20, 29, 29]]), i32([1, 2]), f32([0.9, 0.7])],
        _attributes(post_nms_count=1, max_detections_per_image=2),
        name="post_nms_count",
    ),
    Case(
        _TYPE,
        6,
        [_ROIS[:1], f32([[0] * 4 + [5, 0, 5 * np.log(2), 50] + [0] * 4]), f32([[0, 1, 0]]), f32([[100, 100, 1]])],
        # The center (5, 5) moves by 5, the width of 10 doubles, the height grows by the limit log(3).
        [f32([[0, 0, 19, 19]]), i32([1]), f32([1])],
        _attributes(max_delta_log_wh=float(np.log(3)), max_detections_per_image=1),
        name="deltas",
    ),
    Case(
        _TYPE,
        6,
        [f32([[10, 10, 29, 39]]), f32(np.zeros((1, 12))), f32([[0, 1, 0]]), f32([[30, 20, 1]])],
        [f32([[10, 10, 19, 29]]), i32([1]), f32([1])],
        _attributes(max_detections_per_image=1),
        name="clipped to the last pixel",
        departs="clip",
    ),
    Case(
        _TYPE,
        6,
        [f32([[10, 10, 10, 39], [0, 0, 9, 9]]), f32(np.zeros((2, 12))), f32([[0, 1, 0], [0, 0.5, 0]]), _INFO],
        [f32([[0, 0, 9, 9]]), i32([1]), f32([0.5])],
        _attributes(max_detections_per_image=1),
        name="a region without area is none",
    ),
    Case(
        _TYPE,
        6,
        [_MANY, _wave(6, 12), _spread(6, 3), _INFO],
        [
            f32(
                [
                    [11.72548, 15.55785, 24.91123, 23.03057],
                    [8.05476, 11.23221, 21.73841, 19.38374],
                    [2.42569, 4.4202, 12.27866, 10.83653],
                    [13.40998, 15.54349, 20.67337, 24.42565],
                ]
            ),
            i32([1, 2, 1, 2]),
            f32([0.94444, 0.88889, 0.77778, 0.72222]),
        ],
        _attributes(),
        "oracle",
        "six regions",
        atol=1e-5,
    ),
    Case(
        _TYPE,
        6,
        [f32(np.zeros((0, 4))), f32(np.zeros((0, 12))), f32(np.zeros((0, 3))), _INFO],
        [f32(np.zeros((1, 4))), i32([0]), f32([0])],
        _attributes(max_detections_per_image=1),
        name="no regions",
        departs="empty",
    ),
]

_SHAPES = ["f32[8,4]", "f32[8,12]", "f32[8,3]", "f32[1,3]"]

INVALID = [
    Invalid(_TYPE, 6, ["f32[8,5]", *_SHAPES[1:]], "the last size of rois is 5, expected 4", _attributes(), input=0),
    Invalid(
        _TYPE,
        6,
        [_SHAPES[0], "f32[8,13]", *_SHAPES[2:]],
        "the last size of deltas is 13, expected 12",
        _attributes(),
        input=1,
    ),
    Invalid(
        _TYPE,
        6,
        [*_SHAPES[:2], "f32[8,4]", _SHAPES[3]],
        "the last size of scores is 4, expected 3",
        _attributes(),
        input=2,
    ),
    Invalid(_TYPE, 6, [*_SHAPES[:3], "f32[3]"], "has rank 1, expected 2", _attributes(), input=3),
    Invalid(
        _TYPE,
        6,
        [_SHAPES[0], "f32[7,12]", *_SHAPES[2:]],
        "the numbers of rois, deltas and scores must be the same, got 8 and 7",
        _attributes(),
    ),
    Invalid(
        _TYPE,
        6,
        _SHAPES,
        "deltas_weights has 3 elements, expected 4",
        _attributes(deltas_weights=(10.0, 10.0, 5.0)),
        attribute="deltas_weights",
    ),
    Invalid(
        _TYPE, 6, _SHAPES, "score_threshold is -1.0", _attributes(score_threshold=-1.0), attribute="score_threshold"
    ),
]

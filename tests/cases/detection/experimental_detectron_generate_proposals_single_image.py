from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32

_TYPE = "ExperimentalDetectronGenerateProposalsSingleImage"


def _attributes(**others: Any) -> dict[str, Any]:
    return {"min_size": 0.0, "nms_threshold": 0.5, "pre_nms_count": 10, "post_nms_count": 4, **others}


def _wave(*shape: int) -> Array:
    return f32(np.sin(np.arange(np.prod(shape)) * 0.7) * 0.4).reshape(shape)


def _spread(*shape: int) -> Array:
    return f32(np.arange(np.prod(shape)) * 5 % np.prod(shape) / np.prod(shape)).reshape(shape)


# Anchors 0 and 1 overlap by 1/2, anchor 2 is separate and exceeds an image of 20 x 30, anchor 3 is narrow.
_ANCHORS = f32([[0, 0, 8, 4], [0, 0, 4, 4], [20, 10, 40, 16], [10, 2, 11, 12]])
_SCORES = f32([0.9, 0.8, 0.7, 0.6]).reshape(1, 1, 4)
_STILL = f32(np.zeros((4, 1, 4)))
_INFO = f32([20, 30, 1])
_MANY = f32(
    [
        *([0, 3, 9, 13], [6, 9, 16, 20], [12, 15, 23, 22], [1, 4, 13, 12], [7, 10, 20, 19], [13, 16, 22, 26]),
        *([2, 5, 12, 16], [8, 11, 19, 18], [14, 0, 26, 8], [3, 6, 16, 15], [9, 12, 18, 22], [15, 1, 25, 12]),
    ]
)

CASES = [
    Case(
        _TYPE,
        6,
        [_INFO, _ANCHORS, _STILL, _SCORES],
        [f32([[0, 0, 8, 4], [20, 10, 29, 16], [10, 2, 11, 12], [0, 0, 0, 0]]), f32([0.9, 0.7, 0.6, 0])],
        _attributes(nms_threshold=0.45),
        name="clipped and suppressed",
    ),
    Case(
        _TYPE,
        6,
        [_INFO, _ANCHORS, _STILL, _SCORES],
        [f32([[0, 0, 8, 4], [0, 0, 4, 4], [20, 10, 29, 16], [0, 0, 0, 0]]), f32([0.9, 0.8, 0.7, 0])],
        _attributes(nms_threshold=0.55, min_size=3.0),
        name="min_size",
        departs="min_size",
    ),
    Case(
        _TYPE,
        6,
        [_INFO, _ANCHORS, _STILL, _SCORES],
        [f32([[0, 0, 8, 4]]), f32([0.9])],
        _attributes(post_nms_count=1, pre_nms_count=2),
        name="best",
    ),
    Case(
        _TYPE,
        6,
        [_INFO, _ANCHORS[:1], f32([0.5, 0.25, np.log(2), 9]).reshape(4, 1, 1), _SCORES[..., :1]],
        # The center (4.5, 2.5) moves to (9, 3.75), the width of 9 doubles.
        [f32([[0, 0, 17, 19]]), f32([0.9])],
        _attributes(post_nms_count=1),
        name="deltas",
    ),
    Case(
        _TYPE,
        6,
        [f32([30, 40, 1]), _MANY, _wave(8, 2, 3), _spread(2, 2, 3)],
        [
            f32(
                [
                    [0, 6.47772, 10.00704, 11.58906],
                    [13.47299, 5.04378, 24.56404, 18.90609],
                    [5.88845, 7.99876, 21.59561, 15.27204],
                    [17.84842, 1.78508, 25.63546, 10.94522],
                ]
            ),
            f32([0.91667, 0.83333, 0.75, 0.66667]),
        ],
        _attributes(min_size=2.0),
        "oracle",
        "twelve anchors",
        atol=1e-5,
    ),
]

_SHAPES = ["f32[3]", "f32[60,4]", "f32[12,4,5]", "f32[3,4,5]"]

INVALID = [
    Invalid(
        _TYPE, 6, ["f32[4]", *_SHAPES[1:]], "the number of elements of im_info is 4, expected 3", _attributes(), input=0
    ),
    Invalid(
        _TYPE,
        6,
        [_SHAPES[0], "f32[61,4]", *_SHAPES[2:]],
        "the numbers of anchors and of scores must be the same, got 61 and 60",
        _attributes(),
        input=1,
    ),
    Invalid(
        _TYPE,
        6,
        [*_SHAPES[:2], "f32[11,4,5]", _SHAPES[3]],
        "the channels of deltas and four times those of scores must be the same, got 11 and 12",
        _attributes(),
        input=3,
    ),
    Invalid(
        _TYPE,
        6,
        [*_SHAPES[:2], "f32[12,4,6]", _SHAPES[3]],
        "the widths of deltas and scores must be the same, got 6 and 5",
        _attributes(),
        input=3,
    ),
    Invalid(
        _TYPE, 6, _SHAPES, "post_nms_count is missing", {"min_size": 0.0, "nms_threshold": 0.5, "pre_nms_count": 10}
    ),
]

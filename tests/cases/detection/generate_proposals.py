from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, i32, i64


def _attributes(**others: Any) -> dict[str, Any]:
    return {"min_size": 0.0, "nms_threshold": 0.5, "pre_nms_count": 10, "post_nms_count": 4, **others}


def _wave(*shape: int) -> Array:
    return f32(np.sin(np.arange(np.prod(shape)) * 0.7) * 0.4).reshape(shape)


def _spread(*shape: int) -> Array:
    return f32(np.arange(np.prod(shape)) * 5 % np.prod(shape) / np.prod(shape)).reshape(shape)


# Anchors 0 and 1 overlap by 1/2, anchor 2 is separate and exceeds an image of 20 x 30, anchor 3 is narrow.
_ANCHORS = f32([[0, 0, 8, 4], [0, 0, 4, 4], [20, 10, 40, 16], [10, 2, 11, 12]]).reshape(1, 4, 1, 4)
_SCORES = f32([0.9, 0.8, 0.7, 0.6]).reshape(1, 1, 1, 4)
_STILL = f32(np.zeros((1, 4, 1, 4)))
_INFO = f32([[20, 30, 1]])
_MANY = f32(
    [
        [[0, 3, 9, 13], [6, 9, 16, 20], [12, 15, 23, 22], [1, 4, 13, 12], [7, 10, 20, 19], [13, 16, 22, 26]],
        [[2, 5, 12, 16], [8, 11, 19, 18], [14, 0, 26, 8], [3, 6, 16, 15], [9, 12, 18, 22], [15, 1, 25, 12]],
    ]
).reshape(2, 3, 2, 4)

CASES = [
    Case(
        "GenerateProposals",
        9,
        [_INFO, _ANCHORS, _STILL, _SCORES],
        [f32([[0, 0, 8, 4], [20, 10, 30, 16], [10, 2, 11, 12]]), f32([0.9, 0.7, 0.6]), i64([3])],
        _attributes(nms_threshold=0.45),
        name="clipped and suppressed",
    ),
    Case(
        "GenerateProposals",
        9,
        [_INFO, _ANCHORS, _STILL, _SCORES],
        [f32([[0, 0, 8, 4], [20, 10, 29, 16]]), f32([0.9, 0.7]), i32([2])],
        _attributes(nms_threshold=0.45, normalized=False, min_size=2.5, roi_num_type="i32"),
        name="in pixels",
    ),
    Case(
        "GenerateProposals",
        9,
        [f32([[20, 30, 2, 3]]), _ANCHORS, _STILL, _SCORES],
        [f32([[0, 0, 8, 4], [0, 0, 4, 4]]), f32([0.9, 0.8]), i64([2])],
        _attributes(nms_threshold=0.6, min_size=1.25, pre_nms_count=4, post_nms_count=2),
        name="min_size by the scales of height and width",
    ),
    Case(
        "GenerateProposals",
        9,
        [_INFO, _ANCHORS, _STILL, _SCORES],
        [f32([[0, 0, 8, 4]]), f32([0.9]), i64([1])],
        _attributes(nms_threshold=0.45, pre_nms_count=2),
        name="pre_nms_count",
    ),
    Case(
        "GenerateProposals",
        9,
        [_INFO, _ANCHORS[:, :1], f32([0.5, 0.25, np.log(2), 9]).reshape(1, 4, 1, 1), _SCORES[..., :1]],
        [f32([[0, 0, 16, 20]]), f32([0.9]), i64([1])],
        _attributes(),
        name="deltas",
    ),
    Case(
        "GenerateProposals",
        9,
        [_INFO, _ANCHORS, _STILL, _SCORES],
        [f32([[0, 0, 8, 4], [20, 10, 30, 16], [10, 2, 11, 12]]), f32([0.9, 0.7, 0.6]), i64([3])],
        _attributes(nms_threshold=0.6, nms_eta=0.75),
        name="the threshold shrinks to 0.45 with the first box",
        departs="nms_eta",
    ),
    Case(
        "GenerateProposals",
        9,
        [f32([[30, 40, 1]]), _MANY, _wave(1, 8, 2, 3), _spread(1, 2, 2, 3)],
        [
            f32(
                [
                    [0, 6.20242, 10.23727, 11.63472],
                    [13.01064, 5.5394, 24.23804, 18.91548],
                    [6.06441, 8.37391, 21.37931, 15.61304],
                    [17.55238, 1.58674, 25.6635, 10.61797],
                ]
            ),
            f32([0.91667, 0.83333, 0.75, 0.66667]),
            i64([4]),
        ],
        _attributes(min_size=2.0),
        "oracle",
        "twelve anchors",
        atol=1e-5,
    ),
    Case(
        "GenerateProposals",
        9,
        [f32([[30, 40, 1, 1.5], [20, 25, 2, 1]]), _MANY, _wave(2, 8, 2, 3), _spread(2, 2, 2, 3)],
        [
            f32(
                [
                    [5.88845, 7.99876, 21.59561, 15.27204],
                    [8.13751, 15.38556, 22.02383, 23.11595],
                    [4.58455, 4.12323, 18.59564, 15.95403],
                    [4.80566, 1.37515, 10.73647, 15.51116],
                ]
            ),
            f32([0.875, 0.66667, 0.75, 0.5]),
            i32([2, 2]),
        ],
        _attributes(min_size=6.0, post_nms_count=2, normalized=False, roi_num_type="i32"),
        "oracle",
        "two images",
        atol=1e-5,
    ),
    Case(
        "GenerateProposals",
        9,
        [f32(np.zeros((2, 3))), f32(np.zeros((0, 4, 1, 4))), f32(np.zeros((2, 4, 0, 4))), f32(np.zeros((2, 1, 0, 4)))],
        [f32(np.zeros((0, 4))), f32(np.zeros(0)), i64([0, 0])],
        _attributes(),
        name="no anchors",
        departs="empty",
    ),
]

_SHAPES = ["f32[2,3]", "f32[4,5,3,4]", "f32[2,12,4,5]", "f32[2,3,4,5]"]

INVALID = [
    Invalid(
        "GenerateProposals",
        9,
        ["f32[2,5]", *_SHAPES[1:]],
        "im_info has 5 columns, expected 3 or 4",
        _attributes(),
        input=0,
    ),
    Invalid(
        "GenerateProposals",
        9,
        [_SHAPES[0], "f32[4,5,3,5]", *_SHAPES[2:]],
        "the last size of anchors is 5, expected 4",
        _attributes(),
        input=1,
    ),
    Invalid(
        "GenerateProposals",
        9,
        [*_SHAPES[:2], "f32[2,11,4,5]", _SHAPES[3]],
        "four times the number of anchors and the channels of boxesdeltas must be the same, got 12 and 11",
        _attributes(),
        input=2,
    ),
    Invalid(
        "GenerateProposals",
        9,
        [_SHAPES[0], "f32[4,6,3,4]", *_SHAPES[2:]],
        "the widths of anchors, boxesdeltas and scores must be the same, got 6 and 5",
        _attributes(),
    ),
    Invalid(
        "GenerateProposals",
        9,
        ["f32[3,3]", *_SHAPES[1:]],
        "the numbers of batches of im_info, boxesdeltas and scores must be the same, got 3 and 2",
        _attributes(),
    ),
    Invalid("GenerateProposals", 9, _SHAPES, "nms_eta is 1.5", _attributes(nms_eta=1.5), attribute="nms_eta"),
    Invalid("GenerateProposals", 9, _SHAPES, "min_size is -1.0", _attributes(min_size=-1.0), attribute="min_size"),
]

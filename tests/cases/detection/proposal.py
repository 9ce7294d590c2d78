from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, f64

_IMAGE = f32([100, 200, 1])


def _attributes(**others: Any) -> dict[str, Any]:
    return {
        "base_size": 16,
        "pre_nms_topn": 10,
        "post_nms_topn": 2,
        "nms_thresh": 0.7,
        "feat_stride": 16,
        "min_size": 1,
        "ratio": (1.0,),
        "scale": (1.0,),
        **others,
    }


def _wave(*shape: int) -> Array:
    return f32(np.sin(np.arange(np.prod(shape)) * 0.7) / 2).reshape(shape)


def _spread(*shape: int) -> Array:
    return f32(np.arange(np.prod(shape)) * 37 % np.prod(shape) / np.prod(shape)).reshape(shape)


# One anchor, a map of 1 x 2. The scores of the foreground are 0.9 and 0.8.
_SCORES = f32([0.1, 0.2, 0.9, 0.8]).reshape(1, 2, 1, 2)
_STILL = f32(np.zeros((1, 4, 1, 2)))
_MOVED = f32([10, 20, 5 * np.log(2), -5 * np.log(2)]).reshape(1, 4, 1, 1)
_ONE = f32([0.1, 0.9]).reshape(1, 2, 1, 1)

_GRID = [_spread(1, 8, 3, 4), _wave(1, 16, 3, 4), f32([48, 70, 1])]
_ON_GRID = {
    "pre_nms_topn": 20,
    "post_nms_topn": 4,
    "nms_thresh": 0.5,
    "min_size": 2,
    "ratio": (0.5, 1.0),
    "scale": (1.0, 2.0),
}

CASES = [
    Case(
        "Proposal",
        1,
        [_SCORES, _STILL, _IMAGE],
        [f32([[0, 0, 0, 16, 16], [0, 16, 0, 32, 16]])],
        _attributes(),
        name="as in Caffe",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        1,
        [_SCORES, _STILL, f32([10, 20, 1])],
        [f32([[0, 0, 0, 16, 9], [0, 16, 0, 19, 9]])],
        _attributes(),
        name="clipped to the last pixel",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        1,
        [_SCORES, _STILL, f32([10, 20, 1])],
        [f32([[0, 0, 0, 0.8, 1], [0, 0.8, 0, 1, 1]])],
        _attributes(clip_before_nms=False, clip_after_nms=True, normalize=True),
        name="clipped afterwards and normalized",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        1,
        [_ONE, f32(np.zeros((1, 4, 1, 1))), _IMAGE],
        [f32([[0, 0, 0, 16, 16], [-1, 0, 0, 0, 0], [0, 0, 0, 0, 0]])],
        _attributes(post_nms_topn=3),
        name="-1 ends the list",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        1,
        [_SCORES, _STILL, f32([100, 200, 4])],
        [f32([[-1, 0, 0, 0, 0], [0, 0, 0, 0, 0]])],
        _attributes(min_size=5),
        name="boxes below min_size times scale are left out",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        1,
        [_SCORES, _STILL, _IMAGE],
        [f32([[0, 0, 0, 16, 16], [-1, 0, 0, 0, 0]])],
        _attributes(nms_thresh=0.25, feat_stride=8),
        name="the second overlaps by 9/25",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        1,
        [_SCORES, _STILL, _IMAGE],
        [f32([[0, 0, 0, 16, 16], [-1, 0, 0, 0, 0]])],
        _attributes(pre_nms_topn=1),
        name="pre_nms_topn",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        1,
        _GRID,
        [
            f32(
                [
                    [0, 46.12936, 41.49888, 58.22478, 47],
                    [0, 11.98195, 15.47352, 69, 41.63642],
                    [0, 16.84297, 38.8172, 31.54375, 47],
                    [0, 0, 0, 33.65582, 25.80252],
                ]
            )
        ],
        _attributes(**_ON_GRID),
        "oracle",
        "four anchors",
    ),
    Case(
        "Proposal",
        1,
        [_spread(2, 8, 3, 4), _wave(2, 16, 3, 4), f32([48, 70, 1, 1])],
        [
            f32(
                [
                    [0, 46.12936, 41.49888, 58.22478, 47],
                    [0, 16.84297, 38.8172, 31.54375, 47],
                    [1, 0.36482, 42.91978, 42.78299, 47],
                    [1, 49.30084, 0, 69, 9.88927],
                ]
            )
        ],
        _attributes(**{**_ON_GRID, "post_nms_topn": 2}),
        "oracle",
        "two images",
    ),
    Case(
        "Proposal",
        4,
        [_SCORES, _STILL, _IMAGE],
        [f32([[0, 0, 0, 16, 16], [0, 16, 0, 32, 16]]), f32([0.9, 0.8])],
        _attributes(),
        name="as in Caffe",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        4,
        [_SCORES, _STILL, _IMAGE],
        [f32([[0, 0, 0, 8, 8], [0, 0, 8, 8, 24]]), f32([0.9, 0.8])],
        _attributes(framework="tensorflow"),
        name="as in TensorFlow, vertical coordinates first",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        4,
        [_ONE, _MOVED, _IMAGE],
        [f32([[0, 8, 36, 40, 44], [-1, 0, 0, 0, 0]]), f32([0.9, 0])],
        _attributes(box_coordinate_scale=10.0, box_size_scale=5.0),
        name="deltas are divided",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        4,
        [f64(_ONE), f64(_MOVED), f64(_IMAGE)],
        [f64([[0, 8, 36, 40, 44], [-1, 0, 0, 0, 0]]), f64([0.9, 0])],
        _attributes(box_coordinate_scale=10.0, box_size_scale=5.0),
        name="f64",
        departs="few anchors",
    ),
    Case(
        "Proposal",
        4,
        [f32(np.arange(8) / 8).reshape(1, 8, 1, 1), f32(np.zeros((1, 16, 1, 1))), _IMAGE],
        [f32([[0, 0, 0, 19, 30], [0, 2.5, 0, 13.5, 19]]), f32([0.875, 0.75])],
        _attributes(ratio=(0.5, 2.0), scale=(1.0, 2.0)),
        name="ratios and scales",
        departs="few anchors",
    ),
    *(
        Case(
            "Proposal",
            opset,
            _GRID,
            [f32([[-1, 0, 0, 0, 0], *[[0] * 5] * 3]), *([] if opset == 1 else [f32([0] * 4)])],
            {**_attributes(), **_ON_GRID, "min_size": 60},
            name="all boxes are below min_size",
            departs="min_size",
        )
        for opset in (1, 4)
    ),
    Case(
        "Proposal",
        4,
        _GRID,
        [
            f32(
                [
                    [0, 24.05303, 41.1264, 39.18238, 56.47178],
                    [0, 8.32427, 19.4103, 48, 42.43161],
                    [0, 21.6741, 10.77387, 42.36395, 22.18298],
                    [0, 0, 0, 33.53866, 15.29224],
                ]
            ),
            f32([0.98958, 0.97917, 0.96875, 0.91667]),
        ],
        _attributes(**_ON_GRID, framework="tensorflow", box_coordinate_scale=10.0, box_size_scale=5.0),
        "oracle",
        "as in TensorFlow",
    ),
]

INVALID = [
    Invalid(
        "Proposal",
        4,
        ["f32[1,4,4,5]", "f32[1,4,4,5]", "f32[3]"],
        "class_probs have 4 channels, expected 2: 2 for each of 1 anchors",
        _attributes(),
        input=0,
    ),
    Invalid(
        "Proposal",
        1,
        ["f32[1,2,4,5]", "f32[1,8,4,5]", "f32[3]"],
        "bbox_deltas have 8 channels, expected 4",
        _attributes(),
        input=1,
    ),
    Invalid(
        "Proposal",
        1,
        ["f32[1,2,4,5]", "f32[2,4,4,5]", "f32[3]"],
        "the batch sizes of class_probs and bbox_deltas must be the same, got 1 and 2",
        _attributes(),
        input=1,
    ),
    Invalid(
        "Proposal",
        1,
        ["f32[1,2,4,5]", "f32[1,4,4,6]", "f32[3]"],
        "the widths of class_probs and bbox_deltas must be the same, got 5 and 6",
        _attributes(),
        input=1,
    ),
    Invalid(
        "Proposal",
        4,
        ["f32[1,2,4,5]", "f32[1,4,4,5]", "f32[5]"],
        "image_shape has 5 elements, expected 3 or 4",
        _attributes(),
        input=2,
    ),
    Invalid(
        "Proposal",
        4,
        ["f32[1,2,4,5]", "i32[1,4,4,5]", "f32[3]"],
        "input 1 (bbox_deltas) is i32, expected any float type",
        _attributes(),
        input=1,
    ),
    Invalid(
        "Proposal",
        4,
        ["f32[1,2,4,5]", "f32[1,4,4,5]", "f32[3]"],
        "base_size is 0, expected > 0",
        _attributes(base_size=0),
        attribute="base_size",
    ),
]

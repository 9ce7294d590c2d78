from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32
from tests.cases.convolution.convolution import plain

PAIR = f32([[[1, 2, 3, 4], [10, 20, 30, 40]]])
QUAD = f32([[[1, 2], [10, 20], [100, 200], [1000, 2000]]])

CASES = [
    Case(
        "GroupConvolution",
        1,
        [PAIR, f32([[[[1, 1]]], [[[1, -1]]]])],
        [f32([[[3, 5, 7], [-10, -10, -10]]])],
        plain(1),
        name="depthwise",
    ),
    Case(
        "GroupConvolution",
        1,
        [PAIR, f32([[[[1, 1]], [[2, 0]]], [[[1, -1]], [[0, 3]]]])],
        [f32([[[3, 5, 7], [2, 4, 6], [-10, -10, -10], [60, 90, 120]]])],
        plain(1),
        name="depthwise-with-multiplier",
    ),
    Case(
        "GroupConvolution",
        1,
        [QUAD, f32([[[[1], [2]]], [[[3], [4]]]])],
        [f32([[[21, 42], [4300, 8600]]])],
        plain(1),
        name="pointwise-groups",
    ),
    Case(
        "GroupConvolution",
        1,
        [QUAD, f32([[[[1, 0], [0, 1]]], [[[1, 1], [1, 1]]]])],
        [f32([[[10, 21, 2], [1100, 3300, 2200]]])],
        plain(1, pads_begin=(1,), pads_end=(1,)),
        name="groups",
    ),
    Case(
        "GroupConvolution",
        1,
        [f32(np.arange(1, 10).reshape(1, 1, 3, 3)), f32(np.ones((1, 1, 1, 3, 3)))],
        [f32([[[[12, 16], [24, 28]]]])],
        plain(2, strides=(2, 2), pads_begin=(1, 1), pads_end=(1, 1)),
        name="one-group-2d",
    ),
    Case(
        "GroupConvolution",
        1,
        [f32(np.stack([np.arange(1, 10), np.arange(10, 19)]).reshape(1, 2, 3, 3)), f32(np.ones((2, 1, 1, 3, 3)))],
        [f32([[[[12, 16], [24, 28]], [[48, 52], [60, 64]]]])],
        plain(2, strides=(2, 2), auto_pad="same_upper"),
        name="depthwise-2d-same",
    ),
    Case(
        "GroupConvolution",
        1,
        [f32(np.ones((2, 2, 3, 3, 3))), f32(np.arange(16).reshape(2, 1, 1, 2, 2, 2))],
        [f32(np.stack([np.full((2, 2, 2, 2), 28), np.full((2, 2, 2, 2), 92)], axis=1))],
        plain(3),
        name="depthwise-3d",
    ),
    Case(
        "GroupConvolution",
        1,
        [PAIR, f32([[[[1, 1]]], [[[1, -1]]]])],
        [f32([[[4, 6], [-20, -20]]])],
        plain(1, dilations=(2,)),
        name="dilations",
    ),
    Case(
        "GroupConvolution",
        1,
        [i32([[[1, 2], [3, 4]]]), i32([[[[5]]], [[[6]]]])],
        [i32([[[5, 10], [18, 24]]])],
        plain(1),
        name="i32",
    ),
    Case(
        "GroupConvolution",
        1,
        [f32(np.ones((1, 12, 224))), f32(np.ones((4, 1, 3, 5)))],
        [f32(np.broadcast_to(3 * np.array([3, 4] + [5] * 220 + [4, 3]), (1, 4, 224)))],
        plain(1, pads_begin=(2,), pads_end=(2,)),
        name="page-1d",
        source="page",
    ),
]

INVALID = [
    Invalid(
        "GroupConvolution",
        1,
        ["f32[1,5,8]", "f32[2,3,2,3]"],
        "channels of data and kernel must be the same, got 5 and 4",
        plain(1),
        input=1,
    ),
    Invalid(
        "GroupConvolution",
        1,
        ["f32[1,4,8]", "f32[4,3,2]"],
        "input 1 (kernel) has rank 3, expected 4, 5 or 6",
        plain(1),
        input=1,
    ),
    Invalid(
        "GroupConvolution",
        1,
        ["f32[1,4,8]", "f32[2,3,2,3,3]"],
        "the kernel has rank 5, expected 4 for data of rank 3",
        plain(1),
        input=1,
    ),
    Invalid(
        "GroupConvolution",
        1,
        ["f32[1,4,2]", "f32[2,3,2,3]"],
        "a window of 3 does not fit on spatial axis 0 with 2 elements",
        plain(1),
        input=0,
    ),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i64
from tests.cases.convolution.convolution import plain

PAIR = f32([[[1, 10], [2, 20]]])

CASES = [
    Case(
        "GroupConvolutionBackpropData",
        1,
        [PAIR, f32([[[[1, 2]]], [[[3, 4]]]])],
        [f32([[[1, 12, 20], [6, 68, 80]]])],
        plain(1),
        name="depthwise",
    ),
    Case(
        "GroupConvolutionBackpropData",
        1,
        [PAIR, f32([[[[1, 2], [0, 1]]], [[[3, 4], [1, 0]]]])],
        [f32([[[1, 2, 10, 20], [0, 1, 0, 10], [6, 8, 60, 80], [2, 0, 20, 0]]])],
        plain(1, strides=(2,)),
        name="more-channels",
    ),
    Case(
        "GroupConvolutionBackpropData",
        1,
        [PAIR, f32([[[[1, 2]], [[3, 4]]]])],
        [f32([[[7, 80, 100]]])],
        plain(1),
        name="one-group",
        departs="one group",
    ),
    Case(
        "GroupConvolutionBackpropData",
        1,
        [PAIR, f32([[[[1, 2]]], [[[3, 4]]]]), i64([2])],
        [f32([[[12, 20], [68, 80]]])],
        plain(1, auto_pad="same_upper"),
        name="output-shape",
    ),
    Case(
        "GroupConvolutionBackpropData",
        1,
        [PAIR, f32([[[[1, 2]]], [[[3, 4]]]])],
        [f32([[[2, 10, 20, 0], [8, 60, 80, 0]]])],
        plain(1, strides=(2,), pads_begin=(1,), output_padding=(1,)),
        name="output-padding",
    ),
    Case(
        "GroupConvolutionBackpropData",
        1,
        [f32(np.ones((1, 20, 224))), f32(np.ones((4, 5, 2, 3)))],
        [f32(np.broadcast_to(5 * np.array([1, *([2, 1] * 223)]), (1, 8, 447)))],
        plain(1, strides=(2,), pads_begin=(1,), pads_end=(1,)),
        name="page-1d",
        source="page",
    ),
    Case(
        "GroupConvolutionBackpropData",
        1,
        [f32(np.arange(1, 9).reshape(1, 2, 2, 2)), f32(np.ones((2, 1, 1, 2, 2)))],
        [f32([[[[1, 3, 2], [4, 10, 6], [3, 7, 4]], [[5, 11, 6], [12, 26, 14], [7, 15, 8]]]])],
        plain(2),
        name="2d",
    ),
    Case(
        "GroupConvolutionBackpropData",
        1,
        [f32([[[1, 10, 100], [2, 20, 200]]]), f32([[[[1, 2]]], [[[3, 4]]]]), i64([2])],
        [f32([[[12, 120], [68, 680]]])],
        plain(1, auto_pad="valid"),
        name="output-shape-valid",
        departs="output_shape",
    ),
]

INVALID = [
    Invalid(
        "GroupConvolutionBackpropData",
        1,
        ["f32[1,20,8]", "f32[4,4,2,3]"],
        "channels of data and kernel must be the same, got 20 and 16",
        plain(1),
        input=1,
    ),
    Invalid(
        "GroupConvolutionBackpropData",
        1,
        ["f32[1,20,8]", "f32[4,5,3]"],
        "input 1 (kernel) has rank 3, expected 4, 5 or 6",
        plain(1),
        input=1,
    ),
]

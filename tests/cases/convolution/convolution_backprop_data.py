from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64
from tests.cases.convolution.convolution import plain

LINE = f32([[[1, 10, 100]]])
KERNEL = f32([[[1, 2, 3]]])

CASES = [
    Case("ConvolutionBackpropData", 1, [LINE, KERNEL], [f32([[[1, 12, 123, 230, 300]]])], plain(1), name="1d"),
    Case(
        "ConvolutionBackpropData",
        1,
        [LINE, KERNEL],
        [f32([[[1, 2, 13, 20, 130, 200, 300]]])],
        plain(1, strides=(2,)),
        name="strides",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [LINE, KERNEL],
        [f32([[[1, 10, 102, 20, 203, 30, 300]]])],
        plain(1, dilations=(2,)),
        name="dilations",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [LINE, KERNEL],
        [f32([[[12, 123, 230]]])],
        plain(1, pads_begin=(1,), pads_end=(1,)),
        name="pads-cut",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [LINE, KERNEL],
        [f32([[[2, 13, 20, 130, 200, 300, 0]]])],
        plain(1, strides=(2,), pads_begin=(1,), output_padding=(1,)),
        name="output-padding",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [LINE, KERNEL],
        [f32([[[1, 12, 123, 230, 300]]])],
        plain(1, pads_begin=(1,), pads_end=(1,), auto_pad="same_upper"),
        name="auto-pad-ignores-pads",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [LINE, KERNEL, i64([4])],
        [f32([[[12, 123, 230, 300]]])],
        plain(1, auto_pad="same_upper"),
        name="output-shape-same-upper",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [LINE, KERNEL, i64([4])],
        [f32([[[1, 12, 123, 230]]])],
        plain(1, auto_pad="same_lower"),
        name="output-shape-same-lower",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [LINE, KERNEL, i32([3])],
        [f32([[[12, 123, 230]]])],
        plain(1, auto_pad="valid"),
        name="output-shape-valid",
        departs="output_shape",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [LINE, KERNEL, i64([7])],
        [f32([[[1, 12, 123, 230, 300, 0, 0]]])],
        plain(1, auto_pad="same_lower"),
        name="output-shape-beyond",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [f32([[[[1, 2]], [[10, 20]]]]), f32([[[[1, 1]], [[0, 1]]], [[[1, 0]], [[2, 0]]]])],
        [f32([[[[11, 23, 2]], [[20, 41, 2]]]])],
        plain(2),
        name="2d-channels",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [f32(np.ones((2, 1, 1, 1, 2))), f32(np.ones((1, 1, 2, 2, 2)))],
        [f32(np.broadcast_to(np.array([1, 2, 1]), (2, 1, 2, 2, 3)))],
        plain(3),
        name="3d",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [f32(np.ones((1, 2, 2, 2))), f32(np.ones((2, 1, 3, 3)))],
        [f32(2 * np.pad(np.ones((1, 1, 6, 6)), ((0, 0), (0, 0), (0, 2), (0, 2))))],
        plain(2, strides=(3, 3), output_padding=(2, 2)),
        name="page-output-padding",
        source="page",
    ),
]

INVALID = [
    Invalid(
        "ConvolutionBackpropData",
        1,
        ["f32[1,20,8,8]", "f32[10,20,3,3]"],
        "channels of data and kernel must be the same, got 20 and 10",
        plain(2),
        input=1,
    ),
    Invalid(
        "ConvolutionBackpropData",
        1,
        ["f32[1,2,8,8]", "f32[2,2,3,3]", i64([8])],
        "output_shape has 1 element, expected 2",
        plain(2),
        input=2,
    ),
    Invalid(
        "ConvolutionBackpropData",
        1,
        ["f32[1,2,8]", "f32[2,2,3]", i64([0])],
        "output_shape is [0], expected positive sizes",
        plain(1),
        input=2,
    ),
    Invalid(
        "ConvolutionBackpropData",
        1,
        ["f32[1,2,8]", "f32[2,2,3]", "f32[1]"],
        "input 2 (output_shape) is f32, expected any integer type",
        plain(1),
        input=2,
    ),
    Invalid(
        "ConvolutionBackpropData",
        1,
        ["f32[1,2,1]", "f32[2,2,3]"],
        "padding leaves -1 elements on spatial axis 0",
        plain(1, pads_begin=(2,), pads_end=(2,)),
        attribute="pads_begin",
    ),
    Invalid(
        "ConvolutionBackpropData",
        1,
        ["f32[1,2,8,8]", "f32[2,2,3,3]"],
        "output_padding has 1 element, expected 2",
        plain(2, output_padding=(1,)),
        attribute="output_padding",
    ),
]

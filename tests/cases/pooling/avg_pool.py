from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64
from tests.cases.pooling.max_pool import pool


def mean(axes: int, size: int, exclude: bool, **changed: Any) -> dict[str, Any]:
    return pool(axes, size, exclude_pad=exclude, **changed)


def _ones(opset: int, axes: int) -> dict[str, Any]:
    return {"dilations": (1,) * axes} if opset >= 16 else {}


LINE = f32([[[3, 6, 9, 12, 15]]])
SQUARE = f32(np.arange(1, 10).reshape(1, 1, 3, 3))
PADDED = {"pads_begin": (1, 1), "pads_end": (1, 1)}

SHARED = [
    ([LINE], [f32([[[6, 9, 12]]])], mean(1, 3, True), "1d"),
    ([LINE], [f32([[[4.5, 10.5]]])], mean(1, 2, True, strides=(2,)), "strides"),
    (
        [LINE],
        [f32([[[3, 4.5, 7.5, 10.5, 13.5, 15]]])],
        mean(1, 2, True, pads_begin=(1,), pads_end=(1,)),
        "padding-excluded",
    ),
    (
        [LINE],
        [f32([[[1.5, 4.5, 7.5, 10.5, 13.5, 7.5]]])],
        mean(1, 2, False, pads_begin=(1,), pads_end=(1,)),
        "padding-included",
    ),
    ([LINE], [f32([[[4.5, 10.5, 15]]])], mean(1, 2, True, strides=(2,), rounding_type="ceil"), "ceil-excluded"),
    ([LINE], [f32([[[4.5, 10.5, 15]]])], mean(1, 2, False, strides=(2,), rounding_type="ceil"), "ceil-without-padding"),
    (
        [f32([[[3, 6, 9, 12]]])],
        [f32([[[3, 9, np.nan]]])],
        mean(1, 1, False, strides=(2,), rounding_type="ceil"),
        "ceil-window-without-elements",
    ),
    (
        [LINE],
        [f32([[[3, 9, 9]]])],
        mean(1, 3, False, strides=(2,), pads_begin=(1,), pads_end=(1,)),
        "windows-reach-the-end",
    ),
    (
        [LINE],
        [f32([[[3, 9, 9]]])],
        mean(1, 3, False, strides=(2,), pads_begin=(1,), rounding_type="ceil"),
        "ceil-divides-by-the-whole-kernel",
    ),
    (
        [SQUARE],
        [f32([[[[3, 4, 4.5], [6, 7, 7.5], [7.5, 8.5, 9]]]])],
        mean(2, 2, True, auto_pad="same_upper"),
        "same-upper-excluded",
    ),
    (
        [SQUARE],
        [f32([[[[0.25, 0.75, 1.25], [1.25, 3, 4], [2.75, 6, 7]]]])],
        mean(2, 2, False, auto_pad="same_lower"),
        "same-lower-included",
    ),
    ([SQUARE], [f32([[[[5]]]])], mean(2, 3, False, auto_pad="valid", **PADDED), "valid-ignores-pads"),
    ([f32(np.arange(8).reshape(1, 1, 2, 2, 2))], [f32([[[[[3.5]]]]])], mean(3, 2, True), "3d"),
    ([f32([[[np.inf, 1, np.nan, 2]]])], [f32([[[np.inf, np.nan, np.nan]]])], mean(1, 2, True), "infinity-and-nan"),
    ([i32([[[-1, -2, -4, 3]]])], [i32([[[-2, -3, 0]]])], mean(1, 2, True), "i32-half-to-even"),
]

CASES = [
    *(
        Case("AvgPool", opset, inputs, expected, attributes, name=name)
        for opset in (1, 14)
        for inputs, expected, attributes, name in SHARED
    ),
    *(
        Case("AvgPool", 16, inputs, expected, {**attributes, "dilations": (1,) * len(attributes["kernel"])}, name=name)
        for inputs, expected, attributes, name in SHARED
    ),
    *(
        Case(
            "AvgPool",
            opset,
            [f32(np.zeros((0, 2, 3)))],
            [f32(np.zeros((0, 2, 2)))],
            {**mean(1, 2, True), **_ones(opset, 1)},
            name="empty-batch",
            departs="empty",
        )
        for opset in (1, 14, 16)
    ),
    Case(
        "AvgPool",
        16,
        [LINE],
        [f32([[[6, 9, 12]]])],
        mean(1, 3, True),
        name="dilations-absent",
        departs="dilations",
    ),
    Case(
        "AvgPool",
        1,
        [i64([[[2**60 + 2, 2**60 + 4]]])],
        [i64([[[2**60 + 3]]])],
        mean(1, 2, True),
        name="i64-exact",
        departs="64-bit",
    ),
    *(
        Case(
            "AvgPool",
            opset,
            [f32(np.arange(1, 26).reshape(1, 1, 5, 5))],
            [f32([[[[1, 3.5], [13.5, 16]]]])],
            mean(2, 2, True, strides=(3, 3), rounding_type="ceil_torch", **PADDED, **_ones(opset, 2)),
            name="ceil-torch",
        )
        for opset in (14, 16)
    ),
    *(
        Case(
            "AvgPool",
            opset,
            [f32([[[2, 4, 6]]])],
            [f32([[[2, 5]]])],
            mean(
                1, 2, True, strides=(2,), pads_begin=(1,), pads_end=(1,), rounding_type="ceil_torch", **_ones(opset, 1)
            ),
            name="ceil-torch-drops-what-starts-in-padding",
        )
        for opset in (14, 16)
    ),
    Case("AvgPool", 16, [LINE], [f32([[[6, 9, 12]]])], mean(1, 2, True, dilations=(2,)), name="dilations"),
    Case(
        "AvgPool",
        16,
        [LINE],
        [f32([[[6, 6, 9, 12, 12]]])],
        mean(1, 2, True, dilations=(2,), pads_begin=(1,), pads_end=(1,)),
        name="dilations-excluded",
    ),
    Case(
        "AvgPool",
        16,
        [LINE],
        [f32([[[3, 6, 9, 12, 6]]])],
        mean(1, 2, False, dilations=(2,), pads_begin=(1,), pads_end=(1,)),
        name="dilations-included",
    ),
    Case(
        "AvgPool",
        16,
        [f32(np.ones((1, 3, 32, 32)))],
        [f32(np.ones((1, 3, 13, 13))) * np.outer([0.8, *[1] * 12], [0.8, *[1] * 12]).astype(np.float32)],
        mean(2, 5, False, dilations=(2, 2), strides=(2, 2), **PADDED),
        name="page-dilations",
        source="page",
    ),
]

INVALID = [
    Invalid("AvgPool", 1, ["f32[1,3,8]"], "exclude-pad is missing", pool(1, 2), attribute="exclude-pad"),
    Invalid(
        "AvgPool",
        1,
        ["f32[1,3,8,8]"],
        "pads_end has 1 element, expected 2 as kernel has",
        mean(2, 2, True, pads_end=(0,)),
        attribute="pads_end",
    ),
    Invalid(
        "AvgPool",
        14,
        ["f32[1,3,8,8]"],
        "strides has 1 element, expected 2 as kernel has",
        mean(2, 2, True, strides=(1,)),
        attribute="strides",
    ),
    Invalid(
        "AvgPool",
        14,
        ["f32[1,3,8]"],
        "kernel has 2 elements, expected 1, one for each spatial axis",
        mean(2, 2, True),
        attribute="kernel",
    ),
    Invalid(
        "AvgPool",
        16,
        ["f32[1,3,3]"],
        "a window of 5 does not fit on spatial axis 0 with 3 elements",
        mean(1, 3, True, dilations=(2,)),
        input=0,
    ),
    Invalid(
        "AvgPool",
        16,
        ["f32[1,3,8]"],
        "dilations is 0, expected >= 1",
        mean(1, 2, True, dilations=(0,)),
        attribute="dilations",
    ),
]

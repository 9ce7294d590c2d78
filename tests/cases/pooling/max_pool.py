from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64, u8


def pool(axes: int, size: int, **changed: Any) -> dict[str, Any]:
    """Return attributes of windows with stride 1 and without padding."""
    zeros = (0,) * axes
    return {"strides": (1,) * axes, "pads_begin": zeros, "pads_end": zeros, "kernel": (size,) * axes, **changed}


SQUARE = f32([[[[-1, 2, 3], [4, 5, -6], [-7, 8, 9]]]])
COUNT = f32([[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]])
LINE = f32([[[-1, 2, 3, 5, -7, 9, 1]]])
PAIR = f32([[[[-1, 2, 3], [4, 5, -6], [-7, 8, 9]], [[2, -1, 5], [6, -7, 1], [8, 2, -3]]]])

# examples of the specification: data, largest elements, their indices, attributes, name; the page of the first one
# prints -6 at index 5 as the maximum of 3 and -6
EXAMPLES: list[tuple[Any, Any, Any, dict[str, Any], str]] = [
    (
        SQUARE,
        f32([[[[-1, 2, 3, 3], [4, 5, 5, 3], [4, 8, 9, 9], [-7, 8, 9, 9]]]]),
        i64([[[[0, 1, 2, 2], [3, 4, 4, 2], [3, 7, 8, 8], [6, 7, 8, 8]]]]),
        pool(2, 2, pads_begin=(1, 1), pads_end=(1, 1)),
        "page-1",
    ),
    (LINE, f32([[[3, 5, 5, 9, 9]]]), i64([[[2, 3, 3, 5, 5]]]), pool(1, 3, auto_pad="valid"), "page-2"),
    (
        SQUARE,
        f32([[[[-1, 2, 3], [4, 5, 5], [4, 8, 9]]]]),
        i64([[[[0, 1, 2], [3, 4, 4], [3, 7, 8]]]]),
        pool(2, 2, auto_pad="same_lower"),
        "page-3",
    ),
    (
        PAIR,
        f32([[[[5, 5, 3], [8, 9, 9], [8, 9, 9]], [[6, 5, 5], [8, 2, 1], [8, 2, -3]]]]),
        i64([[[[4, 4, 2], [7, 8, 8], [7, 8, 8]], [[12, 11, 11], [15, 16, 14], [15, 16, 17]]]]),
        pool(2, 2, auto_pad="same_upper"),
        "page-4",
    ),
    (
        SQUARE,
        f32([[[[5, 3], [8, 9]]]]),
        i64([[[[4, 2], [7, 8]]]]),
        pool(2, 2, strides=(2, 2), auto_pad="valid", rounding_type="ceil"),
        "page-5",
    ),
]

CASES = [
    *(Case("MaxPool", 1, [data], [best], attributes, "page", name) for data, best, _, attributes, name in EXAMPLES),
    *(
        Case(
            "MaxPool",
            opset,
            [data],
            [best, where],
            {"dilations": (1,) * len(attributes["kernel"]), **attributes},
            "page",
            name,
        )
        for opset in (8, 14)
        for data, best, where, attributes, name in EXAMPLES
    ),
    *(
        Case(
            "MaxPool",
            opset,
            [COUNT],
            [f32([[[[5, 6, 6], [8, 9, 9], [8, 9, 9]]]]), i64([[[[4, 5, 5], [7, 8, 8], [7, 8, 8]]]])],
            pool(2, 3, dilations=(1, 1), auto_pad="same_upper"),
            name="same-of-dynamic-sizes",
            dynamic=True,
            departs="dynamic sizes",
        )
        for opset in (8, 14)
    ),
    Case(
        "MaxPool",
        8,
        [COUNT],
        [f32([[[[5, 6, 5], [8, 9, 8], [5, 6, 5]]]]), i64([[[[4, 5, 4], [7, 8, 7], [4, 5, 4]]]])],
        pool(2, 2, dilations=(2, 2), pads_begin=(1, 1), pads_end=(1, 1)),
        source="page",
        name="page-6-dilations",
    ),
    Case(
        "MaxPool",
        8,
        [f32(np.arange(1, 19).reshape(1, 2, 3, 3))],
        [f32([[[[5, 6], [8, 9]], [[14, 15], [17, 18]]]]), i64([[[[4, 5], [7, 8]], [[4, 5], [7, 8]]]])],
        pool(2, 2, dilations=(1, 1), axis=2),
        source="page",
        name="page-7-axis",
    ),
    Case(
        "MaxPool",
        14,
        [COUNT],
        [f32([[[[1, 3], [7, 9]]]]), i64([[[[0, 2], [6, 8]]]])],
        pool(2, 2, strides=(2, 2), dilations=(1, 1), pads_begin=(1, 1), pads_end=(1, 1), rounding_type="ceil_torch"),
        source="page",
        name="page-ceil-torch",
    ),
    Case("MaxPool", 1, [f32([[[1, 3, 2, 5]]])], [f32([[[3, 5]]])], pool(1, 2, strides=(2,)), name="1d"),
    Case(
        "MaxPool",
        1,
        [f32(np.arange(27).reshape(1, 1, 3, 3, 3))],
        [f32([[[[[13, 14], [16, 17]], [[22, 23], [25, 26]]]]])],
        pool(3, 2),
        name="3d",
    ),
    Case(
        "MaxPool",
        1,
        [i32([[[-9, -3, -5]]])],
        [i32([[[-9, -3, -3, -5]]])],
        pool(1, 2, pads_begin=(1,), pads_end=(1,)),
        name="i32-padding",
    ),
    Case("MaxPool", 1, [u8([[[7, 200, 5]]])], [u8([[[200, 200]]])], pool(1, 2), name="u8"),
    Case(
        "MaxPool",
        1,
        [i64([[[2**60, 2**60 + 1]]])],
        [i64([[[2**60 + 1]]])],
        pool(1, 2),
        name="i64-exact",
        departs="64-bit",
    ),
    Case("MaxPool", 1, [f32([[[1, np.nan, 3, np.nan]]])], [f32([[[1, 3, 3]]])], pool(1, 2), name="nan-is-passed-over"),
    Case(
        "MaxPool",
        1,
        [f32([[[-np.inf, -np.inf, 2]]])],
        [f32([[[-np.inf, 2]]])],
        pool(1, 2),
        name="minus-infinity",
        departs="infinite",
    ),
    Case(
        "MaxPool",
        1,
        [f32(np.zeros((0, 2, 3)))],
        [f32(np.zeros((0, 2, 2)))],
        pool(1, 2),
        name="empty-batch",
        departs="empty",
    ),
    Case(
        "MaxPool",
        8,
        [f32([[[-np.inf, -np.inf, 1, 1]]])],
        [f32([[[-np.inf, -np.inf, 1, 1, 1]]]), i64([[[0, 0, 2, 2, 3]]])],
        pool(1, 2, pads_begin=(1,), pads_end=(1,)),
        name="first-of-equals",
        departs="dilations",
    ),
    Case(
        "MaxPool",
        8,
        [f32([[[1, 5], [7, 3]], [[2, 4], [8, 6]]])],
        [f32([[[5], [7]], [[4], [8]]]), i32([[[1], [2]], [[1], [2]]])],
        pool(1, 2, dilations=(1,), axis=-2, index_element_type="i32"),
        name="negative-axis-i32",
    ),
    Case(
        "MaxPool",
        14,
        [f32(np.arange(27).reshape(1, 1, 3, 3, 3))],
        [f32([[[[[26]]]]]), i64([[[[[26]]]]])],
        pool(3, 2, dilations=(2, 2, 2)),
        name="3d-dilations",
    ),
    Case(
        "MaxPool",
        14,
        [f32([[[1, 2, 3, 4, 5]]])],
        [f32([[[2, 4, 5]]]), i64([[[1, 3, 4]]])],
        pool(1, 2, strides=(2,), dilations=(1,), rounding_type="ceil_torch"),
        name="ceil-torch-keeps-what-starts-inside",
    ),
    Case(
        "MaxPool",
        14,
        [f32([[[1, 2, 3, 4]]])],
        [f32([[[2, 3, 4]]]), i64([[[1, 2, 3]]])],
        pool(1, 2),
        name="dilations-absent",
        departs="dilations",
    ),
]

INVALID = [
    Invalid(
        "MaxPool",
        1,
        ["f32[1,3,8,8]"],
        "strides has 1 element, expected 2 as kernel has",
        pool(2, 2, strides=(1,)),
        attribute="strides",
    ),
    Invalid(
        "MaxPool",
        1,
        ["f32[1,3,8]"],
        "kernel has 2 elements, expected 1, one for each spatial axis",
        pool(2, 2),
        attribute="kernel",
    ),
    Invalid("MaxPool", 1, ["f32[1,3]"], "input 0 (data) has rank 2, expected 3, 4 or 5", pool(1, 2), input=0),
    Invalid(
        "MaxPool",
        1,
        ["f32[1,3,2]"],
        "a window of 5 does not fit on spatial axis 0 with 2 elements and 2 of padding",
        pool(1, 5, pads_begin=(1,), pads_end=(1,)),
        input=0,
    ),
    Invalid("MaxPool", 1, ["f32[1,3,8]"], "kernel is 0, expected >= 1", pool(1, 0), attribute="kernel"),
    Invalid(
        "MaxPool",
        1,
        ["f32[1,3,8]"],
        "pads_begin is -1, expected >= 0",
        pool(1, 2, pads_begin=(-1,)),
        attribute="pads_begin",
    ),
    Invalid(
        "MaxPool",
        8,
        ["f32[1,3,8,8]"],
        "dilations has 1 element, expected 2",
        pool(2, 2, dilations=(1,)),
        attribute="dilations",
    ),
    Invalid(
        "MaxPool", 8, ["f32[1,3,8,8]"], "axis 4 is outside a tensor of rank 4", pool(2, 2, axis=4), attribute="axis"
    ),
    Invalid(
        "MaxPool", 14, ["string[1,3,8]"], "input 0 (data) is string, expected any numeric type", pool(1, 2), input=0
    ),
]

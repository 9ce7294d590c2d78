from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

LINE = f32([[[3, 6, 9, 12, 15]]])

CASES = [
    Case("AdaptiveAvgPool", 8, [LINE, i64([3])], [f32([[[4.5, 9, 13.5]]])], name="overlapping"),
    Case("AdaptiveAvgPool", 8, [LINE, i32([5])], [LINE], name="same-size"),
    Case("AdaptiveAvgPool", 8, [f32([[[2, 6, 10, 14]]]), i64([2])], [f32([[[4, 12]]])], name="even"),
    Case("AdaptiveAvgPool", 8, [f32([[[2, 6]]]), i64([3])], [f32([[[2, 4, 6]]])], name="more-windows-than-elements"),
    Case(
        "AdaptiveAvgPool",
        8,
        [f32(np.arange(1, 10).reshape(1, 1, 3, 3)), i64([2, 2])],
        [f32([[[[3, 4], [6, 7]]]])],
        name="2d",
    ),
    Case(
        "AdaptiveAvgPool",
        8,
        [f32(np.arange(16).reshape(2, 2, 2, 2)), i64([1, 1])],
        [f32([[[[1.5]], [[5.5]]], [[[9.5]], [[13.5]]]])],
        name="global",
    ),
    Case(
        "AdaptiveAvgPool",
        8,
        [f32(np.arange(12).reshape(1, 1, 2, 2, 3)), i64([1, 1, 2])],
        [f32([[[[[5, 6]]]]])],
        name="3d",
    ),
    Case(
        "AdaptiveAvgPool",
        8,
        [f32(np.ones((1, 3, 32, 32))), i64([16, 16])],
        [f32(np.ones((1, 3, 16, 16)))],
        name="page",
        source="page",
    ),
    Case("AdaptiveAvgPool", 8, [f32(np.zeros((0, 2, 5))), i64([3])], [f32(np.zeros((0, 2, 3)))], name="empty-batch"),
]

INVALID = [
    Invalid("AdaptiveAvgPool", 8, ["f32[1,3,8,8]", i64([2])], "output_shape has 1 element, expected 2", input=1),
    Invalid(
        "AdaptiveAvgPool", 8, ["f32[1,3,8]", i64([-2])], "output_shape is [-2], expected no negative sizes", input=1
    ),
    Invalid("AdaptiveAvgPool", 8, ["f32[1,3]", i64([2])], "input 0 (data) has rank 2, expected 3, 4 or 5", input=0),
    Invalid("AdaptiveAvgPool", 8, ["f32[1,3,8]", "boolean[2]"], "input 1 (output_shape) is boolean", input=1),
    Invalid("AdaptiveAvgPool", 8, ["f32[1,3,8]", "i64[1,1]"], "input 1 (output_shape) has rank 2, expected 1", input=1),
]

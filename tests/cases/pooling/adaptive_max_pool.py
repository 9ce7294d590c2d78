from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

I32 = {"index_element_type": "i32"}

CASES = [
    Case(
        "AdaptiveMaxPool",
        8,
        [f32([[[3, 6, 1, 2, 5]]]), i64([3])],
        [f32([[[6, 6, 5]]]), i64([[[1, 1, 4]]])],
        name="overlapping",
        departs="i64",
    ),
    Case(
        "AdaptiveMaxPool",
        8,
        [f32([[[4, 4, 2, 2]]]), i32([2])],
        [f32([[[4, 2]]]), i32([[[0, 2]]])],
        I32,
        name="first-of-equals",
    ),
    Case(
        "AdaptiveMaxPool",
        8,
        [f32([[[[1, 9, 3], [4, 5, 8], [7, 2, 6]]]]), i64([2, 2])],
        [f32([[[[9, 9], [7, 8]]]]), i32([[[[1, 1], [6, 5]]]])],
        I32,
        name="2d",
    ),
    Case(
        "AdaptiveMaxPool",
        8,
        [f32(-np.arange(16).reshape(2, 2, 2, 2)), i64([1, 1])],
        [f32([[[[0]], [[-4]]], [[[-8]], [[-12]]]]), i32([[[[0]], [[0]]], [[[0]], [[0]]]])],
        I32,
        name="global-counts-from-each-channel",
    ),
    Case(
        "AdaptiveMaxPool",
        8,
        [f32(np.arange(12).reshape(1, 1, 2, 2, 3)), i64([2, 1, 1])],
        [f32([[[[[5]], [[11]]]]]), i32([[[[[5]], [[11]]]]])],
        I32,
        name="3d",
    ),
    Case(
        "AdaptiveMaxPool",
        8,
        [f32([[[-np.inf, -np.inf, 3]]]), i64([3])],
        [f32([[[-np.inf, -np.inf, 3]]]), i32([[[0, 1, 2]]])],
        I32,
        name="minus-infinity",
    ),
    Case(
        "AdaptiveMaxPool",
        8,
        [f32(np.arange(3072).reshape(1, 3, 32, 32)), i64([16, 16])],
        [
            f32(np.arange(3072).reshape(1, 3, 32, 32)[:, :, 1::2, 1::2]),
            i64(np.broadcast_to(np.arange(1024).reshape(32, 32)[1::2, 1::2], (1, 3, 16, 16))),
        ],
        name="page",
        source="page",
        departs="i64",
    ),
    Case(
        "AdaptiveMaxPool",
        8,
        [f32([[[np.nan, 1, 2, 3]]]), i64([2])],
        [f32([[[1, 3]]]), i32([[[1, 3]]])],
        {"index_element_type": "i32"},
        name="nan-comes-first",
        departs="nan",
    ),
]

INVALID = [
    Invalid("AdaptiveMaxPool", 8, ["f32[1,3,0,8]", i64([2, 2])], "expected elements along each pooled axis", input=0),
    Invalid("AdaptiveMaxPool", 8, ["f32[1,3,8,8]", i64([2, 2, 2])], "output_shape has 3 elements, expected 2", input=1),
    Invalid("AdaptiveMaxPool", 8, ["f32[1,3,8,8,8,8]", i64([2])], "input 0 (data) has rank 6", input=0),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("ConvertLike", 1, [f32([[1.9, -1.9]]), i32([0, 0, 0])], [i32([[1, -1]])], name="f32_i32"),
    Case(
        "ConvertLike",
        1,
        [i32([3, -4]), f32(np.zeros((0, 2)))],
        [f32([3, -4])],
        name="i32_f32",
    ),
    Case("ConvertLike", 1, [f32([0.3, 0]), boolean(True)], [boolean([True, False])], name="f32_boolean"),
    Case("ConvertLike", 1, [boolean([True]), i64([5])], [i64([1])], name="boolean_i64"),
    Case(
        "ConvertLike",
        1,
        [i64([2**53 + 1]), np.array([1], np.uint64)],
        [np.array([2**53 + 1], np.uint64)],
        name="i64_big",
        departs="64-bit",
    ),
    Case("ConvertLike", 1, [f32([2049]), f32([1])], [f32([2048])], types={1: "f16"}, name="f32_f16"),
    Case("ConvertLike", 1, [f32([-1, 300.7]), u8([0])], [u8([255, 44])], name="f32_u8_wraps"),
]
INVALID = [
    Invalid("ConvertLike", 1, [f32([1]), np.array(["1"], dtype=object)], "input 1 (like) is string, expected", input=1),
    Invalid("ConvertLike", 1, [f32([1])], "ConvertLike has 1 input, expected 2 (data, like)"),
]

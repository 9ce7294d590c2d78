from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32

_DATA = f32([[-1, 2, -3], [4, -5, -6]])

CASES = [
    Case("PReLU", 1, [_DATA, f32([10, 20, 30])], [f32([[-10, 2, -90], [4, -100, -180]])], name="channel"),
    Case("PReLU", 1, [_DATA, f32([2])], [f32([[-2, 2, -6], [4, -10, -12]])], name="one"),
    Case("PReLU", 1, [_DATA, f32(2)], [f32([[-2, 2, -6], [4, -10, -12]])], name="scalar"),
    Case("PReLU", 1, [f32([-1, 2, -3]), f32([10, 20, 30])], [f32([-10, 2, -90])], name="1d"),
    Case(
        "PReLU", 1, [f32(-np.ones((1, 2, 2))), f32([3, 4])], [f32([[[-3, -3], [-4, -4]]])], name="channel_before_last"
    ),
    Case("PReLU", 1, [f32(-np.ones((1, 2, 3))), f32([3, 4, 5])], [f32([[[-3, -4, -5], [-3, -4, -5]]])], name="last"),
    Case("PReLU", 1, [f32(-np.ones((1, 2, 2))), f32([[[3], [4]]])], [f32([[[-3, -3], [-4, -4]]])], name="numpy"),
    Case("PReLU", 1, [i32([-3, 5]), i32([2])], [i32([-6, 5])], name="integers"),
    Case("PReLU", 1, [i32([-3, -5, -9, 7]), f32([0.5])], [i32([-2, -2, -4, 7])], name="integers by floats"),
    Case("PReLU", 1, [f32(np.zeros((2, 0))), f32([2])], [f32(np.zeros((2, 0)))], name="empty"),
]
INVALID = [
    Invalid("PReLU", 1, [_DATA, f32([1, 2])], "slope [2] does not broadcast to data [2,3]", input=1),
    Invalid("PReLU", 1, ["f32[2,?,3]", "f32[4,2,3]"], "slope [4,2,3] does not broadcast to data [2,?,3]", input=1),
    Invalid("PReLU", 1, [_DATA, "string[1]"], "input 1 (slope) is string, expected any numeric type", input=1),
]

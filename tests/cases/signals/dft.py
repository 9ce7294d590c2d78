from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32, i64

_SIGNAL = f32([[1, 0], [2, 0], [3, 0], [4, 0]])
_SPECTRUM = f32([[10, 0], [-2, 2], [-2, 0], [-2, -2]])
_PLANE = f32([[[1, 0], [2, 1]], [[3, 0], [4, -1]]])

CASES = [
    Case("DFT", 7, [_SIGNAL, i64([0])], [_SPECTRUM], name="four points"),
    Case("DFT", 7, [_SIGNAL, i32([-1])], [_SPECTRUM], name="negative axis"),
    Case("DFT", 7, [f32([[0, 1], [0, 0]]), i64([0])], [f32([[0, 1], [0, 1]])], name="imaginary"),
    Case("DFT", 7, [_PLANE, i64([0, 1])], [f32([[[10, 0], [-2, 0]], [[-4, 2], [0, -2]]])], name="plane"),
    Case("DFT", 7, [_SIGNAL, i64([0]), i64([2])], [f32([[3, 0], [-1, 0]])], name="cut"),
    Case("DFT", 7, [_SIGNAL[:2], i64([0]), i64([4])], [f32([[3, 0], [1, -2], [-1, 0], [1, 2]])], name="padded"),
    Case(
        "DFT",
        7,
        [_PLANE, i64([1, 0]), i64([-1, 1])],
        [f32([[[3, 1], [-1, -1]]])],
        name="size -1, axes in another order",
    ),
    Case(
        "DFT",
        7,
        [f64(_SIGNAL), i64([0])],
        [f64(_SPECTRUM)],
        name="f64",
        rtol=1e-14,
        atol=1e-14,
        departs="f64",
    ),
    Case("DFT", 7, [_PLANE, i64([])], [_PLANE], name="no axes", departs="no axes"),
    Case(
        "DFT",
        7,
        [f32(np.zeros((0, 4, 2))), i64([1])],
        [f32(np.zeros((0, 4, 2)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("DFT", 7, [_SIGNAL, i64([1])], "axis 1 is outside -1 to 0", input=1),
    Invalid("DFT", 7, [_PLANE, i64([0, -2])], "axes 0, -2 are not different", input=1),
    Invalid("DFT", 7, ["f32[4,3]", i64([0])], "must be the same, got 3 and 2", input=0),
    Invalid("DFT", 7, ["f32[2]", i64([0])], "data has rank 1, expected 2 or more", input=0),
    Invalid("DFT", 7, [_SIGNAL, i64([0]), i64([2, 2])], "the numbers of axes and of signal sizes", input=2),
    Invalid("DFT", 7, [_SIGNAL, i64([0]), i64([-2])], "signal size -2 is below -1", input=2),
    Invalid("DFT", 7, [_SIGNAL, "i64[2]"], "got 2 axes, expected at most 1", input=1),
    Invalid("DFT", 7, ["i32[4,2]", i64([0])], "expected any float type", input=0),
]

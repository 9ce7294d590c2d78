from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32

_OPSET = "ie_internal_opset"
_DATA = f32([[1, 7], [0, 0]])

CASES = [
    Case("RMS", _OPSET, [_DATA, f32([1, 2])], [f32([[0.2, 2.8], [0, 0]])], {"epsilon": 1e-9}),
    Case("RMS", _OPSET, [_DATA, f32([[1], [3]])], [f32([[0.1, 0.7], [0, 0]])], {"epsilon": 75.0}, name="rows"),
    Case(
        "RMS",
        _OPSET,
        [_DATA],
        [f32([[0.2, 1.4], [0, 0]])],
        {"epsilon": 1e-9, "elementwise_affine": False},
        name="no_scale",
    ),
    Case(
        "RMS",
        _OPSET,
        [f32([[1, 1000]]), f32([[[3, 1 / 3]]])],
        [f32([[0.0042419434, 0.47143555]])],
        {"epsilon": 1e-9, "output_type": "f16"},
        name="f16",
    ),
    Case(
        "RMS",
        _OPSET,
        [_DATA, f32(2)],
        [f32([[0.4, 2.8], [0, 0]])],
        {"epsilon": 1e-9, "output_type": "dynamic"},
        name="scalar",
    ),
    Case(
        "RMS",
        _OPSET,
        [f32(np.zeros((2, 0))), f32([1])],
        [f32(np.zeros((2, 0)))],
        {"epsilon": 1.0},
        name="empty",
        departs="empty",
    ),
]
INVALID = [
    Invalid(
        "RMS", _OPSET, [_DATA, f32([1, 2, 3])], "scale [3] does not broadcast to data [2,2]", {"epsilon": 1.0}, input=1
    ),
    Invalid("RMS", _OPSET, [f32(1), f32(1)], "data is a scalar, expected at least one axis", {"epsilon": 1.0}, input=0),
    Invalid(
        "RMS", _OPSET, [i32([1]), i32([1])], "input 0 (data) is i32, expected any float type", {"epsilon": 1.0}, input=0
    ),
    Invalid("RMS", _OPSET, [_DATA, f32([1])], "epsilon is missing", attribute="epsilon"),
]

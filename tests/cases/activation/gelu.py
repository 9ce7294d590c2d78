from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

_ERF = [0.8413447, -0.15865526, 0, 1.9544997, -0.04550026]
_TANH = [0.841192, -0.158808, 0, 1.9545977, -0.04540231]

CASES = [
    Case("Gelu", 2, [f32([[1, -1, 0, 2, -2]])], [f32([_ERF])]),
    Case("Gelu", 2, [f64(0.5)], [f64(0.34573123063700656)], name="f64_scalar"),
    Case("Gelu", 2, [f32(-1)], [f32(-0.15865526)], name="f32_scalar"),
    Case("Gelu", 7, [f32([1, -1, 0, 2, -2])], [f32(_ERF)], name="default"),
    Case("Gelu", 7, [f32(2)], [f32(1.9544997)], name="scalar"),
    Case("Gelu", 7, [f32(2)], [f32(1.9545977)], {"approximation_mode": "tanh"}, name="tanh_scalar"),
    Case("Gelu", 7, [f32([1, -1, 0, 2, -2])], [f32(_ERF)], {"approximation_mode": "erf"}, name="erf"),
    Case("Gelu", 7, [f32([1, -1, 0, 2, -2])], [f32(_TANH)], {"approximation_mode": "tanh"}, name="tanh", atol=2e-6),
    Case("Gelu", 7, [f32([50, -50])], [f32([50, 0])], {"approximation_mode": "tanh"}, name="tanh_tails"),
    Case("Gelu", 7, [f32(np.zeros((2, 0)))], [f32(np.zeros((2, 0)))], name="empty"),
]
INVALID = [
    Invalid("Gelu", 2, [i32([1])], "input 0 (data) is i32, expected any float type", input=0),
    Invalid("Gelu", 7, [i32([1])], "input 0 (data) is i32, expected any float type", input=0),
]

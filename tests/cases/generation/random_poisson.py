from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32

_PYTORCH = {"global_seed": 150, "op_seed": 69, "alignment": "pytorch"}
_TENSORFLOW = {"global_seed": 150, "op_seed": 77}
_STEPS = f32([0, 5, 10, 15, 20, 25, 30, 35, 40])

CASES = [
    Case(
        "RandomPoisson",
        17,
        [f32([1, 2, 3, 4, 5, 6, 7, 8, 9])],
        [f32([1, 2, 2, 2, 3, 8, 9, 11, 5])],
        _PYTORCH,
        "page",
        "small rates",
        departs="unknown",
    ),
    Case(
        "RandomPoisson",
        17,
        [f32([11, 12, 13, 14, 15, 16, 17, 18, 19])],
        [f32([14, 11, 15, 20, 9, 20, 15, 17, 21])],
        _PYTORCH,
        "page",
        "large rates",
        departs="unknown",
    ),
    Case(
        "RandomPoisson",
        17,
        [_STEPS],
        [f32([0, 6, 6, 11, 19, 15, 36, 33, 33])],
        _PYTORCH,
        "page",
        "bf16",
        types={0: "bf16"},
        departs="unknown",
    ),
    Case(
        "RandomPoisson",
        17,
        [_STEPS.reshape(3, 3)],
        [f32([[0, 4, 5], [12, 21, 20], [38, 39, 34]])],
        _TENSORFLOW,
        "page",
        "as TensorFlow",
        departs="unknown",
    ),
    Case(
        "RandomPoisson",
        17,
        [f32([1, 2, 3, 4, 5, 6, 7, 8, 9])],
        [f32([1, 1, 1, 2, 9, 5, 3, 3, 8])],
        _TENSORFLOW,
        "page",
        "f16",
        types={0: "f16"},
        departs="unknown",
    ),
    Case("RandomPoisson", 17, [f32(np.zeros((2, 0)))], [f32(np.zeros((2, 0)))], name="empty", departs="unknown"),
]
INVALID = [
    Invalid("RandomPoisson", 17, [f32(1)], "the input is a scalar, expected rank 1 or more", input=0),
    Invalid("RandomPoisson", 17, ["i32[2]"], "is i32, expected bf16, f16, f32 or f64", input=0),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64

_DATA = f32([[[1, 3], [5, 7], [2, 2], [4, 4]]])
_ONE, _ZERO = f32([1, 1, 1, 1]), f32([0, 0, 0, 0])

CASES = [
    Case(
        "GroupNormalization",
        12,
        [_DATA, _ONE, _ZERO],
        [f32([[[-3, -1], [1, 3], [-1, -1], [1, 1]]]) / np.sqrt(f32([[[6], [6], [2], [2]]]))],
        {"num_groups": 2, "epsilon": 1.0},
    ),
    Case(
        "GroupNormalization",
        12,
        [_DATA, f32([1, 2, 3, 4]), f32([0, 1, 2, 3])],
        [f32([[[-0.5, 0.5], [0, 2], [2, 2], [3, 3]]])],
        {"num_groups": 4, "epsilon": 3.0},
        name="instance",
    ),
    Case(
        "GroupNormalization",
        12,
        [f64([[1, 3], [2, 8]]), f64([1, 1]), f64([0, 0])],
        [f64([[-1, 1], [-1, 1]])],
        {"num_groups": 1, "epsilon": 1e-12},
        name="layer_f64",
    ),
    Case(
        "GroupNormalization",
        12,
        [f32(np.zeros((2, 4, 0))), _ONE, _ZERO],
        [f32(np.zeros((2, 4, 0)))],
        {"num_groups": 2, "epsilon": 1.0},
        name="empty",
    ),
]
INVALID = [
    Invalid(
        "GroupNormalization",
        12,
        [_DATA, _ONE, _ZERO],
        "4 channels do not divide into 3 groups",
        {"num_groups": 3, "epsilon": 1.0},
        attribute="num_groups",
    ),
    Invalid(
        "GroupNormalization",
        12,
        [_DATA, f32([1]), f32([1])],
        "must be the same, got 4 and 1",
        {"num_groups": 2, "epsilon": 1.0},
        input=0,
    ),
    Invalid(
        "GroupNormalization",
        12,
        [_DATA, _ONE, f32([1])],
        "the sizes of scale and bias must be the same, got 4 and 1",
        {"num_groups": 2, "epsilon": 1.0},
        input=2,
    ),
    Invalid(
        "GroupNormalization",
        12,
        [f32([1]), _ONE, _ZERO],
        "data has shape [1], expected at least two axes",
        {"num_groups": 2, "epsilon": 1.0},
        input=0,
    ),
    Invalid(
        "GroupNormalization",
        12,
        [_DATA, _ONE, _ZERO],
        "num_groups is 0, expected >= 1",
        {"num_groups": 0, "epsilon": 1.0},
        attribute="num_groups",
    ),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

_DATA = f32([[[1, 3], [10, 20]]])
_GAMMA, _BETA, _MEAN, _VARIANCE = f32([2, 3]), f32([0.5, -1]), f32([1, 10]), f32([3, 99])
_WANT = f32([[[0.5, 2.5], [-1, 2]]])

CASES = [
    Case(
        "BatchNormInference",
        1,
        [_GAMMA, _BETA, _DATA, _MEAN, _VARIANCE],
        [_WANT],
        {"epsilon": 1.0},
    ),
    Case(
        "BatchNormInference",
        1,
        [_DATA, _GAMMA, _BETA, _MEAN, _VARIANCE],
        [_WANT],
        {"epsilon": 1.0},
        name="page_order",
        departs="order",
    ),
    Case("BatchNormInference", 5, [_DATA, _GAMMA, _BETA, _MEAN, _VARIANCE], [_WANT], {"epsilon": 1.0}),
    Case(
        "BatchNormInference",
        5,
        [f32([[1, 10], [3, 20]]), _GAMMA, _BETA, _MEAN, _VARIANCE],
        [f32([[0.5, -1], [2.5, 2]])],
        {"epsilon": 1.0},
        name="2d",
    ),
    Case(
        "BatchNormInference",
        5,
        [f64(np.full((1, 1, 1, 1, 2), 5)), f64([1]), f64([0]), f64([3]), f64([4])],
        [f64(np.full((1, 1, 1, 1, 2), 1))],
        {"epsilon": 0.0},
        name="5d_f64",
    ),
    Case(
        "BatchNormInference",
        5,
        [f32(np.zeros((0, 2))), _GAMMA, _BETA, _MEAN, _VARIANCE],
        [f32(np.zeros((0, 2)))],
        {"epsilon": 1.0},
        name="empty",
    ),
]
INVALID = [
    Invalid(
        "BatchNormInference",
        5,
        [_DATA, *[f32([1, 2, 3])] * 4],
        "the channels of data and of the parameters must be the same, got 2 and 3",
        {"epsilon": 1.0},
    ),
    Invalid("BatchNormInference", 5, [_DATA, _GAMMA, f32([1]), _MEAN, _VARIANCE], "got 2 and 1", {"epsilon": 1.0}),
    Invalid(
        "BatchNormInference",
        5,
        [f32([1, 2]), _GAMMA, _BETA, _MEAN, _VARIANCE],
        "data has shape [2], expected at least two axes",
        {"epsilon": 1.0},
    ),
    Invalid(
        "BatchNormInference",
        5,
        [_DATA, f32([[1, 2]]), _BETA, _MEAN, _VARIANCE],
        "input 1 (gamma) has rank 2, expected 1",
        {"epsilon": 1.0},
        input=1,
    ),
    Invalid(
        "BatchNormInference",
        5,
        [i32([[1]]), *[i32([1])] * 4],
        "input 0 (data) is i32, expected any float type",
        {"epsilon": 1.0},
        input=0,
    ),
    Invalid(
        "BatchNormInference",
        5,
        [_DATA, _GAMMA, _BETA, _MEAN, _VARIANCE],
        "epsilon is -1.0, expected >= 0",
        {"epsilon": -1.0},
        attribute="epsilon",
    ),
    Invalid(
        "BatchNormInference",
        1,
        [_GAMMA, _BETA, f32([1, 2]), _MEAN, _VARIANCE],
        "data has shape [2], expected at least two axes",
        {"epsilon": 1.0},
    ),
    Invalid(
        "BatchNormInference",
        1,
        [_GAMMA, f32([[1, 2]]), _DATA, _MEAN, _VARIANCE],
        "beta has shape [1,2], expected one axis",
        {"epsilon": 1.0},
    ),
]

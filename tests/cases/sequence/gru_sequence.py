from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_X = f32([[[1], [2], [3]], [[4], [5], [6]]])
_H = f32([[[0]], [[8]]])
_W, _R = f32([[[0], [0], [1]]]), f32([[[0], [0], [1]]])
_B = f32([[0, 1, 0]])
_FORWARD = {"hidden_size": 1, "direction": "forward", "activations": ("relu", "relu")}
_TWO = {**_FORWARD, "direction": "bidirectional"}


def _both(array: np.ndarray) -> np.ndarray:
    return np.concatenate([array, array])


CASES = [
    Case(
        "GRUSequence",
        5,
        [_X, _H, i32([3, 3]), _W, _R, _B],
        [f32([[[[1], [3], [6]]], [[[12], [17], [23]]]]), f32([[[6]], [[23]]])],
        _FORWARD,
        name="forward",
    ),
    Case(
        "GRUSequence",
        5,
        [_X, _H, i64([2, 1]), _W, _R, _B],
        [f32([[[[3], [2], [0]]], [[[12], [0], [0]]]]), f32([[[3]], [[12]]])],
        {**_FORWARD, "direction": "reverse"},
        name="reverse, lengths",
    ),
    Case(
        "GRUSequence",
        5,
        [_X[:1], f32([[[0], [0]]]), i32([3]), _both(_W), _both(_R), f32([[0.5, 1, 0], [0, 0, 0]])],
        [f32([[[[0.5], [1.5], [3]], [[1], [2], [3]]]]), f32([[[3], [1]]])],
        _TWO,
        name="bidirectional",
    ),
    Case(
        "GRUSequence",
        5,
        [_X[:1], f32([[[0]]]), i32([3]), _W, _R, f32([[0, 2, 0, 1]])],
        [f32([[[[3], [10], [25]]]]), f32([[[25]]])],
        {**_FORWARD, "linear_before_reset": True},
        name="linear before reset",
    ),
    Case(
        "GRUSequence",
        5,
        [_X[1:], f32([[[8]]]), i32([3]), f32(np.zeros((1, 3, 1))), f32(np.zeros((1, 3, 1))), f32(np.zeros((1, 3)))],
        [f32([[[[4], [2], [1]]]]), f32([[[1]]])],
        {"hidden_size": 1, "direction": "forward"},
        name="default activations",
    ),
    Case(
        "GRUSequence",
        5,
        [_X, f32([[[8]], [[8]]]), i64([2, 1]), 0 * _W, 0 * _R, 0 * _B],
        [f32([[[[4], [2], [0]]], [[[4], [0], [0]]]]), f32([[[2]], [[4]]])],
        {"hidden_size": 1, "direction": "forward"},
        name="lengths of dynamic data",
        constant=(3, 4, 5),
        dynamic=True,
        departs="dynamic",
    ),
]
INVALID = [
    Invalid(
        "GRUSequence",
        5,
        [_X, _H, i32([3, 3]), _W, _R, "f32[1,4]"],
        "4 is not 3 times the hidden size 1",
        _FORWARD,
        input=5,
    ),
    Invalid(
        "GRUSequence",
        5,
        [_X, _H, i32([3, 3]), "f32[2,3,1]", _R, _B],
        "input 3 has 2 directions, expected 1 (forward)",
        _FORWARD,
        input=3,
    ),
    Invalid(
        "GRUSequence", 5, [_X, "f32[2,1,2]", i32([3, 3]), _W, _R, _B], "input 1 has hidden size 2", _FORWARD, input=1
    ),
]

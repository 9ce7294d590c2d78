from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_X = f32([[[1], [2], [3]], [[4], [5], [6]]])
_H, _C = f32([[[0]], [[0]]]), f32([[[0]], [[8]]])
_W, _R = f32([[[0], [0], [1], [0]]]), f32([[[0], [0], [0], [0]]])
_B = f32([[0.5, 1, 0, 2]])
_FORWARD = {"hidden_size": 1, "direction": "forward", "activations": ("relu", "relu", "relu")}
_REVERSE = {**_FORWARD, "direction": "reverse"}
_TWO = {**_FORWARD, "direction": "bidirectional"}
_ONE = [_X[:1], _H[:1], _C[:1], i32([3])]

CASES = [
    Case(
        "LSTMSequence",
        1,
        [_X, _H, _C, i32([3, 3]), _W, _R, _B],
        [
            f32([[[[2], [5], [8.5]]], [[[16], [18], [21]]]]),
            f32([[[8.5]], [[21]]]),
            f32([[[4.25]], [[10.5]]]),
        ],
        _FORWARD,
        name="forward",
        departs="unknown",
    ),
    Case(
        "LSTMSequence",
        5,
        [_X, _H, _C, i32([3, 3]), _W, _R, _B],
        [
            f32([[[[2], [5], [8.5]]], [[[16], [18], [21]]]]),
            f32([[[8.5]], [[21]]]),
            f32([[[4.25]], [[10.5]]]),
        ],
        _FORWARD,
        name="forward",
    ),
    Case(
        "LSTMSequence",
        5,
        [_X, _H, _C, i64([2, 1]), _W, _R, _B],
        [f32([[[[4], [4], [0]]], [[[16], [0], [0]]]]), f32([[[4]], [[16]]]), f32([[[2]], [[8]]])],
        _REVERSE,
        name="reverse, lengths",
    ),
    Case(
        "LSTMSequence",
        5,
        [
            _X[:1],
            f32([[[0], [0]]]),
            f32([[[0], [0]]]),
            i32([3]),
            np.concatenate([_W, _W]),
            np.concatenate([_R, _R]),
            f32([[0.5, 1, 0, 2], [1, 1, 0, 1]]),
        ],
        [f32([[[[2], [5], [8.5]], [[6], [5], [3]]]]), f32([[[8.5], [6]]]), f32([[[4.25], [6]]])],
        _TWO,
        name="bidirectional",
    ),
    Case(
        "LSTMSequence",
        5,
        [*_ONE, _W, f32([[[0], [0], [1], [0]]]), _B],
        [f32([[[[2], [9], [28.5]]]]), f32([[[28.5]]]), f32([[[14.25]]])],
        _FORWARD,
        name="recurrent weights",
    ),
    Case(
        "LSTMSequence",
        5,
        [_X[1:], _H[1:], _C[1:], i32([3]), f32(np.zeros((1, 4, 1))), f32(np.zeros((1, 4, 1))), f32(np.zeros((1, 4)))],
        [f32([[[0.5 * np.tanh([[4], [2], [1]])]]]).reshape(1, 1, 3, 1), f32([[[0.5 * np.tanh(1)]]]), f32([[[1]]])],
        {"hidden_size": 1, "direction": "forward"},
        name="default activations",
    ),
    Case(
        "LSTMSequence",
        5,
        [*_ONE, _W, _R, _B],
        [f32([[[[1], [1.5], [1.75]]]]), f32([[[1.75]]]), f32([[[1.75]]])],
        {**_FORWARD, "clip": 1.0},
        name="clip",
    ),
    Case(
        "LSTMSequence",
        5,
        [_X, 0 * _H, f32([[[8]], [[8]]]), i64([2, 1]), 0 * _W, 0 * _R, 0 * _B],
        [
            f32([[[[np.tanh(4) / 2], [np.tanh(2) / 2], [0]]], [[[np.tanh(4) / 2], [0], [0]]]]),
            f32([[[np.tanh(2) / 2]], [[np.tanh(4) / 2]]]),
            f32([[[2]], [[4]]]),
        ],
        {"hidden_size": 1, "direction": "forward"},
        name="lengths of dynamic data",
        constant=(4, 5, 6),
        dynamic=True,
        departs="dynamic",
    ),
]
INVALID = [
    Invalid("LSTMSequence", 5, [*_ONE, _W, _R], "LSTMSequence has 6 inputs, expected 7", _FORWARD),
    Invalid(
        "LSTMSequence", 5, [*_ONE, _W, _R, _B], "input 1 has 1 direction, expected 2 (bidirectional)", _TWO, input=1
    ),
    Invalid("LSTMSequence", 5, [*_ONE, _W, "f32[1,4,2]", _B], "input 5 has hidden size 2", _FORWARD, input=5),
    Invalid("LSTMSequence", 1, [*_ONE, "f32[1,3,1]", _R, _B], "3 is not 4 times the hidden size 1", _FORWARD, input=4),
]

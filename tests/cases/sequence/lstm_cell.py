from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32

_RELU = {"hidden_size": 1, "activations": ("relu", "relu", "relu")}
_X, _H, _C = f32([[3]]), f32([[1]]), f32([[4]])
_W, _R, _B = f32([[0], [0], [1], [0]]), f32([[0], [0], [1], [0]]), f32([0.5, 2, 1, 3])
_ZEROS = [_X, _H, _C, f32(np.zeros((4, 1))), f32(np.zeros((4, 1))), f32(np.zeros(4))]
_HALVES = [f32([[0.5 * np.tanh(2)]]), f32([[2]])]
CASES = [
    Case("LSTMCell", 1, _ZEROS, _HALVES, {"hidden_size": 1}, name="gates of one half"),
    Case(
        "LSTMCell",
        1,
        [_X, _H, _C, _W, _R, _B, f32([7, 7, 7])],
        [f32([[36]]), f32([[12]])],
        {**_RELU, "weights_format": "ifco", "input_forget": True},
        name="what is not read",
    ),
    Case("LSTMCell", 4, _ZEROS, _HALVES, {"hidden_size": 1}, name="gates of one half"),
    Case("LSTMCell", 4, [_X, _H, _C, _W, _R, _B], [f32([[36]]), f32([[12]])], _RELU, name="order fico"),
    Case("LSTMCell", 4, [_X, _H, _C, _W, _R], [f32([[0]]), f32([[0]])], _RELU, name="no bias", departs="optional"),
    Case(
        "LSTMCell",
        4,
        [_X, _H, _C, _W, _R, _B],
        [f32([[3]]), f32([[3]])],
        {**_RELU, "clip": 1.0},
        name="clip",
    ),
]
INVALID = [
    Invalid(
        "LSTMCell", 1, [_X, _H, _C, _W, _R, _B, "f32[4]"], "input 6 has shape [4], expected 3 times", _RELU, input=6
    ),
    Invalid("LSTMCell", 4, [_X, _H, "f32[1,2]", _W, _R], "input 2 has hidden size 2", _RELU, input=2),
    Invalid("LSTMCell", 4, [_X, _H, _C, "f32[3,1]", _R], "3 is not 4 times the hidden size 1", _RELU, input=3),
    Invalid("LSTMCell", 4, [_X, _H, _C, _W], "LSTMCell has 4 inputs, expected 5 to 6", _RELU),
    Invalid(
        "LSTMCell", 4, [_X, _H, _C, _W, _R], "clip is -1.0, expected >= 0", {**_RELU, "clip": -1.0}, attribute="clip"
    ),
]

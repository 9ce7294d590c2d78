from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_X = f32([[[1], [2], [3], [4]], [[1], [1], [1], [1]]])
_H = f32([[[0]], [[10]]])
_W, _R, _B = f32([[[1]]]), f32([[[1]]]), f32([[0]])
_FORWARD = {"hidden_size": 1, "direction": "forward", "activations": ("relu",)}
_REVERSE = {**_FORWARD, "direction": "reverse"}
_TWO = {**_FORWARD, "direction": "bidirectional"}

CASES = [
    Case(
        "RNNSequence",
        5,
        [_X, _H, i32([4, 4]), _W, _R, _B],
        [f32([[[[1], [3], [6], [10]]], [[[11], [12], [13], [14]]]]), f32([[[10]], [[14]]])],
        _FORWARD,
        name="forward",
    ),
    Case(
        "RNNSequence",
        5,
        [_X, _H, i64([3, 1]), _W, _R, _B],
        [f32([[[[1], [3], [6], [0]]], [[[11], [0], [0], [0]]]]), f32([[[6]], [[11]]])],
        _FORWARD,
        name="forward, lengths",
    ),
    Case(
        "RNNSequence",
        5,
        [_X, _H, i32([3, 0]), _W, _R, _B],
        [f32([[[[6], [5], [3], [0]]], [[[0], [0], [0], [0]]]]), f32([[[6]], [[0]]])],
        _REVERSE,
        name="reverse, lengths",
    ),
    Case(
        "RNNSequence",
        5,
        [_X[:1], f32([[[0], [1]]]), i32([4]), f32([[[1]], [[2]]]), f32([[[1]], [[1]]]), f32([[0], [1]])],
        [f32([[[[1], [3], [6], [10]], [[25], [22], [17], [10]]]]), f32([[[10], [25]]])],
        _TWO,
        name="bidirectional",
    ),
    Case(
        "RNNSequence",
        5,
        [f32([[[1], [0]]]), f32([[[0]]]), i32([2]), _W, _R, _B],
        [f32([[[[np.tanh(1)], [np.tanh(np.tanh(1))]]]]), f32([[[np.tanh(np.tanh(1))]]])],
        {"hidden_size": 1, "direction": "forward"},
        name="tanh by default",
    ),
    Case(
        "RNNSequence",
        5,
        [_X[:1], f32([[[0]]]), i32([4]), _W, _R, _B],
        [f32([[[[1], [2], [2], [2]]]]), f32([[[2]]])],
        {**_FORWARD, "clip": 2.0},
        name="clip",
    ),
    Case(
        "RNNSequence",
        5,
        [_X, _H, i64([3, 1]), _W, _R, _B],
        [f32([[[[1], [3], [6], [0]]], [[[11], [0], [0], [0]]]]), f32([[[6]], [[11]]])],
        _FORWARD,
        name="lengths of dynamic data",
        constant=(3, 4, 5),
        dynamic=True,
        departs="dynamic",
    ),
]
INVALID = [
    Invalid("RNNSequence", 5, [_X, _H, i32([4, 4]), _W, _R, _B], "input 1 has 1 direction, expected 2", _TWO, input=1),
    Invalid(
        "RNNSequence",
        5,
        [_X, _H, i32([4]), _W, _R, _B],
        "the batch sizes must be the same, got 2 and 1",
        _FORWARD,
        input=2,
    ),
    Invalid(
        "RNNSequence", 5, [_X, _H, "boolean[2]", _W, _R, _B], "input 2 (sequence_lengths) is boolean", _FORWARD, input=2
    ),
    Invalid(
        "RNNSequence",
        5,
        [_X, _H, i32([4, 4]), "f32[1,1,2]", _R, _B],
        "the input size and the columns of W",
        _FORWARD,
        input=3,
    ),
]

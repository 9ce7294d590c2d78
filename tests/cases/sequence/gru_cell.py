from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32

_RELU = {"hidden_size": 1, "activations": ("relu", "relu")}
_X, _H = f32([[3]]), f32([[2]])
_W, _R = f32([[0], [0], [1]]), f32([[0], [0], [1]])

CASES = [
    Case(
        "GRUCell",
        3,
        [_X, _H, f32(np.zeros((3, 1))), f32(np.zeros((3, 1))), f32(np.zeros(3))],
        [f32([[1]])],
        {"hidden_size": 1},
        name="half of the state stays",
    ),
    Case(
        "GRUCell",
        3,
        [_X, _H, _W, _R, f32([0.5, 2, 1])],
        [f32([[5]])],
        _RELU,
        name="z 0.5, r 2",
    ),
    Case(
        "GRUCell",
        3,
        [_X, _H, _W, _R, f32([0.5, 2, 1, 4])],
        [f32([[9]])],
        {**_RELU, "linear_before_reset": True},
        name="linear before reset",
    ),
    Case(
        "GRUCell",
        3,
        [_X, _H, _W, _R],
        [f32([[3]])],
        _RELU,
        name="no bias",
        departs="optional",
    ),
    Case(
        "GRUCell",
        3,
        [_X, _H, _W, _R, f32([0.5, 2, 1])],
        [f32([[1.5]])],
        {**_RELU, "clip": 1.0},
        name="clip",
    ),
    Case(
        "GRUCell",
        3,
        [f32([[1, 2], [0, 0]]), f32([[0], [4]]), f32([[0, 0], [0, 0], [1, 1]]), f32(np.zeros((3, 1))), f32([0, 0, 0])],
        [f32([[0.5 * np.tanh(3)], [2]])],
        {"hidden_size": 1},
        name="batch of 2",
    ),
]
INVALID = [
    Invalid("GRUCell", 3, [_X, _H, _W, _R, "f32[4]"], "4 is not 3 times the hidden size 1", _RELU, input=4),
    Invalid(
        "GRUCell",
        3,
        [_X, _H, _W, _R, "f32[3]"],
        "3 is not 4 times the hidden size 1",
        {**_RELU, "linear_before_reset": True},
        input=4,
    ),
    Invalid("GRUCell", 3, [_X, _H, "f32[4,1]", _R], "4 is not 3 times the hidden size 1", _RELU, input=2),
    Invalid("GRUCell", 3, [_X, _H, _W, "f32[3,2]"], "input 3 has hidden size 2, but hidden_size is 1", _RELU, input=3),
    Invalid(
        "GRUCell",
        3,
        [_X, _H, _W, _R],
        "got 1 activation, expected 2",
        {"hidden_size": 1, "activations": ("relu",)},
        attribute="activations",
    ),
]

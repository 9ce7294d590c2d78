from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32

_OPSET = "ie_internal_opset"


def _sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


# One input and one hidden element: gates z, r, h.
_X, _H, _W, _R, _B = 0.5, 2.0, (1.0, -1.0, 0.5), (0.25, 0.5, -1.0), (0.1, 0.2, 0.3)
_UPDATE = _sigmoid(_X * _W[0] + _H * _R[0] + _B[0])
_RESET = _sigmoid(_X * _W[1] + _H * _R[1] + _B[1])
_CANDIDATE = float(np.tanh(_X * _W[2] + _RESET * _H * _R[2] + _B[2]))
_INPUTS = [f32([[_X]]), f32([[_H]]), f32(_W).reshape(3, 1), f32(_R).reshape(3, 1), f32(_B)]


def _after(attention: float) -> float:
    update = (1 - attention) * _UPDATE
    return (1 - update) * _CANDIDATE + update * _H


CASES = [
    Case("AUGRUCell", _OPSET, [*_INPUTS, f32([[0.25]])], [f32([[_after(0.25)]])], {"hidden_size": 1}),
    Case("AUGRUCell", _OPSET, [*_INPUTS, f32([[0]])], [f32([[_after(0)]])], {"hidden_size": 1}, name="gru"),
    Case(
        "AUGRUCell",
        _OPSET,
        [*_INPUTS, f32([[1]])],
        [f32([[_CANDIDATE]])],
        {"hidden_size": 1, "activations": ("Sigmoid", "Tanh")},
        name="no_update",
        departs="case",
    ),
    Case(
        "AUGRUCell",
        _OPSET,
        [f32([[_X], [_X]]), f32([[_H], [_H]]), *_INPUTS[2:], f32([[0.25], [0.5]])],
        [f32([[_after(0.25)], [_after(0.5)]])],
        {"hidden_size": 1},
        name="batch",
    ),
]
INVALID = [
    Invalid(
        "AUGRUCell",
        _OPSET,
        [*_INPUTS, f32([[1, 1]])],
        "the last size of the attention score [1,2] is not 1",
        {"hidden_size": 1},
        input=5,
    ),
    Invalid(
        "AUGRUCell",
        _OPSET,
        [*_INPUTS, f32([[1], [1]])],
        "the batch sizes must be the same, got 1 and 2",
        {"hidden_size": 1},
        input=5,
    ),
    Invalid(
        "AUGRUCell",
        _OPSET,
        [*_INPUTS, f32([[1]])],
        "linear_before_reset is true, expected false",
        {"hidden_size": 1, "linear_before_reset": True},
        attribute="linear_before_reset",
    ),
    Invalid(
        "AUGRUCell",
        _OPSET,
        [*_INPUTS, f32([[1]])],
        "activations is tanh, tanh, expected sigmoid, tanh",
        {"hidden_size": 1, "activations": ("tanh", "tanh")},
        attribute="activations",
    ),
    Invalid(
        "AUGRUCell",
        _OPSET,
        [*_INPUTS, f32([[1]])],
        "clip is 2.0, expected <= 0",
        {"hidden_size": 1, "clip": 2.0},
        attribute="clip",
    ),
    Invalid("AUGRUCell", _OPSET, _INPUTS, "AUGRUCell has 5 inputs, expected 6", {"hidden_size": 1}),
]

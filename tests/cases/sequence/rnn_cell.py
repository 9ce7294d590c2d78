from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64

_X, _H = f32([[1, 2], [-1, 0]]), f32([[1], [2]])
_W, _R, _B = f32([[1, 0.5]]), f32([[-1]]), f32([0.5])

CASES = [
    Case("RNNCell", 1, [_X, _H, _W, _R, _B], [np.tanh(f32([[1.5], [-2.5]]))], {"hidden_size": 1}, name="tanh"),
    Case(
        "RNNCell",
        1,
        [_X, _H, _W, _R, _B],
        [f32([[1.5], [0]])],
        {"hidden_size": 1, "activations": ("relu",)},
        name="relu",
    ),
    Case(
        "RNNCell",
        1,
        [_X, _H, _W, _R, _B],
        [np.tanh(f32([[1], [-1]]))],
        {"hidden_size": 1, "clip": 1.0},
        name="clip",
    ),
    Case(
        "RNNCell",
        1,
        [_X, _H, _W, _R],
        [1 / (1 + np.exp(-f32([[1], [-3]])))],
        {"hidden_size": 1, "activations": ("sigmoid",)},
        name="no bias",
        departs="optional",
    ),
    Case(
        "RNNCell",
        1,
        [f64(_X), f64(_H), f64(_W), f64(_R), f64(_B)],
        [np.tanh(f64([[1.5], [-2.5]]))],
        {"hidden_size": 1},
        name="f64",
        rtol=1e-12,
    ),
]
_ONE = {"hidden_size": 1}
INVALID = [
    Invalid("RNNCell", 1, [_X, _H, _W, _R, _B], "hidden_size is missing", attribute="hidden_size"),
    Invalid("RNNCell", 1, [_X, _H, _W, _R, _B], "input 1 has hidden size 1, but hidden_size is 3", {"hidden_size": 3}),
    Invalid("RNNCell", 1, [_X, "f32[3,1]", _W, _R, _B], "the batch sizes must be the same, got 2 and 3", _ONE, input=1),
    Invalid("RNNCell", 1, [_X, _H, "f32[2,2]", _R, _B], "2 is not 1 times the hidden size 1", _ONE, input=2),
    Invalid("RNNCell", 1, [_X, _H, "f32[1,3]", _R, _B], "the input size and the columns of W", _ONE, input=2),
    Invalid("RNNCell", 1, [_X, _H, _W, _R, "f32[2]"], "2 is not 1 times the hidden size 1", _ONE, input=4),
    Invalid("RNNCell", 1, ["f32[1,2,2]", _H, _W, _R, _B], "has rank 3, expected 2", _ONE, input=0),
    Invalid(
        "RNNCell",
        1,
        [_X, _H, _W, _R, _B],
        "activation softsign is not one of sigmoid, tanh, relu",
        {"hidden_size": 1, "activations": ("softsign",)},
        attribute="activations",
    ),
]

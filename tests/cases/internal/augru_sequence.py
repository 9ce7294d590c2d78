from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i64

_OPSET = "ie_internal_opset"


def _sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


def _step(x: float, hidden: float, attention: float) -> float:
    """Return the next hidden state of one element with _WEIGHTS."""
    update = (1 - attention) * _sigmoid(x + hidden / 4 + 0.1)
    reset = _sigmoid(-x + hidden / 2 + 0.2)
    candidate = float(np.tanh(x / 2 - reset * hidden + 0.3))
    return (1 - update) * candidate + update * hidden


_WEIGHTS = [f32([[[1], [-1], [0.5]]]), f32([[[0.25], [0.5], [-1]]]), f32([[0.1, 0.2, 0.3]])]
_FIRST = _step(0.5, 2.0, 0.25)
_SECOND = _step(-1.0, _FIRST, 0.75)
_X, _H, _A = f32([[[0.5], [-1]]]), f32([[[2]]]), f32([[[0.25], [0.75]]])

CASES = [
    Case(
        "AUGRUSequence",
        _OPSET,
        [_X, _H, i64([2]), *_WEIGHTS, _A],
        [f32([[[[_FIRST], [_SECOND]]]]), f32([[[_SECOND]]])],
        {"hidden_size": 1},
    ),
    Case(
        "AUGRUSequence",
        _OPSET,
        [_X, _H, i64([1]), *_WEIGHTS, _A],
        [f32([[[[_FIRST], [0]]]]), f32([[[_FIRST]]])],
        {"hidden_size": 1},
        name="shorter",
        departs="lengths",
    ),
    Case(
        "AUGRUSequence",
        _OPSET,
        [np.concatenate([_X, _X]), np.concatenate([_H, _H]), i64([2, 1]), *_WEIGHTS, np.concatenate([_A, _A])],
        [f32([[[[_FIRST], [_SECOND]]], [[[_FIRST], [0]]]]), f32([[[_SECOND]], [[_FIRST]]])],
        {"hidden_size": 1, "activations": ("sigmoid", "tanh"), "direction": "forward"},
        name="batch",
        departs="lengths",
    ),
]
INVALID = [
    Invalid(
        "AUGRUSequence",
        _OPSET,
        [_X, _H, i64([2]), *_WEIGHTS, f32([[[1]]])],
        "the steps of X and of the attention score must be the same, got 2 and 1",
        {"hidden_size": 1},
        input=6,
    ),
    Invalid(
        "AUGRUSequence",
        _OPSET,
        [_X, _H, i64([2]), *_WEIGHTS, f32([[[1, 1], [1, 1]]])],
        "the last size of the attention score [1,2,2] is not 1",
        {"hidden_size": 1},
        input=6,
    ),
    Invalid(
        "AUGRUSequence", _OPSET, [_X, _H, i64([2]), *_WEIGHTS, _A], "hidden_size is missing", attribute="hidden_size"
    ),
    Invalid(
        "AUGRUSequence",
        _OPSET,
        [_X, f32([[[2, 2]]]), i64([2]), *_WEIGHTS, _A],
        "input 1 has hidden size 2, but hidden_size is 1",
        {"hidden_size": 1},
        input=1,
    ),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32

# One head of size 2, a state of size 1. Token 0: the state [8, 0] decays to [4, 0], 1 * 3 * [1, 2] is added: [7, 6].
# Token 1: it decays to [1.75, 1.5], 2 * 0.5 * [-1, 1] is added: [0.75, 2.5].
_A, _DT = f32([np.log(0.5)]), f32([[[1], [2]]])
_B, _X, _C = f32([[[[3]], [[0.5]]]]), f32([[[[1, 2]], [[-1, 1]]]]), f32([[[[1]], [[2]]]])
_STATE = f32([[[[8], [0]]]])
_INPUTS = [_A, _DT, _B, _X, _C, _STATE]

CASES = [
    Case("SelectiveSSM", "extension", _INPUTS, [f32([[[[7, 6]], [[1.5, 5]]]]), f32([[[[0.75], [2.5]]]])]),
    Case(
        "SelectiveSSM",
        "extension",
        [
            np.repeat(_A, 2),
            np.repeat(_DT, 2, 2),
            _B,
            np.concatenate([_X, 2 * _X], 2),
            _C,
            np.concatenate([_STATE, 2 * _STATE], 1),
        ],
        [f32([[[[7, 6], [14, 12]], [[1.5, 5], [3, 10]]]]), f32([[[[0.75], [2.5]], [[1.5], [5]]]])],
        name="groups",
    ),
    Case(
        "SelectiveSSM",
        "extension",
        [f32([0]), f32([[[2]]]), f32([[[[1, 10]]]]), f32([[[[3]]]]), f32([[[[1, 0.5]]]]), f32([[[[1, 2]]]])],
        [f32([[[[7 + 31]]]]), f32([[[[7, 62]]]])],
        name="state_of_two",
    ),
    Case(
        "SelectiveSSM",
        "extension",
        [_A, _DT[:, :0], _B[:, :0], _X[:, :0], _C[:, :0], _STATE],
        [f32(np.zeros((1, 0, 1, 2))), _STATE],
        name="no_tokens",
        departs="empty",
    ),
]
INVALID = [
    Invalid(
        "SelectiveSSM",
        "extension",
        [f32([1, 2]), *_INPUTS[1:]],
        "the sizes of heads must be the same, got 2 and 1",
        input=1,
    ),
    Invalid(
        "SelectiveSSM",
        "extension",
        [*_INPUTS[:4], f32([[[[1, 1]], [[2, 2]]]]), _STATE],
        "the sizes of state_size must be the same, got 1 and 2",
        input=4,
    ),
    Invalid(
        "SelectiveSSM",
        "extension",
        ["f32[3]", "f32[?,?,?]", "f32[1,1,2,4]", "f32[?,?,?,?]", "f32[?,?,?,?]", "f32[?,?,?,?]"],
        "3 heads are not a multiple of 2 groups",
        input=3,
    ),
    Invalid(
        "SelectiveSSM",
        "extension",
        [*_INPUTS[:5], f32([[8]])],
        "input 5 (recurrent_state) has rank 2, expected 4",
        input=5,
    ),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32

# One sample, one query head; the key size is 1, so that its root scales nothing.
_QUERY, _KEY, _VALUE = f32([[[[2]], [[3]]]]), f32([[[[0.5]], [[2]]]]), f32([[[[1, 4]], [[5, 6]]]])
_STATE, _GATE, _BETA = f32([[[[2, 4]]]]), f32([[[np.log(0.5)], [0]]]), f32([[[1], [0.25]]])
# Token 0: the state decays to [1, 2]; value - 0.5 * [1, 2] = [0.5, 3]; adding half of that makes [1.25, 3.5].
# Token 1: value - 2 * [1.25, 3.5] = [2.5, -1], times a beta of 1/4; adding twice that makes [2.5, 3].
_INPUTS = [_QUERY, _KEY, _VALUE, _STATE, _GATE, _BETA]

CASES = [
    Case("GatedDeltaNet", "extension", _INPUTS, [f32([[[[2.5, 7]], [[7.5, 9]]]]), f32([[[[2.5, 3]]]])]),
    Case(
        "GatedDeltaNet",
        "extension",
        [
            f32([[[[3, 4]]]]),
            f32([[[[0, 2]]]]),
            f32([[[[8]]]]),
            f32(np.zeros((1, 1, 2, 1))),
            f32([[[0]]]),
            f32([[[0.5]]]),
        ],
        [f32([[[[3.2 / np.sqrt(2)]]]]), f32([[[[0], [4]]]])],
        {"fuse_qk_l2norm": True, "q_l2_norm_eps": 0.0, "k_l2_norm_eps": 0.0},
        name="norm",
    ),
    Case(
        "GatedDeltaNet",
        "extension",
        [
            _QUERY,
            _KEY,
            np.concatenate([_VALUE, 2 * _VALUE], 2),
            np.concatenate([_STATE, 2 * _STATE], 1),
            np.repeat(_GATE, 2, 2),
            np.repeat(_BETA, 2, 2),
        ],
        [f32([[[[2.5, 7], [5, 14]], [[7.5, 9], [15, 18]]]]), f32([[[[2.5, 3]], [[5, 6]]]])],
        name="groups",
    ),
    Case(
        "GatedDeltaNet",
        "extension",
        [_QUERY[:, :0], _KEY[:, :0], _VALUE[:, :0], _STATE, _GATE[:, :0], _BETA[:, :0]],
        [f32(np.zeros((1, 0, 1, 2))), _STATE],
        name="no_tokens",
        departs="empty",
    ),
]
INVALID = [
    Invalid(
        "GatedDeltaNet",
        "extension",
        [_QUERY, _KEY[:, :1], *_INPUTS[2:]],
        "the sizes of tokens must be the same, got 2 and 1",
        input=1,
    ),
    Invalid(
        "GatedDeltaNet",
        "extension",
        [_QUERY, _KEY, _VALUE, f32([[[[2, 4, 6]]]]), _GATE, _BETA],
        "the sizes of value_size must be the same, got 2 and 3",
        input=3,
    ),
    Invalid(
        "GatedDeltaNet",
        "extension",
        ["f32[1,2,2,1]", "f32[1,2,2,1]", "f32[1,2,3,2]", "f32[1,3,1,2]", "f32[?,?,?]", "f32[?,?,?]"],
        "3 heads are not a multiple of 2 groups",
        input=2,
    ),
    Invalid("GatedDeltaNet", "extension", [*_INPUTS[:5], f32([[1]])], "input 5 (beta) has rank 2, expected 3", input=5),
    Invalid("GatedDeltaNet", "extension", _INPUTS[:5], "GatedDeltaNet has 5 inputs, expected 6"),
]

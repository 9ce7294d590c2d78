from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32

_S = "ScaledDotProductAttention"
_ZERO = f32(np.zeros((1, 2, 4)))
_KEYS = f32(np.zeros((1, 3, 4)))
_VALUES = f32([[[3, 0], [6, 3], [9, 3]]])
_LN3 = float(np.log(3))

CASES = [
    Case(_S, 13, [_ZERO, _KEYS, _VALUES], [f32([[[6, 2], [6, 2]]])], {"causal": False}, name="equal scores"),
    Case(_S, 13, [_ZERO, _KEYS, _VALUES], [f32([[[3, 0], [4.5, 1.5]]])], {"causal": True}, name="causal"),
    Case(
        _S,
        13,
        [f32([[[2 * _LN3, 0, 0, 0]]]), f32([[[1, 0, 0, 0], [0, 1, 0, 0]]]), f32([[[4], [8]]])],
        [f32([[[5]]])],
        {"causal": False},
        name="default scale is 1 over the root of 4",
    ),
    Case(
        _S,
        13,
        [f32([[[_LN3]]]), f32([[[2], [1]]]), f32([[[4], [8]]]), f32(0), f32(1)],
        [f32([[[5]]])],
        {"causal": False},
        name="scale, zero for a mask",
    ),
    Case(
        _S,
        13,
        [_ZERO, _KEYS, _VALUES, boolean([[[True, False, True], [False, True, False]]])],
        [f32([[[6, 1.5], [6, 3]]])],
        {"causal": False},
        name="boolean mask",
    ),
    Case(
        _S,
        13,
        [_ZERO, _KEYS, _VALUES, f32([[0, -np.inf, _LN3]])],
        [f32([[[7.5, 2.25], [7.5, 2.25]]])],
        {"causal": False},
        name="float mask of rank 2 broadcast to all queries",
    ),
    Case(
        _S,
        13,
        [_ZERO, _KEYS, _VALUES, boolean([[[True, True, True], [False, False, False]]])],
        [f32([[[6, 2], [np.nan, np.nan]]])],
        {"causal": False},
        name="a query that sees nothing",
    ),
    Case(
        _S,
        13,
        [f32(np.zeros((2, 1, 1, 4))), f32(np.zeros((1, 3, 2, 4))), f32(np.ones((1, 1, 2, 5)))],
        [f32(np.ones((2, 3, 1, 5)))],
        {"causal": False},
        name="batches broadcast",
    ),
    Case(
        _S,
        13,
        [_ZERO, _KEYS, _VALUES, f32(0), f32(1), f32([[[_LN3]]])],
        [f32([[[3, 1], [3, 1]]])],
        {"causal": False},
        name="sink",
    ),
    Case(
        _S,
        13,
        [f32([[[1], [2]]]), f32([[[3]]]), f32([[[5]]])],
        [f32([[[5], [5]]])],
        {"causal": False},
        name="one key of size 1",
        departs="one key",
    ),
]
INVALID = [
    Invalid(_S, 13, ["f32[2,4]", _KEYS, _VALUES], "input 0 has rank 2, expected 3 or more", {"causal": False}, input=0),
    Invalid(_S, 13, ["f32[1,2,5]", _KEYS, _VALUES], "the last sizes of query and key", {"causal": False}, input=1),
    Invalid(_S, 13, [_ZERO, "f32[1,2,4]", _VALUES], "the numbers of keys and of values", {"causal": False}, input=2),
    Invalid(_S, 13, [_ZERO, _KEYS, _VALUES, "f32[3]"], "the mask has rank 1", {"causal": False}, input=3),
    Invalid(_S, 13, [_ZERO, _KEYS, _VALUES, "f32[2,2]"], "expected [...,2,3]", {"causal": False}, input=3),
    Invalid(
        _S,
        13,
        [_ZERO, _KEYS, _VALUES, "f64[2,3]"],
        "the mask is f64, expected boolean or f32",
        {"causal": False},
        input=3,
    ),
    Invalid(_S, 13, ["f32[1,1,4]", _KEYS, _VALUES, "f32[2,3]"], "expected [...,1,3]", {"causal": False}, input=3),
    Invalid(
        _S,
        13,
        [_ZERO, _KEYS, _VALUES, f32(0), f32(1), "f32[1,2,3]"],
        "the sink has shape [1,2,3], expected [...,2,1]",
        {"causal": False},
        input=5,
    ),
    Invalid(_S, 13, [_ZERO, _KEYS, _VALUES, f32(0), "f32[2]"], "the scale has shape [2]", {"causal": False}, input=4),
    Invalid(_S, 13, [_ZERO, _KEYS, _VALUES], "causal is missing", attribute="causal"),
    Invalid(_S, 13, [i32([[[1]]]), "i32[1,1,1]", "i32[1,1,1]"], "expected any float type", {"causal": False}, input=0),
]

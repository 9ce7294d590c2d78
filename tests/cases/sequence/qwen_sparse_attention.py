from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_OP = "QwenSparseAttention"
_KEY = f32(np.zeros((1, 1, 5, 2)))
_VALUE = f32([[[[1], [2], [3], [4], [5]]]])
_BLOCK_KEYS = f32([[[1], [3]]])
_ATTRIBUTES = {"compress_ratio": 2, "token_budget": 2}

CASES = [
    # five keys make two blocks; the second one has the better score once it is complete
    Case(
        _OP,
        17,
        [f32(np.zeros((1, 1, 5, 2))), _KEY, _VALUE, f32(np.ones((1, 1, 5, 1))), _BLOCK_KEYS],
        [
            f32([[[[1], [1.5], [2], [3.5], [4]]]]),
            i32([[[0, -1, -1], [0, 1, -1], [0, 1, 2], [2, 3, -1], [2, 3, 4]]]),
        ],
        _ATTRIBUTES,
        name="all positions",
        departs="unknown",
    ),
    Case(
        _OP,
        17,
        [f32(np.zeros((1, 2, 1, 2))), _KEY, _VALUE, f32([[[[1]], [[-9]]]]), _BLOCK_KEYS, f32(1)],
        [f32([[[[4]], [[4]]]]), i64([[[2, 3, 4]]])],
        {**_ATTRIBUTES, "index_element_type": "i64"},
        name="last position, two heads, a negative score",
        departs="unknown",
    ),
    Case(
        _OP,
        17,
        [f32(np.zeros((1, 1, 1, 2))), _KEY, _VALUE, f32([[[[1]]]]), _BLOCK_KEYS],
        [f32([[[[3]]]]), i32([[[2, 3, 0, 1, 4, -1, -1]]])],
        {"compress_ratio": 2, "token_budget": 6},
        name="budget for more blocks than there are",
        departs="unknown",
    ),
]
_ONE = [f32(np.zeros((1, 1, 1, 2))), _KEY, _VALUE, f32([[[[1]]]])]
INVALID = [
    Invalid(
        _OP,
        17,
        ["f32[1,3,1,2]", "f32[1,0,5,2]", "f32[1,0,5,1]", _ONE[3], _BLOCK_KEYS],
        "3 heads of queries are not a multiple of 0",
        _ATTRIBUTES,
        input=1,
    ),
    Invalid(
        _OP,
        17,
        [*_ONE, _BLOCK_KEYS],
        "token_budget (3) is not a multiple",
        {"compress_ratio": 2, "token_budget": 3},
        attribute="token_budget",
    ),
    Invalid(_OP, 17, [*_ONE, "f32[1,3,1]"], "the numbers of complete blocks and of their keys", _ATTRIBUTES, input=4),
    Invalid(
        _OP,
        17,
        ["f32[1,1,6,2]", _KEY, _VALUE, "f32[1,1,6,1]", _BLOCK_KEYS],
        "6 queries are more than 5 keys",
        _ATTRIBUTES,
        input=1,
    ),
    Invalid(
        _OP,
        17,
        ["f32[1,3,1,2]", "f32[1,2,5,2]", "f32[1,2,5,1]", _ONE[3], _BLOCK_KEYS],
        "3 heads of queries are not a multiple of 2",
        _ATTRIBUTES,
        input=1,
    ),
]

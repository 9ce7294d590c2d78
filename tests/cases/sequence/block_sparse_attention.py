from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

_OP = "BlockSparseAttention"
_QUERY, _KEY = f32(np.zeros((1, 1, 4, 2))), f32(np.zeros((1, 1, 6, 2)))
_VALUE = f32([[[[1], [2], [3], [4], [5], [6]]]])
_BLOCKS = i32([[[[0, 2], [1, 7]]]])
_TWO = {"block_size": 2}

CASES = [
    Case(
        _OP,
        17,
        [_QUERY, _KEY, _VALUE, _BLOCKS],
        [f32([[[[3.5], [3.5], [3.5], [3.5]]]])],
        _TWO,
        name="equal scores, an index that is not a block",
        departs="unknown",
    ),
    Case(
        _OP,
        17,
        [_QUERY, _KEY, _VALUE, _BLOCKS, boolean([[[[True, False], [False, True]]]])],
        [f32([[[[1.5], [1.5], [0], [0]]]])],
        _TWO,
        name="mask, queries that see nothing",
        departs="unknown",
    ),
    Case(
        _OP,
        17,
        [_QUERY, _KEY, _VALUE, i64([[[[0, 0], [0, 1]]]])],
        [f32([[[[1], [1.5], [2], [2.5]]]])],
        {"block_size": 2, "causal": True},
        name="causal",
        departs="unknown",
    ),
    Case(
        _OP,
        17,
        [
            f32(np.log(3) * np.ones((1, 2, 1, 1))),
            f32([[[[1], [0], [5]]]]),
            f32([[[[4], [8], [9]]]]),
            i32([[[[0, 1]]]]),
            boolean([[[[True, True]]]]),
            f32(1),
        ],
        [f32([[[[5]], [[5]]]])],
        {"block_size": 1},
        name="scale, one head for all queries",
        departs="unknown",
    ),
]
INVALID = [
    Invalid(
        _OP, 17, [_QUERY, _KEY, _VALUE, _BLOCKS], "4 positions are not whole blocks of 3", {"block_size": 3}, input=0
    ),
    Invalid(
        _OP,
        17,
        [_QUERY, "f32[1,2,6,2]", "f32[1,2,6,1]", _BLOCKS],
        "input 1 has 2 heads, expected 1 or 1",
        _TWO,
        input=1,
    ),
    Invalid(
        _OP, 17, [_QUERY, _KEY, _VALUE, "i32[1,1,3,2]"], "the blocks of queries and of block_indices", _TWO, input=3
    ),
    Invalid(
        _OP, 17, [_QUERY, _KEY, _VALUE, _BLOCKS, "boolean[1,1,2,1]"], "the mask has shape [1,1,2,1]", _TWO, input=4
    ),
    Invalid(_OP, 17, [_QUERY, _KEY, _VALUE, _BLOCKS], "block_size is missing", attribute="block_size"),
]

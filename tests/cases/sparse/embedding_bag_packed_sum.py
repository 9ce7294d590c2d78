from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_TABLE = f32([[-0.2, -0.6], [-0.1, -0.4], [-1.9, -1.8], [-1, 1.5], [0.8, -0.7]])
_INDICES = i32([[0, 2], [1, 2], [3, 4]])
_HALVES = f32(np.full((3, 2), 0.5))

CASES = [
    Case(
        "EmbeddingBagPackedSum",
        3,
        [_TABLE, _INDICES],
        [f32([[-2.1, -2.4], [-2, -2.2], [-0.2, 0.8]])],
        source="formula",
        name="sum",
    ),
    Case(
        "EmbeddingBagPackedSum",
        3,
        [_TABLE, _INDICES, _HALVES],
        [f32([[-1.05, -1.2], [-1, -1.1], [-0.1, 0.4]])],
        source="page",
        name="weights",
    ),
    Case(
        "EmbeddingBagPackedSum",
        3,
        [f32([[[1], [2]], [[3], [4]]]), i64([[0, 1]])],
        [f32([[[4], [6]]])],
        name="table of rank 3",
    ),
    Case(
        "EmbeddingBagPackedSum",
        3,
        [i64([[2**53 + 1]]), i64([[0]])],
        [i64([[2**53 + 1]])],
        name="i64 beyond f64",
        departs="64-bit",
    ),
]
INVALID = [
    Invalid(
        "EmbeddingBagPackedSum",
        3,
        [_TABLE, _INDICES, "f32[3,1]"],
        "per_sample_weights have shape [3,1], expected that of indices [3,2]",
        input=2,
    ),
    Invalid("EmbeddingBagPackedSum", 3, [_TABLE, i32([0])], "has rank 1, expected 2", input=1),
    Invalid("EmbeddingBagPackedSum", 3, [f32(1), _INDICES], "the table is a scalar", input=0),
    Invalid("EmbeddingBagPackedSum", 3, [_TABLE, "f32[1,1]"], "is f32, expected i32 or i64", input=1),
]

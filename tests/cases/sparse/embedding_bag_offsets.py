from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_TABLE = f32([[-0.2, -0.6], [-0.1, -0.4], [-1.9, -1.8], [-1, 1.5], [0.8, -0.7]])
_INDICES, _OFFSETS = i32([0, 2, 3, 4]), i32([0, 2, 2])
_HALVES = f32([0.5] * 4)

CASES = [
    Case(
        "EmbeddingBagOffsets",
        15,
        [_TABLE, _INDICES, _OFFSETS, i32(0), _HALVES],
        [f32([[-1.05, -1.2], [-0.2, -0.6], [-0.1, 0.4]])],
        source="page",
        name="weights, default row",
    ),
    Case(
        "EmbeddingBagOffsets",
        15,
        [_TABLE, _INDICES, _OFFSETS, i32(-1), f32([0.5, 0.2, -2, 1])],
        [f32([[-0.48, -0.66], [0, 0], [2.8, -3.7]])],
        source="page",
        name="empty bag is zero",
    ),
    Case(
        "EmbeddingBagOffsets",
        15,
        [_TABLE, _INDICES, _OFFSETS],
        [f32([[-1.05, -1.2], [0, 0], [-0.1, 0.4]])],
        {"reduction": "mean"},
        "page",
        "mean",
    ),
    Case(
        "EmbeddingBagOffsets",
        15,
        [i32([[7], [-8]]), i32([0, 0, 1, 1, 1]), i32([0, 3])],
        [i32([[2], [-8]])],
        {"reduction": "mean"},
        name="mean of integers is cut",
    ),
    Case(
        "EmbeddingBagOffsets",
        15,
        [_TABLE, _INDICES, i32([0, 1, 4])],
        [f32([[-0.2, -0.6], [-2.1, -1.0], [0, 0]])],
        name="last bag is empty",
        departs="memory",
    ),
    Case(
        "EmbeddingBagOffsets",
        15,
        [f32([1, 2, 4]), i64([2, 2, 0]), i64([0, 2])],
        [f32([8, 1])],
        name="table of rank 1",
    ),
    Case(
        "EmbeddingBagOffsets",
        15,
        [f32([[[1], [2]]]), i64([0, 0]), i64([0])],
        [f32([[[2], [4]]])],
        name="table of rank 3",
    ),
    Case(
        "EmbeddingBagOffsets",
        15,
        [i64([[2**53 + 1]]), i64([0]), i64([0])],
        [i64([[2**53 + 1]])],
        name="i64 beyond f64",
        departs="64-bit",
    ),
    Case(
        "EmbeddingBagOffsets",
        15,
        [_TABLE, i32([]), i32([0, 0])],
        [f32(np.zeros((2, 2)))],
        name="no indices",
        departs="memory",
    ),
]
INVALID = [
    Invalid(
        "EmbeddingBagOffsets",
        15,
        [_TABLE, _INDICES, _OFFSETS, i32(0), _HALVES],
        "per_sample_weights are given, but reduction is mean",
        {"reduction": "mean"},
        input=4,
    ),
    Invalid(
        "EmbeddingBagOffsets",
        15,
        [_TABLE, _INDICES, _OFFSETS, i32(0), "f32[3]"],
        "per_sample_weights have shape [3], expected that of indices [4]",
        input=4,
    ),
    Invalid("EmbeddingBagOffsets", 15, [f32(1), _INDICES, _OFFSETS], "the table is a scalar", input=0),
    Invalid("EmbeddingBagOffsets", 15, [_TABLE, i32([[0]]), _OFFSETS], "has rank 2, expected 1", input=1),
    Invalid("EmbeddingBagOffsets", 15, [_TABLE, _INDICES, i64([0])], "both must have the same type T_IND", input=2),
]

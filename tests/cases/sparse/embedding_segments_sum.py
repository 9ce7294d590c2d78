from __future__ import annotations

from tests.cases import Case, Invalid, f32, i32, i64

_TABLE = f32([[-0.2, -0.6], [-0.1, -0.4], [-1.9, -1.8], [-1, 1.5], [0.8, -0.7]])
_INDICES, _IDS = i32([0, 2, 3, 4]), i32([0, 0, 2, 2])
_HALVES = f32([0.5] * 4)
_OP = "EmbeddingSegmentsSum"

CASES = [
    Case(
        _OP,
        3,
        [_TABLE, _INDICES, _IDS, i32(3), i32(0), _HALVES],
        [f32([[-1.05, -1.2], [-0.2, -0.6], [-0.1, 0.4]])],
        source="page",
        name="weights, default row",
    ),
    Case(_OP, 3, [_TABLE, _INDICES, _IDS, i32(4)], [f32([[-2.1, -2.4], [0, 0], [-0.2, 0.8], [0, 0]])], name="zeros"),
    Case(
        _OP,
        3,
        [_TABLE, _INDICES, _IDS, i32(2), i32(-1)],
        [f32([[-2.1, -2.4], [0, 0]])],
        name="a segment beyond the last",
    ),
    Case(
        _OP,
        3,
        [f32([[[1], [2]]]), i64([0, 0, 0]), i64([1, 1, 1]), i64(2), i64(0)],
        [f32([[[1], [2]], [[3], [6]]])],
        name="table of rank 3",
    ),
]
INVALID = [
    Invalid(_OP, 3, [_TABLE, _INDICES, i32([0, 2, 1, 3]), i32(4)], "segment_ids are [0, 2, 1, 3]", input=2),
    Invalid(_OP, 3, [_TABLE, _INDICES, i32([0]), i32(3)], "the lengths of indices and segment_ids", input=2),
    Invalid(_OP, 3, [_TABLE, _INDICES, _IDS, i32(-1)], "num_segments is -1, expected 0 or more", input=3),
    Invalid(_OP, 3, [_TABLE, _INDICES, _IDS, i32([3])], "has rank 1, expected 0", input=3),
    Invalid(_OP, 3, [_TABLE, _INDICES, _IDS, i32(3), i32(0), "f32[2]"], "per_sample_weights have shape [2]", input=5),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_OP = "CTCGreedyDecoderSeqLen"
_SCORES = f32(np.eye(3)[np.array([[0, 1, 1, 2, 1, 2, 1], [0, 0, 2, 0, 1, 1, 2]])])
"""Two sequences over the classes A, B and the blank: ABB*B*B, as in the specification, and AA*ABB*."""

CASES = [
    Case(
        _OP,
        6,
        [_SCORES, i32([7, 7])],
        [i32([[0, 1, 1, 1, -1, -1, -1], [0, 0, 1, -1, -1, -1, -1]]), i32([4, 3])],
        source="page",
        name="merged",
    ),
    Case(
        _OP,
        6,
        [_SCORES, i32([7, 7])],
        [i32([[0, 1, 1, 1, 1, -1, -1], [0, 0, 0, 1, 1, -1, -1]]), i32([5, 5])],
        {"merge_repeated": False},
        "page",
        "not merged",
    ),
    Case(
        _OP,
        6,
        [_SCORES, i64([3, 0]), i64(1)],
        [i64([[0, -1, -1, -1, -1, -1, -1], [-1] * 7]), i64([1, 0])],
        {"classes_index_type": "i64", "sequence_length_type": "i64"},
        name="other blank, lengths",
    ),
    Case(
        _OP,
        6,
        [_SCORES, i32([4, 1]), i32([0])],
        [i64([[1, 2, -1, -1, -1, -1, -1], [-1] * 7]), i32([2, 0])],
        {"classes_index_type": "i64"},
        name="blank of rank 1",
    ),
]
INVALID = [
    Invalid(_OP, 6, [_SCORES, i32([7])], "the batch sizes of both inputs must be the same, got 2 and 1", input=1),
    Invalid(_OP, 6, [_SCORES, i32([7, 7]), i32([0, 1])], "blank_index has shape [2], expected one number", input=2),
    Invalid(_OP, 6, [_SCORES, i32([7, 7]), f32(0)], "blank_index) is f32, expected any integer type", input=2),
]

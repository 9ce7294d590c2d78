from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32

_PATHS = np.array([[0, 1, 1, 2, 1, 2], [0, 0, 2, 0, 1, 1]])
"""Two sequences over the classes A, B and, as the last class, the blank: ABB*B* and AA*ABB."""
_SCORES = f32(np.eye(3)[_PATHS.T])
_ALL = f32(np.ones((6, 2)))
_SHORT = f32([[1, 1], [1, 1], [1, 0], [1, 0], [0, 0], [0, 0]])


def _output(*rows: list[int]) -> np.ndarray:
    return f32(rows)[:, :, None, None]


CASES = [
    Case(
        "CTCGreedyDecoder",
        1,
        [_SCORES, _ALL],
        [_output([0, 1, 1, -1, -1, -1], [0, 0, 1, -1, -1, -1])],
        name="repetitions merged",
    ),
    Case(
        "CTCGreedyDecoder",
        1,
        [_SCORES, _ALL],
        [_output([0, 1, 1, 1, -1, -1], [0, 0, 0, 1, 1, -1])],
        {"ctc_merge_repeated": False},
        name="repetitions kept",
    ),
    Case(
        "CTCGreedyDecoder",
        1,
        [_SCORES, _SHORT],
        [_output([0, 1, -1, -1, -1, -1], [0, -1, -1, -1, -1, -1])],
        name="shorter sequences",
    ),
]
INVALID = [
    Invalid("CTCGreedyDecoder", 1, ["f32[6,2,0]", _ALL], "input 0 has 0 classes, expected 1 or more", input=0),
    Invalid(
        "CTCGreedyDecoder", 1, [_SCORES, "f32[5,2]"], "the steps of both inputs must be the same, got 6 and 5", input=1
    ),
    Invalid("CTCGreedyDecoder", 1, [_SCORES, "f32[6,3]"], "the batch sizes of both inputs", input=1),
    Invalid("CTCGreedyDecoder", 1, [_SCORES, "f32[6]"], "has rank 1, expected 2", input=1),
    Invalid("CTCGreedyDecoder", 1, [_SCORES, "i32[6,2]"], "is i32, expected any float type", input=1),
]

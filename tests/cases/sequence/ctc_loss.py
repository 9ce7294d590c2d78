from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_EVEN = f32(np.zeros((1, 3, 3)))
"""Three steps over the classes A, B and, as the last class, the blank; each path has probability 1 / 27."""


def _loss(*paths: int) -> np.ndarray:
    return -np.log(f32(paths) / 27)


_LENGTHS = [i32([3]), i32([[0, 1, 1]])]
_ONE_STEP = f32([[[np.log(2), np.log(3), np.log(5)]]])

CASES = [
    # A and B in three steps: AB*, A*B, *AB, AAB, ABB
    Case("CTCLoss", 4, [_EVEN, *_LENGTHS, i32([2])], [_loss(5)], name="AB", constant=(1, 2, 3)),
    # without merging, AAB and ABB are not AB
    Case("CTCLoss", 4, [_EVEN, *_LENGTHS, i32([2])], [_loss(3)], {"ctc_merge_repeated": False}, name="AB, not merged"),
    # ABB needs a blank between both B, which needs a fourth step
    Case("CTCLoss", 4, [_EVEN, *_LENGTHS, i32([3])], [f32([np.inf])], name="no path"),
    Case(
        "CTCLoss",
        4,
        [np.where(_EVEN == 0, f32(np.nan), 0), *_LENGTHS, i32([3])],
        [f32([np.inf])],
        name="no path, whatever the logits",
        departs="no path",
    ),
    Case("CTCLoss", 4, [_EVEN * f32([np.nan, 1, 1]), *_LENGTHS, i32([2])], [f32([np.nan])], name="NaN in a path"),
    Case("CTCLoss", 4, [_EVEN, *_LENGTHS, i32([3])], [_loss(1)], {"ctc_merge_repeated": False}, name="ABB, not merged"),
    Case(
        "CTCLoss",
        4,
        [_EVEN, *_LENGTHS, i32([3])],
        [_loss(5)],
        {"preprocess_collapse_repeated": True},
        name="ABB collapsed to AB",
    ),
    Case(
        "CTCLoss",
        4,
        [_EVEN, i32([3]), i32([[1, 0, 1]]), i32([3])],
        [_loss(5)],
        {"unique": True},
        name="BAB made unique",
    ),
    Case(
        "CTCLoss",
        4,
        [_EVEN, i64([3]), i32([[2, 1, -1]]), i64([2]), i32(0)],
        [_loss(5)],
        name="the first class is the blank",
    ),
    Case(
        "CTCLoss",
        4,
        [np.concatenate([_ONE_STEP, _ONE_STEP]), i32([1, 1]), i32([[1], [0]]), i32([1, 0])],
        [-np.log(f32([0.3, 0.5]))],
        name="softmax, no labels",
        departs="no labels",
    ),
]
INVALID = [
    Invalid("CTCLoss", 4, [_EVEN, i32([3]), i32([[0, 3, 1]]), i32([2])], "class 3 is outside 3 classes", input=2),
    Invalid("CTCLoss", 4, [_EVEN, i32([3]), i32([[0, 1, 1]]), i32([2]), i32(-1)], "class -1 is outside 3", input=4),
    Invalid(
        "CTCLoss", 4, [_EVEN, i32([4]), i32([[0, 1, 1]]), i32([2])], "the lengths are [4], expected 0 to 3", input=1
    ),
    Invalid(
        "CTCLoss", 4, [_EVEN, i32([3, 3]), i32([[0, 1, 1]]), i32([2])], "the batch sizes must be the same", input=1
    ),
    Invalid("CTCLoss", 4, [_EVEN, i32([3]), i32([[0, 1]]), i32([2])], "the numbers of steps and of labels", input=2),
    Invalid("CTCLoss", 4, [_EVEN, i32([3]), i32([[0, 1, 1]]), f32([2])], "expected any integer type", input=3),
    Invalid("CTCLoss", 4, [_EVEN, *_LENGTHS], "CTCLoss has 3 inputs, expected 4 to 5"),
]

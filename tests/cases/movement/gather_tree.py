from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32

STEPS = i32([[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]])
PARENTS = i32([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]]])

CASES = [
    Case(
        "GatherTree",
        1,
        [STEPS, PARENTS, i32([3]), i32(10)],
        [i32([[[2, 2, 2]], [[6, 5, 6]], [[7, 8, 9]]])],
        name="beams",
    ),
    Case(
        "GatherTree",
        1,
        [STEPS, PARENTS, i32([2]), i32(10)],
        [i32([[[1, 2, 2]], [[4, 5, 6]], [[10] * 3]])],
        name="shorter",
    ),
    Case(
        "GatherTree",
        1,
        [STEPS, PARENTS, i32([3]), i32(6)],
        [i32([[[2, 2, 2]], [[6, 5, 6]], [[6, 8, 6]]])],
        name="ended",
    ),
    Case(
        "GatherTree",
        1,
        [STEPS, PARENTS, i32([9]), i32(10)],
        [i32([[[2, 2, 2]], [[6, 5, 6]], [[7, 8, 9]]])],
        name="longer",
    ),
    Case(
        "GatherTree",
        1,
        [
            f32(np.concatenate([STEPS, STEPS], 1)),
            f32(np.concatenate([PARENTS, PARENTS], 1)),
            f32([3, 1]),
            f32(0),
        ],
        [f32([[[2, 2, 2], [1, 2, 3]], [[6, 5, 6], [0, 0, 0]], [[7, 8, 9], [0, 0, 0]]])],
        name="batch",
    ),
    Case(
        "GatherTree",
        1,
        [STEPS, i32([[[99, -7, 3]], [[0, 77, 1]], [[2, 0, 2]]]), i32([3]), i32(10)],
        [i32([[[2, 1, 2]], [[6, 4, 6]], [[7, 8, 9]]])],
        name="parents that no beam reaches",
    ),
    Case(
        "GatherTree",
        1,
        [STEPS, PARENTS, i32([0]), i32(10)],
        [i32(np.full((3, 1, 3), 10))],
        name="no length",
        departs="no length",
    ),
    Case(
        "GatherTree",
        1,
        [i32(np.zeros((2, 0, 3))), i32(np.zeros((2, 0, 3))), i32([]), i32(0)],
        [i32(np.zeros((2, 0, 3)))],
        name="empty",
    ),
]

INVALID = [
    Invalid("GatherTree", 1, [STEPS, PARENTS + 2, i32([3]), i32(0)], "parent 4 is outside 3 beams", input=1),
    Invalid(
        "GatherTree",
        1,
        [STEPS, PARENTS[:2], i32([3]), i32(0)],
        "parent_ids have shape [2,1,3], expected [3,1,3] as step_ids",
        input=1,
    ),
    Invalid(
        "GatherTree",
        1,
        [STEPS, PARENTS, i32([3, 3]), i32(0)],
        "the batch of step_ids and max_seq_len must be the same, got 1 and 2",
        input=2,
    ),
    Invalid(
        "GatherTree", 1, [STEPS, PARENTS, i32([3]), i32([0])], "input 3 (end_token) has rank 1, expected 0", input=3
    ),
    Invalid(
        "GatherTree",
        1,
        [STEPS, f32(PARENTS), i32([3]), i32(0)],
        "input 1 (parent_ids) is f32 but input 0 is i32",
        input=1,
    ),
]

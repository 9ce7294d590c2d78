from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

EIGHT = f32([1, 2, 3, 4, 5, 6, 7, 8])
UP = [[1, 2, 3, 4], [5, 6, 7, 8], [8, 7, 6, 5], [4, 3, 2, 1]]
DOWN = [[8, 7, 6, 5], [4, 3, 2, 1], [1, 2, 3, 4], [5, 6, 7, 8]]
FIVES = [[5] * 4, [6] * 4, [7] * 4, [8] * 4]
ONES = [[1] * 4, [2] * 4, [3] * 4, [4] * 4]
LINE = [1, 2, 3, 4]
PLACES = i32([[0], [2], [-3], [-3], [0]])
TENS = [10, 20, 30, 40, 50]
# Examples 1 and 4 of the specification contradict its NumPy code; the numbers here are those of the code.

CASES = [
    *(
        case
        for opset in (4, 15)
        for case in (
            Case(
                "ScatterNDUpdate",
                opset,
                [f32([UP, UP, DOWN, DOWN]), i64([[0], [2]]), f32([FIVES, ONES])],
                [f32([FIVES, UP, ONES, DOWN])],
                source="page",
                name="slices",
            ),
            Case(
                "ScatterNDUpdate",
                opset,
                [f32([[1, 2], [3, 4]]), i32([[1, 0], [0, 1]]), f32([9, 8])],
                [f32([[1, 8], [9, 4]])],
                name="elements",
            ),
            Case("ScatterNDUpdate", opset, [f32([1, 2]), i64([1]), f32(7)], [f32([1, 7])], name="scalar"),
            Case("ScatterNDUpdate", opset, [i64([1, 2]), i64([1]), i64(7)], [i64([1, 7])], name="scalar-integer"),
            Case(
                "ScatterNDUpdate",
                opset,
                [f32([1, 2]), i64([1]), f32([7])],
                [f32([1, 7])],
                name="single-element",
                departs="one update",
            ),
            Case(
                "ScatterNDUpdate",
                opset,
                [i64([1, 2]), i64([[0]]), i64([2**60])],
                [i64([2**60, 2])],
                name="wide",
                departs="64-bit",
            ),
            Case(
                "ScatterNDUpdate",
                opset,
                [f32([1, 2]), i64(np.zeros((0, 1))), f32([])],
                [f32([1, 2])],
                name="nothing",
            ),
        )
    ),
    Case(
        "ScatterNDUpdate",
        4,
        [EIGHT, i64([[4], [3], [1], [7]]), f32([9, 10, 11, 12])],
        [f32([1, 11, 3, 10, 9, 6, 7, 12])],
        source="page",
        name="line",
    ),
    Case(
        "ScatterNDUpdate",
        15,
        [EIGHT, i64([[4], [3], [1], [7], [-2], [-4]]), f32([9, 10, 11, 12, 13, 14])],
        [f32([1, 11, 3, 10, 14, 6, 13, 12])],
        name="line",
    ),
    Case(
        "ScatterNDUpdate",
        15,
        [f32(LINE), PLACES, f32(TENS)],
        [f32([50, 40, 20, 4])],
        {"reduction": "none"},
        name="last",
    ),
    Case(
        "ScatterNDUpdate",
        15,
        [f32(LINE), PLACES, f32(TENS)],
        [f32([61, 72, 23, 4])],
        {"reduction": "sum"},
        source="page",
        name="sum",
    ),
    Case(
        "ScatterNDUpdate",
        15,
        [i32(LINE), PLACES, i32(TENS)],
        [i32([-59, -68, -17, 4])],
        {"reduction": "sub"},
        source="page",
        name="sub",
    ),
    Case(
        "ScatterNDUpdate",
        15,
        [f32(LINE), PLACES, f32(TENS)],
        [f32([500, 2400, 60, 4])],
        {"reduction": "prod"},
        name="prod",
    ),
    Case(
        "ScatterNDUpdate",
        15,
        [f32([15, 2, 30]), i64([[0], [0], [2]]), f32([10, 20, 40])],
        [f32([10, 2, 30])],
        {"reduction": "min"},
        name="min",
    ),
    Case(
        "ScatterNDUpdate",
        15,
        [f32([15, 2, 30]), i64([[0], [0], [2]]), f32([10, 20, 40])],
        [f32([20, 2, 40])],
        {"reduction": "max"},
        name="max",
    ),
    *(
        Case(
            "ScatterNDUpdate",
            15,
            [boolean([False, False, True, True]), i64([[0], [1], [2], [3]]), boolean([False, True, False, True])],
            [boolean(want)],
            {"reduction": reduction},
            name=f"boolean-{reduction}",
        )
        for reduction, want in (
            ("sum", [False, True, True, True]),
            ("sub", [False, True, True, False]),
            ("prod", [False, False, False, True]),
        )
    ),
]

INVALID = [
    Invalid("ScatterNDUpdate", 4, [EIGHT, i64([[0]]), f32([1, 2])], "updates have shape [2], expected [1]", input=2),
    Invalid(
        "ScatterNDUpdate", 15, ["f32[4,?]", i64([[0]]), f32([1])], "updates have shape [1], expected [1,?]", input=2
    ),
    Invalid(
        "ScatterNDUpdate", 15, [EIGHT, i64([[0, 0]]), f32([1])], "indices name 2 axes, but data has rank 1", input=1
    ),
    Invalid("ScatterNDUpdate", 4, [f32(1), i64([[0]]), f32([1])], "data is a scalar, expected rank 1 or more", input=0),
    Invalid(
        "ScatterNDUpdate", 15, [EIGHT, f32([[0]]), f32([1])], "input 1 (indices) is f32, expected i32 or i64", input=1
    ),
]

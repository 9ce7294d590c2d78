from __future__ import annotations

import numpy as np

from irrun.tensor.element_type import BOOLEAN, F32, I8, I32, I64
from tests.cases import Case, Invalid, boolean, f32, i32, i64

CASES = [
    Case(
        "Eye",
        9,
        [i32(3), i32(4), i32(2)],
        [i32([[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])],
        {"output_type": I32},
        "page",
        "above",
    ),
    Case(
        "Eye",
        9,
        [i64([3]), i64([4]), i64([-1])],
        [i32([[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]])],
        {"output_type": I32},
        "page",
        "below",
    ),
    Case(
        "Eye",
        9,
        [i32(2), i32(2), i32(5), i32([1, 2])],
        [f32(np.zeros((1, 2, 2, 2)))],
        {"output_type": F32},
        "page",
        "diagonal outside",
    ),
    Case(
        "Eye",
        9,
        [i32(2), i32(1), i32(0), i32([2])],
        [i64([[[1], [0]], [[1], [0]]])],
        {"output_type": I64},
        name="stack",
    ),
    Case(
        "Eye",
        9,
        [i32(1), i32(2), i32(0), i32([])],
        [np.array([[1, 0]], np.int8)],
        {"output_type": I8},
        name="no batch",
        departs="no batch",
    ),
    Case("Eye", 9, [i32(0), i32(2), i32(0)], [f32(np.zeros((0, 2)))], {"output_type": F32}, name="no rows"),
    Case(
        "Eye",
        9,
        [i32(2), i32(3), i32(1)],
        [boolean([[0, 1, 0], [0, 0, 1]])],
        {"output_type": BOOLEAN},
        "oracle",
        "boolean",
    ),
]
_F32 = {"output_type": F32}
INVALID = [
    Invalid("Eye", 9, [i32(-1), i32(2), i32(0)], "num_rows is -1, expected 0 or more", _F32, input=0),
    Invalid("Eye", 9, [i32(1), i32([1, 2]), i32(0)], "num_columns has shape [2], expected one number", _F32, input=1),
    Invalid("Eye", 9, [i32(1), i32(1), i32(0), i32(2)], "has rank 0, expected 1", _F32, input=3),
    Invalid("Eye", 9, [i32(1), i32(1), "f32[]"], "is f32, expected i32 or i64", _F32, input=2),
    Invalid(
        "Eye",
        9,
        [i32(1), i32(1), i32(0)],
        "expected a numeric type",
        {"output_type": "string"},
        attribute="output_type",
    ),
]

from __future__ import annotations

from tests.cases import Case, Invalid, boolean, f32, i32, i64

_COND = boolean([[False, False], [True, False], [True, True]])
_THEN, _ELSE = i32([[-1, 0], [1, 2], [3, 4]]), i32([[11, 10], [9, 8], [7, 6]])

CASES = [
    Case("Select", 1, [_COND, _THEN, _ELSE], [i32([[11, 10], [1, 8], [3, 4]])], source="page"),
    Case(
        "Select", 1, [_COND, _THEN, _ELSE], [i32([[11, 10], [1, 8], [3, 4]])], {"auto_broadcast": "none"}, name="none"
    ),
    Case("Select", 1, [boolean([True, False]), f32([[1], [2]]), f32(0)], [f32([[1, 0], [2, 0]])], name="numpy"),
    Case("Select", 1, [boolean(True), f32([1, 2]), f32([[3], [4]])], [f32([[1, 2], [1, 2]])], name="one_condition"),
    Case("Select", 1, [boolean([[True], [False]]), f32(1), f32(2)], [f32([[1], [2]])], name="wide_condition"),
    Case(
        "Select",
        1,
        [boolean([True, False]), f32([[1, 2], [3, 4]]), f32([5, 6])],
        [f32([[1, 2], [6, 6]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
        departs="pdpd",
    ),
    Case(
        "Select",
        1,
        [boolean([True, False]), i64([2**60 + 1, 0]), i64([0, -(2**60) - 1])],
        [i64([2**60 + 1, -(2**60) - 1])],
        name="i64",
        departs="64-bit",
    ),
    Case(
        "Select",
        1,
        [boolean([True, False]), boolean([True, True]), boolean([False, False])],
        [boolean([True, False])],
        name="boolean",
    ),
    Case("Select", 1, [boolean([]), f32(1), f32([])], [f32([])], name="empty"),
]
INVALID = [
    Invalid("Select", 1, [_COND, _THEN, i32([1, 2, 3])], "do not broadcast", input=2),
    Invalid("Select", 1, [f32([1]), f32([1]), f32([1])], "input 0 (cond) is f32, expected boolean", input=0),
    Invalid("Select", 1, [_COND, _THEN, f32([[1]])], "input 2 (else) is f32 but input 1 is i32", input=2),
    Invalid(
        "Select",
        1,
        [_COND, _THEN, i32([[1, 2]])],
        "shapes [1,2] and [3,2] differ; auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=2,
    ),
    Invalid("Select", 1, [_COND, i32([[1, 2]]), _ELSE], "does not fit into", {"auto_broadcast": "pdpd"}),
]

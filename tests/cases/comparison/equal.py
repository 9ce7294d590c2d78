from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case(
        "Equal",
        1,
        [f32([[1, 2, 3]]), f32([[2], [3]])],
        [boolean([[False, True, False], [False, False, True]])],
        name="numpy",
    ),
    Case(
        "Equal",
        1,
        [i32([1, 2, 3]), i32([2, 2, 2])],
        [boolean([False, True, False])],
        {"auto_broadcast": "none"},
        name="none",
    ),
    Case(
        "Equal",
        1,
        [f32([[1, 2], [3, 4]]), f32([2, 3])],
        [boolean([[False, True], [True, False]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
        departs="pdpd",
    ),
    Case(
        "Equal",
        1,
        [f32([np.nan, 1, np.nan, np.inf, -np.inf]), f32([np.nan, np.nan, 1, np.inf, np.inf])],
        [boolean([False, False, False, True, False])],
        name="nan",
    ),
    Case(
        "Equal",
        1,
        [i64([2**53, 2**53 + 1]), i64([2**53 + 1, 2**53 + 1])],
        [boolean([False, True])],
        name="i64_big",
        departs="64-bit",
    ),
    Case("Equal", 1, [u8([200, 100]), u8([100, 200])], [boolean([False, False])], name="u8"),
    Case("Equal", 1, [boolean([True, False]), boolean([False, False])], [boolean([False, True])], name="boolean"),
    Case(
        "Equal",
        1,
        [np.array(["a", "b"], dtype=object), np.array(["b", "b"], dtype=object)],
        [boolean([False, True])],
        name="string",
        departs="strings",
    ),
    Case("Equal", 1, [f32(2), f32(2)], [boolean(True)], name="scalars"),
    Case(
        "Equal",
        1,
        [f32(np.zeros((0, 2))), f32([1, 2])],
        [boolean(np.zeros((0, 2)))],
        name="empty",
    ),
]
INVALID = [
    Invalid(
        "Equal",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shapes [1,2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Equal",
        1,
        [f32([[1, 2]]), f32([1, 2])],
        "shapes [1,2] and [2] differ, and auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=1,
    ),
    Invalid(
        "Equal",
        1,
        [f32([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is f32; both must have the same type T",
        input=1,
    ),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("Add", 1, [f32([[1, 2, 3]]), f32([[10], [20]])], [f32([[11, 12, 13], [21, 22, 23]])], name="numpy"),
    Case(
        "Add",
        1,
        [f32([1, np.inf, np.nan]), f32([0.5, -np.inf, 1])],
        [f32([1.5, np.nan, np.nan])],
        {"auto_broadcast": "none"},
        name="none",
    ),
    Case(
        "Add",
        1,
        [f32(np.zeros((2, 3, 2))), f32([1, 2, 3])],
        [f32([[[1, 1], [2, 2], [3, 3]]] * 2)],
        {"auto_broadcast": "pdpd", "axis": 1},
        name="pdpd_middle",
    ),
    Case(
        "Add",
        1,
        [f32(np.zeros((2, 3))), f32([[1], [2]])],
        [f32([[1, 1, 1], [2, 2, 2]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd_trailing_one",
    ),
    Case(
        "Add",
        1,
        [f32(np.zeros((2, 2))), f32([1, 2])],
        [f32([[1, 2], [1, 2]])],
        {"auto_broadcast": "pdpd", "axis": -1},
        name="pdpd_right",
    ),
    Case(
        "Add",
        1,
        [f32(np.zeros((2, 2))), f32([1, 2])],
        [f32([[1, 1], [2, 2]])],
        {"auto_broadcast": "pdpd"},
        name="pdpd_left",
    ),
    Case("Add", 1, [f32(1.5), f32(2)], [f32(3.5)], name="scalars"),
    Case(
        "Add",
        1,
        [f32(np.zeros((0, 3))), f32([1, 2, 3])],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
    Case("Add", 1, [i32([2**31 - 1]), i32([1])], [i32([-(2**31)])], name="i32_wraps"),
    Case(
        "Add",
        1,
        [i64([2**53, -1]), i64([1, 2**62])],
        [i64([2**53 + 1, 2**62 - 1])],
        name="i64_big",
        departs="64-bit",
    ),
    Case("Add", 1, [u8([250]), u8([10])], [u8([4])], name="u8_wraps", departs="8-bit"),
    Case(
        "Add",
        1,
        [f32([2048, 1]), f32([1, 0.0004])],
        [f32([2048, 1])],
        types={0: "f16", 1: "f16"},
        name="f16_rounds_once",
    ),
    Case(
        "Add",
        1,
        [u8([15, 3]), u8([2, 4])],
        [u8([1, 7])],
        types={0: "u4", 1: "u4"},
        name="u4_wraps",
    ),
]
INVALID = [
    Invalid(
        "Add",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shapes [1,2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Add",
        1,
        [f32([[1, 2]]), f32([1, 2])],
        "shapes [1,2] and [2] differ, and auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=1,
    ),
    Invalid(
        "Add",
        1,
        ["f32[2,?]", "f32[3,?]"],
        "shapes [2,?] and [3,?] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Add",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shape [3] does not fit into [1,2] from axis 0 on",
        {"auto_broadcast": "pdpd", "axis": 0},
        input=1,
    ),
    Invalid("Add", 1, [f32([1]), f32([1])], "auto_broadcast.auto_broadcast_axis is -2, expected >= -1", {"axis": -2}),
    Invalid(
        "Add", 1, [f32([1]), i32([1])], "input 1 (b) is i32 but input 0 is f32; both must have the same type T", input=1
    ),
    Invalid("Add", 1, [boolean([True]), boolean([True])], "input 0 (a) is boolean, expected any numeric type", input=0),
]

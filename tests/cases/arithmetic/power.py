from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("Power", 1, [f32([[2, -3, 0.25]]), f32([[2], [-1]])], [f32([[4, 9, 0.0625], [0.5, -1 / 3, 4]])], name="numpy"),
    Case(
        "Power",
        1,
        [f32([-8, 0, 1, 2]), f32([1 / 3, 0, np.nan, 1000])],
        [f32([np.nan, 1, 1, np.inf])],
        {"auto_broadcast": "none"},
        name="special",
    ),
    Case("Power", 1, [i32([3, -2, 0, 10]), i32([3, 3, 0, 2])], [i32([27, -8, 1, 100])], name="integers"),
    Case(
        "Power",
        1,
        [i32([2, 1, -1, -1, 5]), i32([-1, -5, -3, -4, 2])],
        [i32([0, 1, -1, 1, 25])],
        name="negative_exponents",
    ),
    Case(
        "Power",
        1,
        [i64([3, 10]), i64([39, 18])],
        [i64([4052555153018976267, 10**18])],
        name="i64_big",
        departs="64-bit",
    ),
    Case(
        "Power",
        1,
        [f32([[2, 3], [4, 5]]), f32([1, 2])],
        [f32([[2, 3], [16, 25]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
    ),
    Case("Power", 1, [u8([3]), u8([5])], [u8([243])], name="u8"),
    Case(
        "Power",
        1,
        [i32([3, -2, -2, 46341, 0, 7]), i32([30, 31, 33, 2, -1, 0])],
        [i32([*[-(2**31)] * 5, 1])],
        name="i32_beyond",
    ),
    Case(
        "Power",
        1,
        [i64([2, -2, 0, 3, 2**63 - 1]), i64([63, 65, -1, -1, 1])],
        [i64([*[-(2**63)] * 3, 0, 2**63 - 1])],
        name="i64_beyond",
        departs="64-bit",
    ),
    Case(
        "Power",
        1,
        [np.array([3, 2, 7], np.uint32), np.array([30, 32, 64], np.uint32)],
        [np.array([3**30 % 2**32, 0, 0], np.uint32)],
        name="u32_beyond",
        departs="32-bit",
    ),
    Case(
        "Power",
        1,
        [np.array([3, 2, 2], np.uint64), np.array([40, 63, 64], np.uint64)],
        [np.array([3**40, 2**63, 0], np.uint64)],
        name="u64_beyond",
        departs="64-bit",
    ),
    Case("Power", 1, [u8([16]), u8([2])], [u8([0])], name="u8_beyond", departs="8-bit"),
]
INVALID = [
    Invalid(
        "Power",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shapes [1,2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Power",
        1,
        [f32([[1, 2]]), f32([1, 2])],
        "shapes [1,2] and [2] differ, and auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=1,
    ),
    Invalid(
        "Power",
        1,
        ["f32[2,?]", "f32[3,?]"],
        "shapes [2,?] and [3,?] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Power",
        1,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shape [3] does not fit into [1,2] from axis 0 on",
        {"auto_broadcast": "pdpd", "axis": 0},
        input=1,
    ),
    Invalid("Power", 1, [f32([1]), f32([1])], "auto_broadcast.auto_broadcast_axis is -2, expected >= -1", {"axis": -2}),
    Invalid(
        "Power",
        1,
        [f32([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is f32; both must have the same type T",
        input=1,
    ),
    Invalid(
        "Power", 1, [boolean([True]), boolean([True])], "input 0 (a) is boolean, expected any numeric type", input=0
    ),
]

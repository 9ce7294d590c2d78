from __future__ import annotations

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case(
        "BitwiseRightShift",
        15,
        [i32([1, 3, -4]), i32([1, 2, 1])],
        [i32([0, 0, -2])],
        {"auto_broadcast": "none"},
        name="signed",
    ),
    Case("BitwiseRightShift", 15, [i32([[1, 2]]), i32([[1], [3]])], [i32([[0, 1], [0, 0]])], name="numpy"),
    Case(
        "BitwiseRightShift",
        15,
        [u8([255, 1]), u8([1, 7])],
        [u8([127, 0])],
        name="u8",
    ),
    Case(
        "BitwiseRightShift",
        15,
        [i64([2**50]), i64([10])],
        [i64([2**40])],
        name="i64_big",
        departs="64-bit",
    ),
    Case(
        "BitwiseRightShift",
        15,
        [i32([[8, 16], [16, 32]]), i32([1, 2])],
        [i32([[4, 8], [4, 8]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
        departs="pdpd",
    ),
]
INVALID = [
    Invalid("BitwiseRightShift", 15, [f32([1]), f32([1])], "input 0 (a) is f32, expected any integer type", input=0),
    Invalid(
        "BitwiseRightShift",
        15,
        [boolean([True]), boolean([True])],
        "input 0 (a) is boolean, expected any integer type",
        input=0,
    ),
    Invalid(
        "BitwiseRightShift",
        15,
        [u8([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is u8; both must have the same type T",
        input=1,
    ),
]

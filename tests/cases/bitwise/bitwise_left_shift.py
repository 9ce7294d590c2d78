from __future__ import annotations

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case(
        "BitwiseLeftShift",
        15,
        [i32([1, 3, -4]), i32([1, 2, 1])],
        [i32([2, 12, -8])],
        {"auto_broadcast": "none"},
        name="signed",
    ),
    Case("BitwiseLeftShift", 15, [i32([[1, 2]]), i32([[1], [3]])], [i32([[2, 4], [8, 16]])], name="numpy"),
    Case(
        "BitwiseLeftShift",
        15,
        [u8([255, 1]), u8([1, 7])],
        [u8([254, 128])],
        name="u8",
    ),
    Case(
        "BitwiseLeftShift",
        15,
        [i64([2**50]), i64([10])],
        [i64([2**60])],
        name="i64_big",
        departs="64-bit",
    ),
    Case(
        "BitwiseLeftShift",
        15,
        [i32([[1, 2], [4, 8]]), i32([1, 2])],
        [i32([[2, 4], [16, 32]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
        departs="pdpd",
    ),
]
INVALID = [
    Invalid("BitwiseLeftShift", 15, [f32([1]), f32([1])], "input 0 (a) is f32, expected any integer type", input=0),
    Invalid(
        "BitwiseLeftShift",
        15,
        [boolean([True]), boolean([True])],
        "input 0 (a) is boolean, expected any integer type",
        input=0,
    ),
    Invalid(
        "BitwiseLeftShift",
        15,
        [u8([1]), i32([1])],
        "input 1 (b) is i32 but input 0 is u8; both must have the same type T",
        input=1,
    ),
]

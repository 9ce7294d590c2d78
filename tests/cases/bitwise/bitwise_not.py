from __future__ import annotations

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CASES = [
    Case("BitwiseNot", 13, [boolean([True, False])], [boolean([False, True])], source="page", name="boolean"),
    Case("BitwiseNot", 13, [u8([1, 3])], [u8([254, 252])], source="page", name="u8"),
    Case("BitwiseNot", 13, [i32([0, -1, 5])], [i32([-1, 0, -6])], name="i32"),
    Case(
        "BitwiseNot",
        13,
        [i64([2**53 + 1])],
        [i64([-(2**53) - 2])],
        name="i64_big",
        departs="64-bit",
    ),
    Case(
        "BitwiseNot",
        13,
        [u8([1, 15])],
        [u8([14, 0])],
        types={0: "u4"},
        name="u4",
    ),
]
INVALID = [
    Invalid("BitwiseNot", 13, [f32([1])], "input 0 (data) is f32, expected", input=0),
]

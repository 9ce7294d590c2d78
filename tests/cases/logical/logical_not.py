from __future__ import annotations

from tests.cases import Case, Invalid, boolean, u8

CASES = [
    Case("LogicalNot", 1, [boolean([[True, False]])], [boolean([[False, True]])], name="values"),
    Case("LogicalNot", 1, [boolean(True)], [boolean(False)], name="scalar"),
    Case(
        "LogicalNot",
        1,
        [boolean([])],
        [boolean([])],
        name="empty",
    ),
]
INVALID = [
    Invalid("LogicalNot", 1, [u8([1])], "input 0 (data) is u8, expected boolean", input=0),
]

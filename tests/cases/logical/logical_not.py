from __future__ import annotations

from tests.cases import Case, Invalid, boolean

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
    Invalid("LogicalNot", 1, ["string[1]"], "input 0 (data) is string, expected boolean", input=0),
]

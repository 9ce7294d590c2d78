from __future__ import annotations

from tests.cases import Case, Invalid, boolean, i32

CASES = [
    Case(
        "Xor",
        1,
        [boolean([True, True, False, False]), boolean([True, False, True, False])],
        [boolean([False, True, True, False])],
        {"auto_broadcast": "none"},
        name="none",
    ),
    Case(
        "Xor",
        1,
        [boolean([[True, False]]), boolean([[True], [False]])],
        [boolean([[False, True], [True, False]])],
        name="numpy",
    ),
    Case(
        "Xor",
        1,
        [boolean([[True, False], [True, False]]), boolean([True, False])],
        [boolean([[False, True], [True, False]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
        departs="pdpd",
    ),
    Case("Xor", 1, [boolean(True), boolean(False)], [boolean(True)], name="scalars"),
]
INVALID = [
    Invalid("Xor", 1, [i32([1]), i32([1])], "input 0 (a) is i32, expected boolean", input=0),
    Invalid(
        "Xor",
        1,
        [boolean([True] * 2), boolean([True] * 3)],
        "shapes [2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
]

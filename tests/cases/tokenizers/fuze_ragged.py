from __future__ import annotations

from tests.cases import i32
from tests.cases.tokenizers.text import case, invalid

_OP = "FuzeRagged"

CASES = [
    case(
        _OP,
        [i32([0, 2, 2]), i32([2, 2, 3]), i32([0, 1, 5]), i32([1, 4, 6])],
        [i32([0, 5, 5]), i32([4, 6, 6])],
        source="oracle",
    ),
    case(_OP, [i32([0, 1]), i32([1, 1]), i32([3]), i32([4])], [i32([3, 0]), i32([4, 0])], name="no last string"),
]
INVALID = [
    invalid(_OP, [i32([0]), i32([2]), i32([0]), i32([1])], "a row from 0 to 2 is outside 1 element", input=0),
]

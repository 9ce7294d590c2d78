from __future__ import annotations

from tests.cases import i32
from tests.cases.tokenizers.text import case, invalid

_OP = "RaggedToRagged"

CASES = [
    case(_OP, [i32([0, 0, 2]), i32(4)], [i32([0, 2, 2, 3]), i32([2, 2, 3, 3])], source="oracle"),
    case(_OP, [i32([]), i32([2])], [i32([0, 0]), i32([0, 0])], name="no elements"),
    case(_OP, [i32([0, 1, 5]), i32(2)], [i32([0, 1]), i32([1, 2])], name="ids that are too large"),
]
INVALID = [invalid(_OP, [i32([1, 0]), i32(2)], "rowids must be ascending and start at 0 or more", input=0)]

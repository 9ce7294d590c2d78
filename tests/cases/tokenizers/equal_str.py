from __future__ import annotations

from tests.cases import i32
from tests.cases.tokenizers.text import case, invalid, strings

_OP = "EqualStr"

CASES = [
    case(_OP, [*strings("a", "é", ""), *strings("a", "e", "")], [i32([1, 0, 1])], source="oracle"),
    case(
        _OP, [*strings("a"), *strings("b", "a", "a")], [i32([0, 1, 1])], name="the first is repeated", source="oracle"
    ),
    case(_OP, [*strings("a"), *strings()], [i32([])], name="none", source="oracle"),
]
INVALID = [invalid(_OP, strings("a"), "EqualStr has 3 inputs, expected 6")]

from __future__ import annotations

from tests.cases import boolean, i64
from tests.cases.tokenizers.text import case, chars, invalid, strings

_OP = "ContribStringSplit"

CASES = [
    case(
        _OP,
        [*strings("a,,b", "", "é"), chars(","), boolean(False)],
        [i64([[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]]), *strings("a", "", "b", "", "é"), i64([3, 3])],
        name="with empty parts",
        source="oracle",
    ),
    case(
        _OP,
        [*strings("a,,b", "", "é"), chars(","), boolean(True)],
        [i64([[0, 0], [0, 2], [2, 0]]), *strings("a", "b", "é"), i64([3, 3])],
        name="without empty parts",
        source="oracle",
    ),
    case(
        _OP,
        [*strings("ab", "é"), chars(""), boolean(False)],
        [i64([[0, 0], [0, 1], [1, 0], [1, 1]]), *strings("a", "b", b"\xc3", b"\xa9"), i64([2, 2])],
        name="bytes",
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, [*strings("a"), chars(","), "i64[]"], "input 4 (skip_empty) is i64, expected", input=4),
]

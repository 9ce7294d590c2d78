from __future__ import annotations

from tests.cases import i32
from tests.cases.tokenizers.text import case, ids, invalid, rows, strings

_OP = "TrieTokenizer"
_MODEL = [*strings("a", "ab", "b", "abcd", "c"), i32([10, 11, 12, 13, 14])]

CASES = [
    case(_OP, [*rows(["abc"], ["abcdab"], [""]), *_MODEL], ids([11, 14], [13, 11], []), source="oracle"),
]
INVALID = [
    invalid(_OP, [*rows(["ax"]), *_MODEL], "no token begins with the byte 120 at 1", input=4),
    invalid(_OP, [*rows(["a"]), *strings("a"), i32([1, 2])], "the numbers of tokens and of ids", input=8),
]

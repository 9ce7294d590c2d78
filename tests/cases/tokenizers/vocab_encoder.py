from __future__ import annotations

from tests.cases import i32, i64
from tests.cases.tokenizers.text import case, invalid, strings

_OP = "VocabEncoder"
_KEYS = strings("a", "é", "a", "")

CASES = [
    case(_OP, [*strings("é", "a", "x", ""), *_KEYS, i32([5, 6, 7, 8]), i32(-1)], [i32([6, 5, -1, 8])], source="oracle"),
    case(_OP, [*strings("é"), *_KEYS, i64([5, 2**40, 7, 8]), i64(0)], [i64([2**40])], name="i64"),
]
INVALID = [
    invalid(_OP, [*strings("a"), *_KEYS, i32([1]), i32(0)], "the numbers of keys and of values", input=6),
    invalid(_OP, [*strings("a"), *_KEYS, i32([1, 2, 3, 4]), i64(0)], "both must have the same type T", input=7),
]

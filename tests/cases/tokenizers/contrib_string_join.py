from __future__ import annotations

from tests.cases import i32, i64
from tests.cases.tokenizers.text import case, chars, invalid, strings

_OP = "ContribStringJoin"
_BEGINS, _ENDS, _CHARS = strings("a", "b", "c", "d", "", "é")
_TABLE = [_BEGINS.reshape(2, 3), _ENDS.reshape(2, 3), _CHARS]
_SCALAR = [i32(0), i32(7), chars("a--b--c")]

CASES = [
    case(_OP, [*_TABLE, chars(", "), i64(1)], strings("a, b, c", "d, , é"), name="last axis", source="oracle"),
    case(_OP, [*_TABLE, chars(""), i32(-2)], strings("ad", "b", "cé"), name="first axis", source="oracle"),
    case(_OP, [*strings("a", "b", "c"), chars("--"), i64(0)], _SCALAR, name="vector", source="oracle"),
    case(_OP, [*_SCALAR, chars("x"), i64(0)], _SCALAR, name="scalar"),
]
INVALID = [invalid(_OP, [*_TABLE, chars(","), i64(2)], "axis 2 is outside a tensor of rank 2", input=4)]

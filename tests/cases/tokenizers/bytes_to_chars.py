from __future__ import annotations

from tests.cases import boolean
from tests.cases.tokenizers.text import case, invalid, rows

_OP = "BytesToChars"
_TEXT = rows(["a b"], ["\n", "é"])

CASES = [
    case(_OP, _TEXT, rows(["aĠb"], ["Ċ", "Ã©"]), source="oracle"),
    case(
        _OP,
        [*_TEXT, boolean([True, False, True])],
        [*rows(["a b"], ["Ċ", "é"]), boolean([True, False, True])],
        name="flags",
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, [*_TEXT, boolean([True])], "the numbers of strings and of flags", input=5),
    invalid(_OP, [*_TEXT, "u8[3]"], "input 5 (flags) is u8, expected boolean", input=5),
]

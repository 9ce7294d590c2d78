from __future__ import annotations

from tests.cases import f32
from tests.cases.tokenizers.text import case, ids, invalid, rows, strings

_OP = "UnigramTokenizer"
_MODEL = [*strings("?", "a", "b", "ab", "abc"), f32([0, -2, -2, -3, -9])]

CASES = [
    case(
        _OP,
        [*rows(["ab", "abc"], [], ["éb", "zzza", "b"]), *_MODEL],
        ids([3, 4], [], [0, 2, 0, 1, 2]),
        source="oracle",
    ),
    case(
        _OP,
        [*rows(["zab", "abz"]), *_MODEL],
        ids([-1, 3, 3]),
        {"unk_token_id": -1},
        name="the last unknown token is -1",
        source="oracle",
    ),
    case(
        _OP,
        [*rows(["aaaa"]), *strings("a", "aa"), f32([-1, -2])],
        ids([1, 1]),
        name="equal sums",
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, [*rows(["a"]), *strings("a", ""), f32([1, 2])], "token 1 is empty, expected at least one byte"),
    invalid(_OP, [*rows(["a"]), *strings("a"), f32([1, 2])], "the numbers of tokens and of scores", input=8),
]

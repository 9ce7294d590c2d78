from __future__ import annotations

from tests.cases import i32, i64
from tests.cases.tokenizers.text import case, ids, invalid, rows, strings

_OP = "WordpieceTokenizer"
_TOKENS = strings("?", "un", "##a", "##aff", "##able", "una", "@@z")

CASES = [
    case(
        _OP,
        [*rows(["unaffable", "unz"], [], ["un", "able", "unaa"]), *_TOKENS, i32(0)],
        ids([0, 0], [], [1, 0, 5, 2]),
        source="oracle",
    ),
    case(_OP, [*rows(["unz", "un"]), *_TOKENS, i64(9)], ids([1, 6, 1]), {"suffix_indicator": "@@"}, name="indicator"),
    case(_OP, [*rows(["una", "éé"]), *_TOKENS, i32(0)], ids([5, 0]), {"max_bytes_per_word": 3}, name="too long"),
]
INVALID = [
    invalid(_OP, [*rows(["a"]), *_TOKENS, "f32[]"], "input 8 (unk_token_id) is f32, expected i32 or i64", input=8),
]

from __future__ import annotations

from tests.cases import i32
from tests.cases.tokenizers.models import BYTES, model
from tests.cases.tokenizers.text import case, invalid, strings

_OP = "SentencepieceDetokenizer"
_MODEL = model([("▁", -3), ("▁a", -2), ("é", -2.5), *BYTES], byte_fallback=True)
_BYTE = 6

CASES = [
    case(
        _OP,
        [_MODEL, i32([[1, 4, 4, 5, 2, 900], [3, 0, 4, 3, 2, 2], [2, 1, 4, 3, 5, 5]])],
        strings("a aé", " ⁇  a ", "a éé"),
        source="oracle",
    ),
    case(
        _OP,
        [_MODEL, i32([[_BYTE + 0xC3, _BYTE + 0xA9, _BYTE + 0xE2, 4], [_BYTE + 0x80, _BYTE + 0x41, 1, _BYTE + 0xC3]])],
        strings("é\ufffd a", "\ufffdA\ufffd"),
        name="bytes",
        source="oracle",
    ),
]
INVALID = [invalid(_OP, [_MODEL, i32([[-1]])], "id -1 is negative, expected one of the vocabulary", input=1)]

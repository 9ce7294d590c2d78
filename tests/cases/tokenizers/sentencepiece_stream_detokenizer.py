from __future__ import annotations

from tests.cases import i32
from tests.cases.tokenizers.models import BYTES, model
from tests.cases.tokenizers.text import case, invalid, strings

_OP = "SentencepieceStreamDetokenizer"
_MODEL = model([("▁", -3), ("▁a", -2), ("é", -2.5), *BYTES], byte_fallback=True)

CASES = [
    case(
        _OP,
        [_MODEL, i32([[1, 4, 5, 900], [6 + 0xC3, 3, 0, 6 + 0x41]])],
        strings("<s>▁aé", b"\xc3\xe2\x96\x81<unk>A"),
        source="oracle",
    ),
]
INVALID = [invalid(_OP, [_MODEL, i32([1])], "input 1 (ids) has rank 1, expected 2", input=1)]

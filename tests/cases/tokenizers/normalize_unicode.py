from __future__ import annotations

from tests.cases import boolean
from tests.cases.tokenizers.text import case, invalid, strings

_OP = "NormalizeUnicode"
_TEXT = strings("e\u0301ﬁ", "각Å", "\u0344")

CASES = [
    case(_OP, _TEXT, strings("éﬁ", "각Å", "\u0308\u0301"), {"normalization_form": "NFC"}, name="nfc"),
    case(
        _OP,
        _TEXT,
        strings("e\u0301ﬁ", "\u1100\u1161\u11a8A\u030a", "\u0308\u0301"),
        {"normalization_form": "NFD"},
        name="nfd",
    ),
    case(_OP, _TEXT, strings("éfi", "각Å", "\u0308\u0301"), {"normalization_form": "NFKC"}, name="nfkc"),
    case(_OP, strings("①ﬁ"), strings("1fi"), {"normalization_form": "NFKD"}, name="nfkd"),
    case(
        _OP,
        strings("a\u0301\u0323", "a\u0323\u0301"),
        strings("á\u0323", "ạ\u0301"),
        {"normalization_form": "NFC"},
        name="marks keep their order",
        source="oracle",
    ),
    case(
        _OP,
        [*strings("e\u0301", "e\u0301"), boolean([False, True])],
        [*strings("é", "e\u0301"), boolean([False, True])],
        {"normalization_form": "NFC"},
        name="flags",
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, _TEXT, "normalization_form is missing; NormalizeUnicode requires it", attribute="normalization_form"),
]

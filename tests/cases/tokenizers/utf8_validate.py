from __future__ import annotations

from tests.cases.tokenizers.text import case, invalid, strings

_OP = "UTF8Validate"
_TEXT = strings(
    "aé€😀",
    b"a\x80\xffb",
    b"\xe2\x82a",
    b"\xc0\xaf",
    b"\xe0\x80\xaf",
    b"\xed\xa0\x80",
    b"\xf7\xbf\xbf\xbf",
    b"\xe2\x82",
)
_KEPT = (b"\xed\xa0\x80", b"\xf7\xbf\xbf\xbf")
_WRONG = "\ufffd"

CASES = [
    case(_OP, _TEXT, strings("aé€😀", "ab", "a", "", "", *_KEPT, ""), name="dropped", source="oracle"),
    case(
        _OP,
        _TEXT,
        strings("aé€😀", f"a{_WRONG}{_WRONG}b", f"{_WRONG}a", _WRONG * 2, _WRONG * 3, *_KEPT, _WRONG),
        {"replace_mode": True},
        name="replaced",
        source="oracle",
    ),
]
INVALID = [invalid(_OP, ["f32[1]", *strings("a")[1:]], "input 0 (text_begins) is f32, expected i32", input=0)]

from __future__ import annotations

from tests.cases.tokenizers.text import case, invalid, strings

_OP = "ByteFallback"

CASES = [
    case(
        _OP,
        strings("a", "<0x41>", "<0xE2>", "<0xe2>", "<0x4>", "<abcd>", "<0x<1>", "", "<0x0A>"),
        strings("a", "A", b"\xe2", b"\xff", "<0x4>", b"\xff", "<0x<1>", "", "\n"),
        source="oracle",
    ),
    case(_OP, strings(), strings(), name="none"),
]
INVALID = [
    invalid(_OP, [*strings("a")[:2], "u8[1,1]"], "input 2 (text_chars) has rank 2, expected 1", input=2),
    invalid(_OP, ["i32[2]", "i32[3]", "u8[?]"], "begins and ends must have one shape, got [2] and [3]", input=1),
]

from __future__ import annotations

from tests.cases import boolean
from tests.cases.tokenizers.text import case, invalid, strings

_OP = "CaseFold"

CASES = [
    case(_OP, strings("HeLLo", "ΣΊΣΥΦΟΣ", "ẞß", "İI", "ſ", "ꮿ"), strings("hello", "σίσυφοσ", "ßß", "İi", "s", "Ꮿ")),
    case(_OP, strings(b"A\xff"), strings("a\ufffd"), name="not UTF-8", source="oracle"),
    case(_OP, strings("ÀB"), strings("Àb"), {"encoding": ""}, name="ASCII", source="oracle"),
    case(_OP, strings("àbC"), strings("àBC"), {"encoding": "", "lower": False}, name="ASCII capitals", source="oracle"),
    case(
        _OP,
        [*strings("Ab", "Cd"), boolean([True, False])],
        [*strings("Ab", "cd"), boolean([True, False])],
        name="flags",
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, strings("a"), "lower is false, expected true", {"lower": False}, attribute="lower"),
    invalid(_OP, [*strings("a"), boolean([True])], "CaseFold of ASCII letters has flags", {"encoding": ""}, input=3),
]

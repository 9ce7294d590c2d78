from __future__ import annotations

import struct

from tests.cases import Array, boolean
from tests.cases.tokenizers.text import case, chars, invalid, strings

_OP = "CharsMapNormalization"
_KEEP = {"remove_extra_whitespaces": False}


def _map(replacement: str) -> Array:
    """Return a map with the only key ``b``: a double array of the root, a node, and a leaf with the value 0."""
    units = [0] * 256
    label = ord("b")
    units[0] = 1 << 10  # The children of the root are at 1 ^ label.
    node = 1 ^ label
    leaf = node ^ 2
    units[node] = (2 << 10) | (1 << 8) | label
    units[leaf] = 1 << 31
    return chars(struct.pack("<257I", 1024, *units) + replacement.encode() + b"\0")


CASES = [
    case(_OP, [*strings("abc", "bb"), _map("xy")], strings("axyc", "xyxy"), _KEEP, name="map", source="oracle"),
    case(
        _OP,
        [*strings("abc", "b"), boolean([True, False]), _map("xy")],
        [*strings("abc", "xy"), boolean([True, False])],
        _KEEP,
        name="map and flags",
        source="oracle",
    ),
    case(
        _OP,
        [*strings("  a  b ", "   ", "b"), _map(" ")],
        strings("a", "", ""),
        name="extra spaces",
        source="oracle",
    ),
    case(
        _OP,
        strings("ﬁ ①", "", "é é"),
        strings("▁fi▁1", "", "▁é▁é"),
        {"normalization_form": "nfkc", "add_dummy_prefix": True, "escape_whitespaces": True, **_KEEP},
        name="form",
        source="oracle",
    ),
    case(
        _OP,
        [*strings("É  É", "A"), boolean([False, True])],
        [*strings("é é", "A"), boolean([False, True])],
        {"normalization_form": "nfc", "case_fold": True},
        name="fold",
        source="oracle",
    ),
    case(
        _OP,
        strings(b"a\xe2\x82b\xff"),
        strings("a\ufffd\ufffdb\ufffd"),
        {"normalization_form": "nfd", **_KEEP},
        name="not UTF-8",
    ),
]
INVALID = [
    invalid(_OP, strings("a"), "without normalization_form has no map", attribute="normalization_form"),
    invalid(
        _OP, [*strings("a"), chars(b"\x04\0\0\0")], "a map of 4 bytes does not have a double array of 4 bytes", input=3
    ),
    invalid(
        _OP,
        strings("a"),
        'normalization_form "identity" needs case_fold, expected true',
        {"normalization_form": "identity"},
        attribute="case_fold",
    ),
    invalid(_OP, [*strings("a"), chars("a"), _map("x")], "input 3 (flags) is u8, expected boolean", input=3),
]

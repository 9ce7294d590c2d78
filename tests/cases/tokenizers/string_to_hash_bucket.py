from __future__ import annotations

from tests.cases import i64
from tests.cases.tokenizers.text import case, invalid, strings

_OP = "StringToHashBucket"
_TEXT = strings("", "abcd", "é" * 6, "x" * 24, "y" * 50, "z" * 64, "0123456789" * 13)

CASES = [
    case(
        _OP,
        _TEXT,
        [i64([377723, 267500, 615605, 277290, 847376, 375874, 795399])],
        {"num_buckets": 1000003},
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, _TEXT, "num_buckets is 0, expected >= 1", {"num_buckets": 0}, attribute="num_buckets"),
    invalid(_OP, _TEXT, "num_buckets is missing", attribute="num_buckets"),
]

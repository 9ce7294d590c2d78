from __future__ import annotations

from tests.cases import Array, i32
from tests.cases.tokenizers.text import case, ids, invalid, rows, strings

_OP = "BPETokenizer"
_TOKENS = strings("a", "b", "c", "ab", "bc", "abc", "<0xC3>", "?", "c</w>")
_PAIRS = [*strings("a", "b", "ab"), *strings("b", "c", "c")]
_ADDED = [*strings("<x>", "a"), i32([90, 91])]


def _inputs(*texts: list[str], merges: list[Array] = _PAIRS) -> list[Array]:
    return [*rows(*texts), *_TOKENS, *merges]


CASES = [
    case(_OP, _inputs(["abc", "bc"], [], ["cab"]), ids([5, 4], [], [2, 3]), name="14 inputs", source="oracle"),
    case(
        _OP,
        _inputs(["abc"], merges=strings("b c", "a b", "a bc")),
        ids([5]),
        name="11 inputs",
        source="oracle",
    ),
    case(_OP, [*_inputs(["ab<x>a"]), *_ADDED], ids([3, 90, 0]), name="18 inputs", source="oracle"),
    case(
        _OP,
        [*_inputs(["c<x>"], merges=strings("a b")), *_ADDED],
        ids([2, 90]),
        name="15 inputs",
        source="oracle",
    ),
    case(_OP, _inputs(["aéz"]), ids([0, 7, 7, 7]), {"unk_token": "?"}, name="unknown bytes", source="oracle"),
    case(_OP, _inputs(["aéz"]), ids([0]), name="no unknown token", source="oracle"),
    case(_OP, _inputs(["aé"]), ids([0, 6]), {"byte_fallback": True}, name="byte fallback", source="oracle"),
    case(_OP, _inputs(["bc", "c"]), ids([1, 8, 8]), {"end_suffix": "</w>"}, name="end suffix"),
    case(
        _OP,
        [*rows(["aaa", "aaaa"]), *strings("a", "aa"), *strings("a"), *strings("a")],
        ids([1, 0, 1, 1]),
        name="the leftmost of equal pairs",
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, _inputs(["a"])[:10], "BPETokenizer has 10 inputs, expected 11 to 18"),
    invalid(_OP, [*_inputs(["a"]), *_ADDED[:3]], "BPETokenizer has 17 inputs, expected 11, 14, 15 or 18"),
    invalid(
        _OP,
        _inputs(["a"], merges=strings("a c")),
        "merge 0 needs b'ac', which is not in the vocabulary",
        input=8,
    ),
    invalid(_OP, [*_inputs(["a"]), *_ADDED[:3], i32([1])], "the numbers of added tokens and of ids", input=17),
    invalid(
        _OP,
        _inputs(["a"], merges=[*strings("a"), *strings("b", "c")]),
        "the numbers of left and right parts of merges",
        input=11,
    ),
]

from __future__ import annotations

from tests.cases import Case, boolean, i32
from tests.cases.tokenizers.text import case, chars, invalid, rows, strings

_OP = "RegexSplit"
_WORDS = "'s|\\p{L}+|\\p{N}+"


def _split(text: str, pattern: str, spans: list[tuple[int, int]], name: str, **attributes: object) -> Case:
    inputs = [*rows([text]), chars(pattern)]
    begins, ends = i32([begin for begin, _ in spans]), i32([end for _, end in spans])
    expected = [i32([0]), i32([len(spans)]), begins, ends, inputs[4]]
    return case(_OP, inputs, expected, dict(attributes), name=name, source="oracle")


CASES = [
    _split("a,b,,c", ",", [(0, 1), (2, 3), (5, 6)], "remove"),
    _split("a,b,,c", ",", [(1, 2), (3, 4), (4, 5)], "remove, inverted", invert=True),
    _split("a,b,,c", ",", [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)], "isolate", behaviour="isolate"),
    _split("a,b,,c", ",", [(0, 1), (1, 2), (2, 3), (3, 5), (5, 6)], "contiguous", behaviour="contiguous"),
    _split("a,b,,c", ",", [(0, 2), (2, 4), (2, 5), (5, 6)], "previous", behaviour="mergedwithprevious"),
    _split(",", ",", [(0, 1)], "previous of a match", behaviour="mergedwithprevious"),
    _split("a,b,,c", ",", [(0, 1), (1, 3), (4, 6)], "next", behaviour="mergedwithnext"),
    _split("a,", ",", [(0, 1), (1, 2)], "next at the end", behaviour="mergedwithnext"),
    _split("a,b,c", ",", [(0, 1), (2, 5), (4, 5)], "at most one", max_splits=1),
    _split("axxb", "x*", [(0, 4)], "an empty match"),
    _split("é b", r"\s", [(0, 2), (3, 4)], "characters of two bytes"),
    _split("abc", "(", [(0, 3)], "a pattern that does not compile"),
    case(
        _OP,
        [*rows(["a b", "c d"], [], ["e"]), boolean([False, True, False]), chars(" ")],
        [
            i32([0, 3, 3]),
            i32([3, 3, 4]),
            i32([0, 2, 3, 6]),
            i32([1, 3, 6, 7]),
            chars("a bc de"),
            boolean([False, False, True, False]),
        ],
        name="flags",
        source="oracle",
    ),
    case(
        _OP,
        [*rows(["a b", "c d"]), chars(" "), *strings("c d", "x")],
        [i32([0]), i32([3]), i32([0, 2, 3]), i32([1, 3, 6]), chars("a bc d")],
        name="skipped words",
        source="oracle",
    ),
    case(
        _OP,
        [*rows([""], [""]), chars(" ")],
        [i32([0]), i32([0]), i32([0, 0]), i32([0, 0]), chars("")],
        name="no bytes",
        source="oracle",
    ),
    case(
        _OP,
        [*rows(["it's 12"]), chars(_WORDS)],
        rows(["it", "'s", " ", "12"]),
        {"behaviour": "isolate"},
        name="words",
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, [*rows(["a"]), chars("a")], "max_splits is 0, expected -1 or more than 0", {"max_splits": 0}),
    invalid(_OP, [*rows(["a"]), *[chars("a")] * 2], "input 5 (flags) is u8, expected boolean", input=5),
    invalid(_OP, [*rows(["a"]), chars("a"), i32([0]), i32([1])], "RegexSplit has 8 inputs, expected 6, 7 or 9"),
    invalid(
        _OP,
        [i32([0]), i32([2]), *strings("a"), chars("a")],
        "a row from 0 to 2 is outside 1 element",
        input=0,
    ),
]

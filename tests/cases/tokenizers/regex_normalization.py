from __future__ import annotations

from tests.cases import Case, boolean, i32
from tests.cases.tokenizers.text import case, chars, invalid, strings

_OP = "RegexNormalization"


def _case(text: str, pattern: str, replacement: str, expected: str, name: str, *, every: bool = True) -> Case:
    inputs = [*strings(text), chars(pattern), chars(replacement)]
    return case(_OP, inputs, strings(expected), {"global_replace": every}, name=name, source="oracle")


CASES = [
    _case("a1b22", r"\d+", "#", "a#b#", "digits"),
    _case("a1b22", r"\d", "#", "a#b22", "the first one", every=False),
    _case("ab", "(a)(b)", "$2${1}", "ba", "groups"),
    _case("ab", "(a)(b)", r"\2\1\n", "ba\\n", "groups with a backslash"),
    _case("ab", "(?<first>a)", "${first}$$", "a$b", "name"),
    _case("ab", "(a)|(b)", "<$1>", "ab", "a group without a match"),
    _case("ab", "a", "$7", "ab", "no such group"),
    _case("a b", "[", "x", "a b", "a pattern that does not compile"),
    _case("a" * 8, "a", "0123456789abcde", "a" * 8, "no room"),
    _case("naïve", r"[^\p{ASCII}]", "?", "na?ve", "property"),
    _case("a\u180eb\x1cc", r"\s", "_", "a_b\x1cc", "spaces"),
    _case("k\u212aK sſS", "(?i)k|(?i:s)", ".", "... ...", "case"),
    _case("a\u0301b", r"\b", "|", "|a\u0301b|", "borders of words"),
    _case("Han、漢字カ", r"\p{Han}+", "_", "Han_カ", "script extensions"),
    _case("a+b=c.d-e", "[[:punct:]]", "", "abcde", "punctuation"),
    _case(" x", "(^)(.)", "▁", "▁x", "an old pattern"),
    case(
        _OP,
        [*strings("axb"), chars("x*"), chars("-")],
        strings("-a--b-"),
        name="empty matches",
        source="oracle",
    ),
    case(
        _OP,
        [*strings("aa", "aa"), boolean([True, False]), chars("a"), chars("é")],
        [*strings("aa", "éé"), boolean([True, False])],
        name="flags",
        source="oracle",
    ),
    case(
        _OP,
        [i32([2, 0, 0]), i32([3, 1, 3]), chars("abc"), boolean([True, False, False]), chars("x"), chars("y")],
        [*strings("c", "a", "abc"), boolean([True, False, False])],
        name="no match in strings in any order",
        source="oracle",
    ),
    _case("abc", "^b", "x", "abc", "a match that depends on what is around it"),
]
INVALID = [
    invalid(_OP, strings("a"), "RegexNormalization has 3 inputs, expected 5 to 6"),
    invalid(_OP, [*strings("a"), boolean([True]), chars("a")], "input 3 (pattern) is boolean, expected u8", input=3),
    invalid(_OP, [*strings("a"), *[chars("a")] * 3], "input 3 (flags) is u8, expected boolean", input=3),
    invalid(_OP, [*strings("a"), chars("(*SKIP)a"), chars("")], "has a verb, which irrun does not support"),
]

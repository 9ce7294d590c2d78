"""Patterns of PCRE2 as the package ``regex`` reads them."""

from __future__ import annotations

import pytest

from irrun.kernels.text.pcre import translated
from irrun.kernels.text.pcre_classes import InvalidPattern, UnsupportedPattern
from irrun.ops._declared.tokenizers.patterns import compiled

regex = pytest.importorskip("regex", reason="regular expressions need the package regex")


def found(pattern: str, text: str) -> list[str]:
    search = compiled(pattern.encode())
    assert search is not None, pattern
    return [text[slice(*match.span())] for match in search.find(text)]


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (r"\s", "a \t\x0b\x85\u180e\u200b\x1c", [" ", "\t", "\x0b", "\x85", "\u180e"]),
        (r"\w+", "a\u0301b_1 \u0903c\u200d", ["a\u0301b_1", "c"]),
        (r"\bb", "a\u0301b b", ["b"]),
        (r"[^\S\n]+", "a \t\nb ", [" \t", " "]),
        (r"[\W\d]+", "a1-b", ["1-"]),
        (r"\p{Han}+", "カ漢、字\u00b7", ["漢、字\u00b7"]),
        (r"\p{sc:Han}+", "漢、字", ["漢", "字"]),
        (r"\P{^Lu}", "aB", ["B"]),
        ("[[:punct:]]+", "a+b€c.d", ["+", "."]),
        ("[[:^alpha:]x]+", "ax1b", ["x1"]),
        ("(?i)[k-l]+", "K\u212al", ["K\u212al"]),
        ("a(?i)b(?-i)c|d", "aBc aBC D d", ["aBc", "d"]),
        ("(?i:ß)", "ẞ ss", ["ẞ"]),
        ("(?|a(b)|c(d))", "ab cd", ["ab", "cd"]),
        (r"\d++.", "12a", ["12a"]),
        (r"a{,2}b|c{ 1, 2 }|d{x", "aab cc d{x", ["aab", "cc", "d{x"]),
        (r"\x{4E00}|\101|\cA|\N{U+42}|\o{103}", "一A\x01BC", ["一", "A", "\x01", "B", "C"]),
        (r"\Qa.b\E+", "a.bb axb", ["a.bb"]),
        ("(?x) a b # c", "ab", ["ab"]),
        ("(?s).+", "a\nb", ["a\nb"]),
        (".+", "a\r\nb", ["a\r", "b"]),
        ("(?m)^.", "a\nb\n", ["a", "b"]),
        (r"\R", "\r\n\n\u2028", ["\r\n", "\n", "\u2028"]),
        (r"(\w)\1", "abba", ["bb"]),
        (r"(?<x>a)\k<x>|(?'y'b)\g{y}", "aa bb", ["aa", "bb"]),
        ("(?<=ab?)c", "ac abc bc", ["c", "c"]),
        ("a$", "a\n", ["a"]),
        ("[]a]+|[^]a]", "]ab", ["]a", "b"]),
        ("(?#x)a", "a", ["a"]),
        (r"\p{scx=Hira}+", "ひ\u3001", ["ひ\u3001"]),
        (r"\p{bc:AL}+", "a\u0627\u0628", ["\u0627\u0628"]),
        (r"\p{BidiAL}+", "a\u0627\u0628", ["\u0627\u0628"]),
        (r"\p{Common}+", "漢1、!", ["1、!"]),
        (r"\p{Xwd}+|\p{L&}", "a_1-b", ["a_1", "b"]),
        (r"(?i)\p{Lu}+", "aB1", ["aB"]),
        (r"\p{Emoji}", "a😀", ["😀"]),
        (r"[\Qa-\]\E]+", "a-b\\]", ["a-", "\\]"]),
        (r"[\b]|[\8]", "a\b8", ["\b", "8"]),
        (r"a\Eb", "ab", ["ab"]),
        ("(*UTF)(*UCP)a", "a", ["a"]),
        ("(?U)a+|b+?|c++", "aabbcc", ["a", "a", "bb", "cc"]),
        (r"(a)(b)\g{-1}", "abb aba", ["abb"]),
        (r"(a(?1)?b)", "aabb ab", ["aabb", "ab"]),
        (r"(?<p>\((?&p)*\))|\[(?R)*\]", "(()) [[]]", ["(())", "[[]]"]),
    ],
)
def test_matches(pattern: str, text: str, matches: list[str]) -> None:
    assert found(pattern, text) == matches


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "[",
            "(",
            ")",
            "*a",
            "a**",
            "\\",
            r"\8x\y",
            "[b-a]",
            r"[\d-z]",
            r"\p{Punct}",
            r"\p{",
            "[[:nope:]]",
            "(?<=a+)b",
        ),
        *("a{3,2}", "(*UCP )", r"\x{110000}", "[a", r"[\R]", "(?#", "[a-", "[a\\", r"\p{sc:x}"),
    ],
)
def test_what_does_not_compile(pattern: str) -> None:
    assert compiled(pattern.encode()) is None
    with pytest.raises(InvalidPattern):
        translated(pattern, lambda _: False)


@pytest.mark.parametrize("pattern", ["(*SKIP)a", "(*pla:a)", r"(a)\g", "(?C1)a"])
def test_what_is_not_translated(pattern: str) -> None:
    with pytest.raises(UnsupportedPattern):
        translated(pattern, lambda _: False)


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?1)(a)"])
def test_a_reference_to_a_group_needs_groups(pattern: str) -> None:
    with pytest.raises(UnsupportedPattern, match=r"^a reference to a group$"):
        translated(pattern, lambda _: False, captures=False)


def test_bytes_that_are_no_text_do_not_compile() -> None:
    assert compiled(b"\xff") is None

"""Regular expressions of XML Schema for the text of attributes, by kind.

XML Schema has no flags: where OpenVINO ignores case, each letter appears in both cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from irrun.ops.attributes import AttrKind, AttrSpec

_INTEGER: Final = r"\s*-?[0-9]+(\.0*)?[fF]?\s*"
_NUMBER: Final = r"\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fF]?|-?inf|nan)\s*"
_DIM: Final = r"\s*(\?|-1|[0-9]+|[0-9]*\.\.[0-9]*)\s*"


def _letter(letter: str) -> str:
    if letter.isalpha():
        return f"[{letter.lower()}{letter.upper()}]"
    return rf"\{letter}" if letter in r".\?*+{}()[]|-^" else letter


def in_any_case(words: Iterable[str]) -> str:
    """Return a pattern for any of some words, in any case."""
    return "|".join("".join(_letter(letter) for letter in word) for word in words)


def items(item: str) -> str:
    """Return a pattern for a possibly empty comma-separated list, with an optional trailing comma."""
    return rf"({item}(,{item})*,?)?"


KINDS: Final[dict[AttrKind, str]] = {
    "int": _INTEGER,
    "float": _NUMBER,
    "bool": f"{in_any_case(('true', 'false'))}|1|0",
    "ints": items(_INTEGER),
    "floats": items(_NUMBER),
    "shape": rf"\s*(\[\s*({_DIM}(,{_DIM})*|\.\.\.)?\s*\]|({_DIM}(,{_DIM})*|\.\.\.)?)\s*",
}
EXACT: Final[dict[AttrKind, str]] = {"int": r"\s*\+?[0-9]+", "shape": rf"({_DIM}(,{_DIM})*)?\s*"}
"""Patterns of attributes that OpenVINO reads to the letter."""


def pattern(spec: AttrSpec) -> str | None:
    """Return the pattern that the text of an attribute must match; None for words and for arbitrary text."""
    return EXACT.get(spec.kind, KINDS.get(spec.kind)) if spec.exact else KINDS.get(spec.kind)


def misspelt(word: str) -> str:
    """Return a pattern for a word with at most one inserted, deleted, replaced or transposed letter, in any case."""
    letters = [_letter(letter) for letter in word]
    found = [letters]
    for at in range(len(word)):
        found += [
            [*letters[:at], *letters[at + 1 :]],
            [*letters[:at], "[a-zA-Z]", *letters[at + 1 :]],
            [*letters[:at], *reversed(letters[at : at + 2]), *letters[at + 2 :]],
        ]
    found += [[*letters[:at], "[a-zA-Z]", *letters[at:]] for at in range(len(word) + 1)]
    return "|".join(dict.fromkeys("".join(form) for form in found))

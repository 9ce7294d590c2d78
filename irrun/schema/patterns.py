"""Regular expressions of XML Schema for the text of attributes, by kind.

XML Schema has no flags: where OpenVINO ignores case, each letter appears in both cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from irrun.ops.attributes import AttrKind, AttrSpec

_DIGITS: Final = r"[0-9]+"
_POINT: Final = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
_ZERO: Final = r"(0+\.?0*|\.0+)"
_NOT_ZERO: Final = r"([0-9]*[1-9][0-9]*\.?[0-9]*|[0-9]*\.[0-9]*[1-9][0-9]*)"
_DIM: Final = r"\s*(\?|-1|[0-9]+|[0-9]*\.\.[0-9]*)\s*"


def _integer(least: int | None = None, most: int | None = None) -> str:
    """Return a pattern for an integer within bounds: ``least`` is a digit, or less than ``-most``."""
    above = _DIGITS if most is None else f"0*({_up_to(most)})"
    if least is None:
        digits = f"-?{_DIGITS}"
    elif least < -9:
        digits = f"-?({above}|0+)"
    elif least > 0:
        digits = f"0*([{least}-9]|[1-9][0-9]+)" if most is None else above
    else:
        digits = "|".join(["-?0+", above, *(f"-0*{size}" for size in range(1, 1 - least))])
    return rf"\s*({digits})(\.0*)?[fF]?\s*"


def _up_to(most: int) -> str:
    """Return a pattern for a positive integer of at most ``most``, without leading zeros."""
    text = str(most)
    parts = [f"[1-9][0-9]{{0,{len(text) - 2}}}"] if len(text) > 1 else []
    for place, digit in enumerate(text):
        lower = "123456789".partition(digit)[0] if place == 0 else "0123456789".partition(digit)[0]
        rest = len(text) - place - 1
        if lower:
            parts.append(f"{text[:place]}[{lower}]" + (f"[0-9]{{{rest}}}" if rest else ""))
    return "|".join([*parts, text])


def _number(sign: str = "") -> str:
    """Return a pattern for a number that is ``>`` or ``>=`` 0, or any; the range of an exponent does not count."""
    digits = {"": f"[+-]?{_POINT}", ">": rf"\+?{_NOT_ZERO}", ">=": rf"\+?{_POINT}|-{_ZERO}"}[sign]
    infinity = "inf" if sign else "-?inf"
    return rf"\s*(({digits})([eE][+-]?[0-9]+)?[fF]?|{infinity}|nan)\s*"


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
    "int": _integer(),
    "float": _number(),
    "bool": f"{in_any_case(('true', 'false'))}|1|0",
    "ints": items(_integer()),
    "floats": items(_number()),
    "shape": rf"\s*(\[\s*({_DIM}(,{_DIM})*|\.\.\.)?\s*\]|({_DIM}(,{_DIM})*|\.\.\.)?)\s*",
}
EXACT: Final[dict[AttrKind, str]] = {"int": r"\s*\+?[0-9]+", "shape": rf"({_DIM}(,{_DIM})*)?\s*"}
"""Patterns of attributes that OpenVINO reads to the letter."""


def pattern(spec: AttrSpec) -> str | None:
    """Return the pattern that the text of an attribute must match; None for words and for arbitrary text."""
    return EXACT.get(spec.kind, KINDS.get(spec.kind)) if spec.exact else bounded(spec) or KINDS.get(spec.kind)


def bounded(spec: AttrSpec) -> str | None:
    """Return the pattern of numbers within the bounds of an attribute; None where it has none."""
    sign, bound = next(iter(spec.bounds.items()), ("", 0))
    if spec.exact or not sign:
        return None
    if spec.kind in ("float", "floats"):
        one = _number(sign)
        return one if spec.kind == "float" else items(one)
    most = spec.bounds.get("<=")
    one = _integer(int(bound) + (sign == ">"), None if most is None else int(most))
    return one if spec.kind == "int" else items(one)


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

"""Replacement of the matches of a regular expression, as PCRE2 substitutes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from irrun.kernels.text.splitting import Find, Match
from irrun.kernels.text.strings import encoded

ROOM: Final = 4
"""OpenVINO's room for the result: this many times the bytes of the text and of the replacement for each group."""

_OLD_GROUP: Final = re.compile(r"\\([1-9])")
_REFERENCE: Final = re.compile(r"\$(?:([$&`'_+])|(\d+)|([^\W\d]\w*)|\{(?:(\d+)|([^\W\d]\w*))\}|)", re.ASCII)
BEFORE, AFTER, ALL, LAST = -1, -2, -3, -4
"""The text before a match, the text after it, the whole text, and the last group, as numbers of groups."""
_PLACES: Final = {"&": 0, "`": BEFORE, "'": AFTER, "_": ALL, "+": LAST}
Part = str | int
"""A text, or the number of a group."""


def template(replacement: str, names: Callable[[str], int | None]) -> list[Part] | None:
    """Return the parts of a replacement; None where it is malformed.

    ``$1``, ``${1}``, ``${name}`` and ``\\1`` are groups, ``$+`` is the last one, ``$&`` the match, ``$_`` the text,
    a dollar with an accent or an apostrophe the text before or after the match, ``$$`` a dollar. ``names``
    returns the number of a named group.
    """
    found: list[Part] = []
    text, at = _OLD_GROUP.sub(r"$\1", replacement), 0
    for reference in _REFERENCE.finditer(text):
        if reference.end() == reference.start() + 1:
            return None
        found.append(text[at : reference.start()])
        at = reference.end()
        if reference[1]:
            found.append(_PLACES.get(reference[1], "$"))
            continue
        name = reference[3] or reference[5]
        number = int(reference[2] or reference[4]) if name is None else names(name)
        if number is None:
            return None
        found.append(number)
    return [part for part in (*found, text[at:]) if part != ""]


def substituted(text: str, find: Find, parts: Sequence[Part], bytes_of_template: int, *, every: bool) -> str:
    """Return a text with its matches, or the first one, replaced.

    It stays whole where a match lacks a group of the replacement, or where the result takes more than ``ROOM``.
    """
    found: list[str] = []
    at, groups = 0, 1
    first: Match | None = None
    for match in find(text):
        begin, end = match.span()
        first = first or match
        found.append(text[at:begin])
        at = end
        for part in parts:
            piece = part if isinstance(part, str) else _group(text, match, part)
            if piece is None:
                return text
            found.append(piece)
        if not every:
            break
    if first is None:
        return text
    found.append(text[at:])
    result = "".join(found)
    if len(result) <= len(text):
        return result
    groups = 1 + max((index for index, group in enumerate(first.groups(), 1) if group is not None), default=0)
    room = ROOM * (len(encoded(text)) + groups * bytes_of_template)
    return result if len(encoded(result)) < room else text


def is_short(parts: Sequence[Part], groups: int) -> bool:
    """Return whether a replacement of one character always has enough ``ROOM``, and depends on the character only."""
    numbers = [part for part in parts if isinstance(part, int)]
    constant = sum(len(encoded(part)) for part in parts if isinstance(part, str))
    return constant + len(numbers) <= ROOM and all(0 <= number <= groups for number in numbers)


def _group(text: str, match: Match, number: int) -> str | None:
    if number == LAST:
        return next((group for group in reversed(match.groups()) if group is not None), None)
    if number < 0:
        begin, end = match.span()
        return {BEFORE: text[:begin], AFTER: text[end:], ALL: text}[number]
    return match.group(number) if number <= len(match.groups()) else None

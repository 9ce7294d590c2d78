"""The maps of characters of Unicode's normalization forms and of simple case folding.

They are what ICU's forms give for short strings, not the forms themselves: marks are never reordered. OpenVINO's maps
are of Unicode 14; those here are of the version of Python's ``unicodedata``, so that characters assigned later are
normalized too where it is newer.
"""

from __future__ import annotations

import functools
import itertools
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Literal

from irrun.kernels.text.charsmap import CharsMap, Replacements

Form = Literal["nfc", "nfd", "nfkc", "nfkd", "identity"]
_COMPOSED = ("nfc", "nfkc")
_NFC, _NFD = functools.partial(unicodedata.normalize, "NFC"), functools.partial(unicodedata.normalize, "NFD")
_NFKC, _NFKD = functools.partial(unicodedata.normalize, "NFKC"), functools.partial(unicodedata.normalize, "NFKD")
_NORMALIZED = {"nfc": (_NFC, _NFD), "nfd": (_NFD, _NFD), "nfkc": (_NFKC, _NFKD), "nfkd": (_NFKD, _NFKD)}
"""The normalization of a form, and the decomposition that belongs to it."""


@functools.cache
def map_of(form: Form, *, case_fold: bool) -> CharsMap:
    """Return the map of a form, followed by case folding."""
    found = {} if form == "identity" else _form(form)
    return CharsMap(Replacements(_folded(found) if case_fold else found))


def folded(character: str) -> str:
    """Return the simple case folding of a character, which is one character."""
    full = character.casefold()
    if len(full) == 1:
        return full
    lower = character.lower()
    return lower if len(lower) == 1 else character


def _points() -> Iterator[str]:
    """Yield all code points but NUL, surrogates and noncharacters."""
    for point in range(1, sys.maxunicode + 1):
        if not 0xD800 <= point < 0xE000 and not 0xFDD0 <= point < 0xFDF0 and point & 0xFFFE != 0xFFFE:
            yield chr(point)


def _form(form: Form) -> dict[str, str]:
    whole, decomposed = _NORMALIZED[form]
    keys: dict[str, str] = {}
    sources: dict[str, list[str]] = {}
    sequences: dict[str, None] = {}
    for character in _points():
        text, normal = decomposed(character), whole(character)
        if normal != character:
            keys[character] = normal
        if text == character:
            continue
        if len(text) == 1:
            sources.setdefault(text, [text]).append(character)
        else:
            sequences[text] = None
    if form in _COMPOSED:
        for sequence in sequences:
            normal = whole(sequence)
            if normal != sequence:
                for parts in itertools.product(*(sources.get(character, (character,)) for character in sequence)):
                    key = "".join(parts)
                    if key != normal:
                        keys[key] = normal
    return _reduced(keys)


def _folded(keys: Mapping[str, str]) -> dict[str, str]:
    found = {key: "".join(map(folded, text)) for key, text in keys.items()}
    for character in _points():
        if character not in found:
            lower = folded(character)
            if lower != character:
                found[character] = lower
    return _reduced(found)


def _reduced(keys: Mapping[str, str]) -> dict[str, str]:
    """Return the keys without those whose replacement the shorter ones give."""
    kept = {key: text for key, text in keys.items() if len(key) == 1}
    longest = max(map(len, keys), default=1)
    for size in range(2, longest + 1):
        shorter = dict(kept)
        for key, text in keys.items():
            if len(key) == size and _replaced(key, shorter, size - 1) != text:
                kept[key] = text
    return kept


def _replaced(text: str, keys: Mapping[str, str], most: int) -> str:
    found, at = [], 0
    while at < len(text):
        for size in range(min(most, len(text) - at), 0, -1):
            part = keys.get(text[at : at + size])
            if part is not None:
                found.append(part)
                at += size
                break
        else:
            found.append(text[at])
            at += 1
    return "".join(found)

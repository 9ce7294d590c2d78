"""Replacement of the longest keys of a map of characters, as SentencePiece normalizes text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SPACE, ESCAPED_SPACE = " ", "\u2581"
_INVALID: Final = dict.fromkeys(range(56448, 56576), "�")
_OFFSET, _WIDE, _LEAF, _LABEL = 10, 1 << 9, 1 << 8, 0x800000FF


class CharsMap:
    """Replacements of strings of characters. At each place of a text the longest key is replaced.

    Texts are decoded with ``surrogateescape``; bytes that are not UTF-8 become U+FFFD each. Strings that are ``kept``
    are found before all keys, and stay as they are.
    """

    def __init__(self, replacements: Mapping[str, str], kept: Collection[str] = ()) -> None:
        self._replacements: Final = replacements
        self._sizes: Final = _sizes(replacements)
        self._kept: Final = frozenset(kept)
        self._kept_sizes: Final = _sizes(self._kept)
        self._starts: Final = frozenset((*self._sizes, *map(chr, _INVALID)))
        is_single = not kept and all(len(key) == 1 or not key.isascii() for key in replacements)
        singles = {ord(key): text for key, text in replacements.items() if len(key) == 1 and key.isascii()}
        self._ascii: Final = singles if is_single else None

    def replaced(self, text: str) -> str:
        """Return the text with all keys replaced."""
        if self._ascii is not None and text.isascii():
            return text.translate(self._ascii) if self._ascii else text
        return text if self._starts.isdisjoint(text) and not self._kept else "".join(self.pieces(text))

    def pieces(self, text: str) -> Iterator[str]:
        """Yield the replacement of each key, and each character between them."""
        sizes, replacements = self._sizes, self._replacements
        at, end = 0, len(text)
        while at < end:
            character = text[at]
            kept = self._kept_at(text, at) if character in self._kept_sizes else ""
            size = len(kept) or 1
            found = kept or _INVALID.get(ord(character), character)
            for size_of_key in () if kept else sizes.get(character, ()):
                replacement = replacements.get(text[at : at + size_of_key])
                if replacement is not None:
                    found, size = replacement, min(size_of_key, end - at)
                    break
            yield found
            at += size

    def _kept_at(self, text: str, at: int) -> str:
        parts = (text[at : at + size] for size in self._kept_sizes[text[at]])
        return next((part for part in parts if part in self._kept), "")


def _sizes(keys: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return the lengths of keys by their first character, the longest first."""
    sizes: dict[str, set[int]] = {}
    for key in keys:
        sizes.setdefault(key[0], set()).add(len(key))
    return {first: tuple(sorted(found, reverse=True)) for first, found in sizes.items()}


class Normalizer(NamedTuple):
    """A map of characters, and what is done about spaces: of these, only U+0020 after replacement counts."""

    map: CharsMap
    add_dummy_prefix: bool = False
    remove_extra_whitespaces: bool = False
    escape_whitespaces: bool = False
    space_is_suffix: bool = False

    def normalized(self, text: str) -> str:
        """Return a text with its keys replaced and its spaces treated; nothing is added to an empty one."""
        space = ESCAPED_SPACE if self.escape_whitespaces else SPACE
        found = self._without_extra_spaces(text) if self.remove_extra_whitespaces else self.map.replaced(text)
        if found is None or not text:
            return ""
        if self.escape_whitespaces:
            found = found.replace(SPACE, ESCAPED_SPACE)
        if self.add_dummy_prefix and not self.space_is_suffix:
            found = space + found
        if self.remove_extra_whitespaces:
            found = found.rstrip(space)
        return found + space if self.add_dummy_prefix and self.space_is_suffix else found

    def _without_extra_spaces(self, text: str) -> str | None:
        """Return a text without spaces at the beginning, and with one in a row; None of one that is all spaces."""
        parts = []
        is_after_space, is_empty = True, True
        for piece in self.map.pieces(text):
            is_empty = is_empty and piece == SPACE
            part = piece.lstrip(SPACE) if is_after_space else piece
            if part:
                parts.append(part)
                is_after_space = part.endswith(SPACE)
        return None if is_empty else "".join(parts)


def compiled_map(data: bytes, kept: Collection[str] = ()) -> CharsMap:
    """Return the map that SentencePiece compiled; ValueError where it is not one.

    The size of a double array (Aoe, 1989) as u32, its units of 32 bits, and the replacements, each ended by a NUL. The
    value of a key is the offset of its replacement.
    """
    if not data:
        return CharsMap({}, kept)
    size = int.from_bytes(data[:4], "little")
    if len(data) < 4 or size % 4 or 4 + size > len(data) or size == 0:
        raise ValueError(f"a map of {len(data)} bytes does not have a double array of {size} bytes")
    units = np.frombuffer(data, "<u4", size // 4, 4)
    texts = data[4 + size :]
    replacements = {}
    for key, offset in _keys(units):
        end = texts.find(b"\0", offset)
        replacement = texts[offset : end if end >= 0 else len(texts)]
        replacements[key.decode("utf-8", "surrogateescape")] = replacement.decode("utf-8", "surrogateescape")
    return CharsMap(replacements, kept)


def _keys(units: Array) -> Iterator[tuple[bytes, int]]:
    """Yield the keys and values of a double array, by levels."""
    labels = np.arange(1, 256, dtype=np.int64)
    nodes = np.zeros(1, np.int64)
    prefixes = [b""]
    while len(nodes):
        unit = units[nodes].astype(np.int64)
        children = nodes ^ (unit >> _OFFSET) << ((unit & _WIDE) >> 6)
        is_leaf = ((unit & _LEAF) != 0) & (children < len(units))
        for index in np.nonzero(is_leaf)[0].tolist():
            yield prefixes[index], int(units[children[index]]) & 0x7FFFFFFF
        places = children[:, None] ^ labels
        is_inside = places < len(units)
        is_child = is_inside & ((units[np.where(is_inside, places, 0)] & _LABEL) == labels)
        parents, bytes_ = np.nonzero(is_child)
        nodes = places[parents, bytes_]
        prefixes = [
            prefixes[parent] + bytes((byte + 1,))
            for parent, byte in zip(parents.tolist(), bytes_.tolist(), strict=True)
        ]

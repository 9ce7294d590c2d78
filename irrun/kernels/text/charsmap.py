"""Replacement of the longest keys of a map of characters, as SentencePiece normalizes text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, Protocol

from irrun.kernels.text.double_array import DoubleArray

SPACE, ESCAPED_SPACE = " ", "\u2581"
_SPACES: Final = re.compile("  +")
_RUNS: Final = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")
_MOST_PAIRS: Final = 1 << 16
_INVALID: Final = dict.fromkeys(range(56448, 56576), "�")
_ASCII: Final = [chr(point) for point in range(1, 128)]


class Keys(Protocol):
    """The keys of a map. ``has_double_spaces`` tells whether a replacement has two spaces in a row."""

    has_double_spaces: bool

    def longest(self, text: str, at: int) -> tuple[str, int] | None:
        """Return the replacement of the longest key at a place, and the size of the key; None without one."""
        ...

    def begin_with(self, text: str) -> bool:
        """Return whether a key begins with a text."""
        ...


class Replacements:
    """The keys of a dictionary."""

    def __init__(self, replacements: Mapping[str, str]) -> None:
        self.by_key: Final = replacements
        self.has_double_spaces = any("  " in text for text in replacements.values())
        sizes: dict[str, set[int]] = {}
        for key in replacements:
            sizes.setdefault(key[0], set()).add(len(key))
        self._sizes: Final = {first: tuple(sorted(found, reverse=True)) for first, found in sizes.items()}
        self._second: Final = frozenset(key[:2] for key in replacements)

    def longest(self, text: str, at: int) -> tuple[str, int] | None:
        for size in self._sizes.get(text[at], ()):
            found = self.by_key.get(text[at : at + size])
            if found is not None:
                return found, min(size, len(text) - at)
        return None

    def begin_with(self, text: str) -> bool:
        return text in self._sizes or text in self._second


class Compiled:
    """The keys of a map that SentencePiece compiled; ValueError where the data are not one.

    It has the size of a double array, u32, its units, and the replacements, each ended by a NUL. The value of a key is
    the offset of its replacement.
    """

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:4], "little")
        if len(data) < 4 or size % 4 or 4 + size > len(data) or size == 0:
            raise ValueError(f"a map of {len(data)} bytes does not have a double array of {size} bytes")
        self._keys: Final = DoubleArray(data[4 : 4 + size])
        self._texts: Final = data[4 + size :]
        self.has_double_spaces = b"  " in self._texts

    def longest(self, text: str, at: int) -> tuple[str, int] | None:
        found = self._keys.longest(_bytes_of(character) for character in text[at:])
        if found is None:
            return None
        offset, size = found
        end = self._texts.find(b"\0", offset)
        replacement = self._texts[offset : end if end >= 0 else len(self._texts)]
        return replacement.decode("utf-8", "replace"), size

    def begin_with(self, text: str) -> bool:
        return self._keys.begin_with(_bytes_of(text))


class CharsMap:
    """Replacements of strings of characters. At each place of a text the longest key is replaced.

    Texts are decoded with ``surrogateescape``; bytes that are not UTF-8 become U+FFFD each. Strings that are ``kept``
    are found before all keys, and stay as they are.
    """

    def __init__(self, keys: Keys, kept: Collection[str] = ()) -> None:
        self.keys: Final = keys
        self._kept: Final = sorted(kept, key=len, reverse=True)
        self._kept_starts: Final = frozenset(text[0] for text in kept)
        self._starts: Final[set[str]] = {*self._kept_starts, *map(chr, _INVALID)}
        self._plain: Final[set[str]] = set()
        self._alone: Final[dict[str, tuple[str, int]]] = {}
        """What replaces the first of two characters with which no key begins."""

        has_pairs = any(
            keys.begin_with(first + second) for first in _ASCII if keys.begin_with(first) for second in _ASCII
        )
        singles = {ord(text): found[0] for text in _ASCII if (found := keys.longest(text, 0)) is not None}
        self._ascii: Final = None if has_pairs or kept else singles

    def is_plain(self, text: str) -> bool:
        """Return whether no key, and nothing that is kept, begins with a character of a text."""
        if not self._plain.issuperset(text):
            for character in set(text) - self._plain - self._starts:
                (self._starts if self.keys.begin_with(character) else self._plain).add(character)
        return self._starts.isdisjoint(text)

    def replaced(self, text: str) -> str:
        """Return the text with all keys replaced."""
        if self._ascii is not None and text.isascii():
            return text.translate(self._ascii) if self._ascii else text
        if self.is_plain(text):
            return text
        if self._ascii is None:
            return "".join(self.pieces(text))
        return "".join(self._runs(text, self._ascii))

    def _runs(self, text: str, ascii: Mapping[int, str]) -> Iterator[str]:
        """Yield the replacements of runs of characters: no key has two of ASCII at its beginning."""
        at = 0
        for run in _RUNS.finditer(text):
            begin, end = max(run.start(), at), run.end()
            if begin >= end:
                continue
            if text[begin] < "\x80":
                if end < len(text) and text[end - 1] in self._starts:
                    end -= 1
                at = end
                yield text[begin:end].translate(ascii)
                begin, end = end, run.end()
            for piece, size in self._steps(text, begin, end):
                at += size
                yield piece

    def pieces(self, text: str) -> Iterator[str]:
        """Yield the replacement of each key, and each character between them."""
        self.is_plain(text)
        return (piece for piece, _ in self._steps(text, 0, len(text)))

    def _steps(self, text: str, at: int, end: int) -> Iterator[tuple[str, int]]:
        """Yield pieces, and the number of characters that they replace, up to a place at least."""
        starts = self._starts
        while at < end:
            character = text[at]
            if character in starts:
                kept = self._kept_at(text, at) if character in self._kept_starts else ""
                found = (kept, len(kept)) if kept else self._key_at(text, at)
            else:
                found = character, 1
            yield found
            at += found[1]

    def _key_at(self, text: str, at: int) -> tuple[str, int]:
        """Return the replacement of the longest key at a place, else the character there, and the size of either."""
        pair = text[at : at + 2]
        found = self._alone.get(pair)
        if found is None:
            found = self.keys.longest(text, at)
            if found is None:
                found = _INVALID.get(ord(pair[0]), pair[0]), 1
            if not self.keys.begin_with(pair):
                if len(self._alone) >= _MOST_PAIRS:
                    self._alone.clear()
                self._alone[pair] = found
        return found

    def _kept_at(self, text: str, at: int) -> str:
        return next((kept for kept in self._kept if text.startswith(kept, at)), "")


def compiled_map(data: bytes, kept: Iterable[str] = ()) -> CharsMap:
    """Return the map that SentencePiece compiled, or one without keys of no data; ValueError where it is malformed."""
    return CharsMap(Compiled(data) if data else Replacements({}), tuple(kept))


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


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
        if not self.map.keys.has_double_spaces:
            found = _SPACES.sub(SPACE, self.map.replaced(text)).lstrip(SPACE)
            if found:
                return found
        parts = []
        is_after_space, is_empty = True, True
        for piece in self.map.pieces(text):
            is_empty = is_empty and piece == SPACE
            part = piece.lstrip(SPACE) if is_after_space else piece
            if part:
                parts.append(part)
                is_after_space = part.endswith(SPACE)
        return None if is_empty else "".join(parts)

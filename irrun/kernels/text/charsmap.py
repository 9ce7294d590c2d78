"""Replacement of the longest keys of a map of characters, as SentencePiece normalizes text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from irrun.kernels.text.characters import CharacterMap, CharacterSet
from irrun.kernels.text.double_array import DoubleArray
from irrun.kernels.text.kept import Remembered
from irrun.kernels.text.strings import encoded

SPACE, ESCAPED_SPACE = " ", "\u2581"
_DOUBLE_SPACE: Final = "  "
_SPACES: Final = re.compile("  +")
_INVALID: Final = {chr(point): "\ufffd" for point in range(0xDC80, 0xDD00)}


class Keys(Protocol):
    """The keys of a map. ``has_double_spaces`` tells whether a replacement has two spaces in a row."""

    has_double_spaces: bool

    def longest(self, text: str, at: int) -> tuple[str, int] | None:
        """Return the replacement of the longest key at a place, and the size of the key; None without one."""
        ...

    def after_first(self) -> set[str]:
        """Return the characters that keys have after their first one."""
        ...


class Replacements:
    """The keys of a dictionary."""

    def __init__(self, replacements: Mapping[str, str]) -> None:
        self.by_key: Final = replacements
        self.has_double_spaces: bool = any("  " in text for text in replacements.values())
        sizes: dict[str, set[int]] = {}
        for key in replacements:
            sizes.setdefault(key[0], set()).add(len(key))
        self._sizes: Final = {first: tuple(sorted(found, reverse=True)) for first, found in sizes.items()}

    def longest(self, text: str, at: int) -> tuple[str, int] | None:
        for size in self._sizes.get(text[at], ()):
            found = self.by_key.get(text[at : at + size])
            if found is not None:
                return found, min(size, len(text) - at)
        return None

    def after_first(self) -> set[str]:
        return set().union(*(key[1:] for key in self.by_key if len(key) > 1))


class CompiledMap:
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
        self.has_double_spaces: bool = b"  " in self._texts

    def longest(self, text: str, at: int) -> tuple[str, int] | None:
        found = self._keys.longest(encoded(character) for character in text[at:])
        if found is None:
            return None
        offset, size = found
        end = self._texts.find(b"\0", offset)
        replacement = self._texts[offset : end if end >= 0 else len(self._texts)]
        return replacement.decode("utf-8", "replace"), size

    def after_first(self) -> set[str]:
        return {text.decode("utf-8", "replace") for text in self._keys.characters_after_first()}


class CharsMap:
    """Replacements of strings of characters. At each place of a text the longest key is replaced.

    Texts are decoded with ``surrogateescape``; bytes that are not UTF-8 become U+FFFD each. Strings that are ``kept``
    are found before all keys, and stay as they are.
    """

    def __init__(self, keys: Keys, kept: Collection[str] = ()) -> None:
        self.keys: Final = keys
        self.has_double_spaces: Final = keys.has_double_spaces or any(_DOUBLE_SPACE in text for text in kept)
        """True if a replacement, or what is kept, has two spaces in a row."""

        self._kept: Final = sorted(kept, key=len, reverse=True)
        self._kept_starts: Final = frozenset(text[0] for text in kept)
        self._characters: Final = CharacterMap(lambda character: self._step(character, 0)[0])
        inner = keys.after_first()
        self._is_simple: Final = self._kept_starts.isdisjoint(inner)
        self._starts: Final = CharacterSet((inner | self._kept_starts).__contains__)
        sequences = [*map(re.escape, self._kept), *([f"(?s:.)[{''.join(map(re.escape, inner))}]+"] if inner else [])]
        self._sequences: Final = re.compile("|".join(sequences)) if sequences else None
        """Kept characters, or a character with others with which a key may go on."""
        self._known: Final = Remembered(self._sequence)

    def replaced(self, text: str) -> str:
        """Return the text with all keys replaced."""
        return self.replaced_each([text])[0]

    def replaced_each(self, texts: Sequence[str]) -> list[str]:
        """Return texts with all keys replaced."""
        if self._sequences is None or not self._starts.in_text("".join(texts)).any():
            return self._characters.replaced_each(texts)
        if self._is_simple:
            return [*map(self._with_sequences, texts)]
        return ["".join(self.pieces(text)) for text in texts]

    def _with_sequences(self, text: str) -> str:
        found: list[str] = []
        at = 0
        for match in () if self._sequences is None else self._sequences.finditer(text):
            begin, end = match.span()
            found += (self._characters.replaced(text[at:begin]), self._known[encoded(text[begin:end])])
            at = end
        return "".join((*found, self._characters.replaced(text[at:])))

    def _sequence(self, text: bytes) -> str:
        return "".join(self.pieces(text.decode("utf-8", "surrogateescape")))

    def pieces(self, text: str) -> Iterator[str]:
        """Yield the replacement of each key, and each character between them."""
        at = 0
        while at < len(text):
            piece, size = self._step(text, at)
            yield piece
            at += size

    def _step(self, text: str, at: int) -> tuple[str, int]:
        """Return what replaces the longest key at a place, or the character there, and the size of either."""
        if text[at] in self._kept_starts:
            kept = next((kept for kept in self._kept if text.startswith(kept, at)), "")
            if kept:
                return kept, len(kept)
        found = self.keys.longest(text, at)
        return found if found is not None else (_INVALID.get(text[at], text[at]), 1)


def compiled_map(data: bytes, kept: Iterable[str] = ()) -> CharsMap:
    """Return the map that SentencePiece compiled, or one without keys of no data; ValueError where it is malformed."""
    return CharsMap(CompiledMap(data) if data else Replacements({}), tuple(kept))


class Normalizer(NamedTuple):
    """A map of characters, and what is done about spaces: of these, only U+0020 after replacement counts."""

    map: CharsMap
    add_dummy_prefix: bool = False
    remove_extra_whitespaces: bool = False
    escape_whitespaces: bool = False
    space_is_suffix: bool = False

    def normalized(self, text: str) -> str:
        """Return a text with its keys replaced and its spaces treated; nothing is added to an empty one."""
        return self.normalized_each([text])[0]

    def normalized_each(self, texts: Sequence[str]) -> list[str]:
        """Return texts with their keys replaced and their spaces treated."""
        if not any(self[1:]):
            return [*self.map.replaced_each(texts)]
        found: Sequence[str | None] = [None] * len(texts)
        if not self.remove_extra_whitespaces or not self.map.has_double_spaces:
            found = self.map.replaced_each(texts)
        return [self._spaced(text, replaced) for text, replaced in zip(texts, found, strict=True)]

    def _spaced(self, text: str, replaced: str | None) -> str:
        """Return a text with its spaces treated, from the text with its keys replaced where these suffice."""
        space = ESCAPED_SPACE if self.escape_whitespaces else SPACE
        if self.remove_extra_whitespaces:
            if replaced is not None:
                replaced = (_SPACES.sub(SPACE, replaced) if _DOUBLE_SPACE in replaced else replaced).lstrip(SPACE)
            replaced = replaced or self._without_extra_spaces(text)
        if replaced is None or not text:
            return ""
        if self.escape_whitespaces:
            replaced = replaced.replace(SPACE, ESCAPED_SPACE)
        if self.add_dummy_prefix and not self.space_is_suffix:
            replaced = space + replaced
        if self.remove_extra_whitespaces:
            replaced = replaced.rstrip(space)
        return replaced + space if self.add_dummy_prefix and self.space_is_suffix else replaced

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

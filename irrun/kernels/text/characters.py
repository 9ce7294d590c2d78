"""Characters that are replaced, or found, one by one, whatever stands around them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from irrun.kernels.text.strings import utf32

Array = NDArray[Any]

_POINTS: Final = 0x110000
_SEPARATORS: Final = "\0\x1f~`|^"
"""Characters that stand between texts, if no text has them."""
_FEW: Final = 8
"""The number of different characters up to which they are replaced one after the other."""


class CharacterSet:
    """Characters for which a function is true. It is asked once for each character, at first for all of ASCII."""

    def __init__(self, contains: Callable[[str], bool]) -> None:
        self._contains: Final = contains
        self._known: Final = np.zeros(_POINTS, np.int8)
        """1 for a character of the set, -1 for another one, 0 for one that was not asked for yet."""

    @functools.cached_property
    def _ascii(self) -> bytes:
        """1 for each character of ASCII in the set, 0 for others."""
        return bytes(self._contains(chr(point)) for point in range(128)).ljust(256, b"\0")

    def in_text(self, text: str) -> Array:
        """Return which characters of a text are in the set."""
        if text.isascii():
            return np.frombuffer(text.encode("ascii").translate(self._ascii), np.bool_)
        return self._has(utf32(text))

    def _has(self, points: Array) -> Array:
        """Return which code points are in the set."""
        found = self._known[points]
        unknown = points[found == 0]
        if unknown.size:
            for point in set(unknown.tolist()):
                self._known[point] = 1 if self._contains(chr(point)) else -1
            found = self._known[points]
        return found > 0


class CharacterMap(dict[int, str | None]):
    """The replacements of characters, by code point; None for nothing. They are computed when needed."""

    def __init__(self, replacement: Callable[[str], str]) -> None:
        super().__init__()
        self._replacement: Final = replacement
        self._changed: Final = CharacterSet(lambda character: replacement(character) != character)

    def __missing__(self, point: int) -> str | None:
        found = self[point] = self._replacement(chr(point)) or None
        return found

    def changes(self, text: str) -> bool:
        """Return whether a character of a text is replaced by another one."""
        return bool(self._changed.in_text(text).any())

    def replaced(self, text: str) -> str:
        """Return a text with each character replaced."""
        points = np.frombuffer(text.encode(), np.uint8) if text.isascii() else utf32(text)
        changed = {chr(point): self[point] or "" for point in set(points[self._changed.in_text(text)].tolist())}
        if len(changed) > _FEW or (len(changed) > 1 and not changed.keys().isdisjoint("".join(changed.values()))):
            return text.translate(self)
        for character, replacement in changed.items():
            text = text.replace(character, replacement)
        return text

    def replaced_each(self, texts: Sequence[str]) -> list[str]:
        """Return texts with each character replaced. Those of ASCII are replaced apart from others, which is faster."""
        if "".join(texts).isascii():
            return self._replaced_each(texts)
        plain = [text for text in texts if text.isascii()]
        found = iter(self._replaced_each(plain))
        others = iter(self._replaced_each([text for text in texts if not text.isascii()]))
        return [next(found if text.isascii() else others) for text in texts]

    def _replaced_each(self, texts: Sequence[str]) -> list[str]:
        for separator in _SEPARATORS if texts else ():
            joined = separator.join(texts)
            if joined.count(separator) == len(texts) - 1 and self[ord(separator)] == separator:
                found = self.replaced(joined).split(separator)
                if len(found) == len(texts):
                    return found
        return [self.replaced(text) for text in texts]

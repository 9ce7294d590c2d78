"""WordPiece: the longest token at the beginning of a word, then the longest continuations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from irrun.kernels.text.longest import LongestMatch

MOST_WORDS: Final = 1 << 17
"""The number of words whose tokens are remembered."""


class WordPieces:
    """Encodes words. Tokens that begin with the indicator are continuations; the last of equal tokens counts."""

    def __init__(self, tokens: Sequence[bytes], indicator: bytes) -> None:
        begin = len(indicator)
        self._first: Final = LongestMatch(
            {token: id for id, token in enumerate(tokens) if not token.startswith(indicator)}
        )
        self._next: Final = LongestMatch(
            {token[begin:]: id for id, token in enumerate(tokens) if token.startswith(indicator)}
        )
        self._known: Final[dict[bytes, tuple[int, ...] | None]] = {}

    def encode(self, word: bytes) -> tuple[int, ...] | None:
        """Return the ids of a word; None where it is no sequence of tokens."""
        known = self._known
        if word in known:
            return known[word]
        found = self._encode(word)
        if len(known) >= MOST_WORDS:
            known.clear()
        known[word] = found
        return found

    def first(self, text: bytes) -> tuple[int, ...] | None:
        """Return the id of the longest token at the beginning of a text; None where there is none."""
        token = self._first.at(text, 0)
        return None if token is None else token[:1]

    def _encode(self, word: bytes) -> tuple[int, ...] | None:
        token = self._first.at(word, 0)
        found = []
        while token is not None:
            id, at = token
            found.append(id)
            if at == len(word):
                return tuple(found)
            token = self._next.at(word, at)
        return None

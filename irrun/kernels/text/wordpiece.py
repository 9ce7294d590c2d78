"""WordPiece: the longest token at the beginning of a word, then the longest continuations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from irrun.kernels.text.longest import LongestMatch
from irrun.kernels.text.word_ids import WordIds


class WordPieces:
    """Encodes words. Tokens that begin with the indicator are continuations; the last of equal tokens counts.

    A word that is no sequence of tokens, or has more than ``longest`` bytes, is the unknown token.
    """

    def __init__(self, tokens: Sequence[bytes], indicator: bytes, unknown: int, longest: int) -> None:
        begin = len(indicator)
        self._first: Final = LongestMatch(
            {token: id for id, token in enumerate(tokens) if not token.startswith(indicator)}
        )
        self._next: Final = LongestMatch(
            {token[begin:]: id for id, token in enumerate(tokens) if token.startswith(indicator)}
        )
        self._unknown: Final = (unknown,)
        self._longest: Final = longest
        self.ids: Final = WordIds(self._encode)
        """The ids of each word."""

    def first(self, text: bytes) -> int:
        """Return the id of the longest token at the beginning of a text, or the unknown one."""
        token = self._first.at(text, 0) if self._longest >= 0 else None
        return self._unknown[0] if token is None else token[0]

    def _encode(self, word: bytes) -> tuple[int, ...]:
        if len(word) > self._longest:
            return self._unknown
        token = self._first.at(word, 0)
        found = []
        while token is not None:
            id, at = token
            found.append(id)
            if at == len(word):
                return tuple(found)
            token = self._next.at(word, at)
        return self._unknown

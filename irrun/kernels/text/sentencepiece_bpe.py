"""Byte pair encoding by the scores of pieces, as SentencePiece does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain
from typing import Final

from irrun.kernels.text.kept import Remembered
from irrun.kernels.text.segments import Cuts
from irrun.kernels.text.sentencepiece_model import NORMAL, UNUSED, USER_DEFINED, ScoredPiece


class ScoredPairs:
    """Encodes texts: adjacent parts are joined to the piece of the highest score, of equal ones to the leftmost.

    Pieces of users are found first, and joined to nothing. Pieces that are unused are taken apart again.
    """

    def __init__(
        self, pieces: Sequence[ScoredPiece], ids: Mapping[bytes, int], unknown: int, own: Collection[str]
    ) -> None:
        self._ids: Final = ids
        self._unknown: Final = unknown
        self._scores: Final = {
            piece.text.decode("utf-8", "surrogateescape"): piece.score
            for piece in pieces
            if piece.kind in (NORMAL, USER_DEFINED, UNUSED)
        }
        self._unused: Final = frozenset(piece.text.decode() for piece in pieces if piece.kind == UNUSED)
        self._own: Final = sorted(own, key=len, reverse=True)
        self._own_starts: Final = frozenset(text[0] for text in own)
        self._cuts: Final = Cuts(ids)
        self._parts: Final = Remembered(lambda part: self._encode(part.decode()))

    def encode(self, text: bytes) -> list[int]:
        """Return the ids of a text; a part that is not a piece is the unknown one."""
        return [*chain.from_iterable(map(self._parts.__getitem__, self._cuts.parts(text)))]

    def characters(self, text: str) -> list[str]:
        """Return the pieces of users in a text, and the characters between them."""
        if self._own_starts.isdisjoint(text):
            return list(text)
        found, at = [], 0
        while at < len(text):
            own = () if text[at] not in self._own_starts else self._own
            part = next((item for item in own if text.startswith(item, at)), text[at])
            found.append(part)
            at += len(part)
        return found

    def drawn(self, text: str, skips: Callable[[], bool]) -> list[int]:
        """Return the ids of a text; ``skips`` tells of each pair whether it is not joined."""
        return self._encode(text, skips)

    def _encode(self, text: str, skips: Callable[[], bool] | None = None) -> list[int]:
        parts = self.characters(text)
        frozen = [len(part) > 1 or (part in self._own_starts and part in self._own) for part in parts]
        scores = self._scores
        made_of: dict[str, tuple[str, str]] = {}
        following = [*range(1, len(parts)), -1]
        before = list(range(-1, len(parts) - 1))
        heap: list[tuple[float, int, int, int]] = []

        def push(left: int, right: int) -> None:
            if left < 0 or right < 0 or frozen[left] or frozen[right]:
                return
            joined = parts[left] + parts[right]
            score = scores.get(joined)
            if score is not None:
                heappush(heap, (-score, left, right, len(joined)))
                if joined in self._unused:
                    made_of[joined] = parts[left], parts[right]

        for right in range(1, len(parts)):
            push(right - 1, right)
        while heap:
            _, left, right, size = heappop(heap)
            if not parts[left] or not parts[right] or len(parts[left]) + len(parts[right]) != size:
                continue
            if skips is not None and skips():
                continue
            parts[left] += parts[right]
            parts[right] = ""
            after = following[left] = following[right]
            if after >= 0:
                before[after] = left
            push(before[left], left)
            push(left, after)
        return [id for part in parts if part for id in self._resolved(part, made_of)]

    def _resolved(self, part: str, made_of: Mapping[str, tuple[str, str]]) -> list[int]:
        """Return the id of a part, or those of what an unused one was made of."""
        if part in made_of:
            return [id for half in made_of[part] for id in self._resolved(half, made_of)]
        return [self._ids.get(part.encode(), self._unknown)]

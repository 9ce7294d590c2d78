"""Byte pair encoding (Sennrich et al., 2016), from the longest tokens that no merge makes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise
from typing import Final

from irrun.kernels.text.kept import Remembered
from irrun.kernels.text.longest import LongestMatch
from irrun.kernels.text.segments import Cuts
from irrun.kernels.text.word_ids import WordIds

_NEVER: Final = (sys.maxsize, -1)
"""The rank of two tokens that are not merged."""
_MANY: Final = 64
"""The number of tokens above which a heap finds the next merge faster than a search."""
_LONG: Final = 32
"""The bytes from which on a word is cut."""


class BytePairEncoder:
    """Encodes words.

    ``merges`` are pairs of tokens, the first one merged first; the pair and its concatenation must be in ``tokens``,
    or a ValueError names them. Where no token begins, one byte is read: as its ``<0xNN>`` token with ``byte_fallback``,
    else as the unknown token, else not at all.
    """

    def __init__(
        self,
        tokens: Mapping[bytes, int],
        merges: Iterable[tuple[bytes, bytes]],
        *,
        unknown: bytes = b"",
        end_suffix: bytes = b"",
        byte_fallback: bool = False,
    ) -> None:
        self._merges: Final[dict[tuple[int, int], tuple[int, int]]] = {}
        made = set()
        for rank, (left, right) in enumerate(merges):
            missing = next((part for part in (left, right, left + right) if part not in tokens), None)
            if missing is not None:
                raise ValueError(f"merge {rank} needs {missing!r}, which is not in the vocabulary")
            self._merges[tokens[left], tokens[right]] = rank, tokens[left + right]
            made.add(left + right)
        self._first: Final = LongestMatch({token: id for token, id in tokens.items() if token not in made})
        self._suffix: Final = end_suffix
        other = tokens.get(unknown)
        self._instead: Final = dict.fromkeys(range(256), other)
        if byte_fallback:
            named = {byte: f"<0x{byte:02X}>".encode() for byte in range(256)}
            self._instead.update({byte: tokens[name] for byte, name in named.items() if name in self._first.ids})
        single = {token[0]: id for token, id in self._first.ids.items() if len(token) == 1}
        self._single: Final = {byte: single.get(byte, other) for byte, other in self._instead.items()}
        self._starts: Final = frozenset(token[0] for token in self._first.ids if len(token) > 1)
        """The bytes with which longer tokens begin."""
        replaced = set(self._instead.values())
        in_merges = {id for pair in self._merges for id in pair}
        self._cuts: Final = None if replaced & in_merges else Cuts(tokens)
        self._parts: Final = Remembered(self._part)
        self.ids: Final = WordIds(self._encode)
        """The ids of each word."""

    def _encode(self, word: bytes) -> tuple[int, ...]:
        text = word + self._suffix
        if len(text) < _LONG or self._cuts is None:
            return self._part(text)
        return tuple(chain.from_iterable(map(self._parts.__getitem__, self._cuts.parts(text))))

    def _part(self, text: bytes) -> tuple[int, ...]:
        return tuple(self._merged(self._symbols(text)))

    def _symbols(self, text: bytes) -> list[int]:
        if self._starts.isdisjoint(text):
            return [id for byte in text if (id := self._single[byte]) is not None]
        found: list[int] = []
        at, size = 0, len(text)
        while at < size:
            token = self._first.at(text, at)
            if token is not None:
                id, at = token
                found.append(id)
                continue
            other = self._instead[text[at]]
            if other is not None:
                found.append(other)
            at += 1
        return found

    def _merged(self, ids: list[int]) -> list[int]:
        """Merge pairs, the lowest rank first; of the same rank the pair that was found first."""
        if len(ids) > _MANY:
            return self._merged_in_order(ids)
        merges = self._merges
        found = [*ids]
        ranked = [merges.get(pair, _NEVER) for pair in pairwise(ids)]
        while ranked:
            merge = min(ranked)
            if merge is _NEVER:
                return found
            if ranked.count(merge) > 1:
                return self._merged_in_order(ids)
            at = ranked.index(merge)
            found[at : at + 2] = (merge[1],)
            del ranked[at]
            if at:
                ranked[at - 1] = merges.get((found[at - 1], merge[1]), _NEVER)
            if at < len(ranked):
                ranked[at] = merges.get((merge[1], found[at + 1]), _NEVER)
        return found

    def _merged_in_order(self, ids: list[int]) -> list[int]:
        """Merge pairs of which some have the same rank, or of many tokens."""
        merges = self._merges
        heap = [
            (merge[0], entry, entry, entry + 1, merge[1])
            for entry, pair in enumerate(pairwise(ids))
            if (merge := merges.get(pair)) is not None
        ]
        if not heap:
            return ids
        heapify(heap)
        following = [*range(1, len(ids)), -1]
        before = list(range(-1, len(ids) - 1))
        alive = [True] * len(ids)
        entry = len(ids) - 1
        while heap:
            _, _, left, right, made = heappop(heap)
            if not (alive[left] and alive[right]):
                continue
            at, previous, after = len(ids), before[left], following[right]
            ids.append(made)
            alive.append(True)
            before.append(previous)
            following.append(after)
            alive[left] = alive[right] = False
            entry += 1
            if previous >= 0:
                following[previous] = at
                merge = merges.get((ids[previous], made))
                if merge is not None:
                    heappush(heap, (merge[0], entry, previous, at, merge[1]))
            if after >= 0:
                before[after] = at
                merge = merges.get((made, ids[after]))
                if merge is not None:
                    heappush(heap, (merge[0], entry, at, after, merge[1]))
        at = next(index for index, is_alive in enumerate(alive) if is_alive and before[index] < 0)
        found = []
        while at >= 0:
            found.append(ids[at])
            at = following[at]
        return found

"""The unigram language model (Kudo, 2018): the tokens of the greatest sum of scores, by Viterbi's algorithm."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from irrun.kernels.text.kept import Remembered
from irrun.kernels.text.longest import LongestMatch
from irrun.kernels.text.segments import Cuts
from irrun.kernels.text.utf8 import WIDTHS

PENALTY: Final = 10
"""The distance of the score of an unknown character below the least score."""


class _Part(NamedTuple):
    """The tokens of a part of a text, the largest score on the way, and by how much each decision was won at least."""

    ids: tuple[int, ...]
    score: float
    margin: float


class Unigrams:
    """Encodes texts. A character that is not a token is an unknown one, with the score ``penalty``.

    Scores are summed in float32 from the beginning of a text. ``rounds_first`` tells whether the sum with a token is
    rounded before, or after it is compared with the best one so far; that with an unknown one is rounded before.
    """

    def __init__(
        self, tokens: Mapping[bytes, int], scores: Sequence[float], unknown: int, penalty: float, *, rounds_first: bool
    ) -> None:
        self._tokens: Final = LongestMatch(tokens)
        self._scores: Final = scores
        self._unknown: Final = unknown
        self._penalty: Final = penalty
        self._rounds_first: Final = rounds_first
        self._cuts: Final = Cuts(tokens)
        self._parts: Final = Remembered(self._part)

    def encode(self, text: bytes) -> list[int]:
        """Return the ids of a text."""
        parts = [*map(self._parts.__getitem__, self._cuts.parts(text))]
        # Where each decision was won by more than the rounding errors of sums of float32, these decide the same.
        largest = sum([part.score for part in parts])
        if min([part.margin for part in parts]) <= largest * 2.0**-21 * max([len(part.ids) for part in parts]):
            return self._exact(text)
        return [*chain.from_iterable([part.ids for part in parts])]

    def steps(self, text: bytes, at: int) -> tuple[list[tuple[int, int, float]], int]:
        """Return the id, end and score of each token at a place, and the place of the next character."""
        after = min(at + WIDTHS[text[at] >> 4], len(text))
        scores = self._scores
        found = [(id, end, scores[id]) for id, end in self._tokens.prefixes(text, at)]
        for _, end, _ in found:
            if end == after:
                return found, after
        found.append((self._unknown, after, self._penalty))
        return found, after

    def _part(self, text: bytes) -> _Part:
        size = len(text)
        best = [-math.inf] * (size + 1)
        came: list[tuple[int, int]] = [(0, 0)] * (size + 1)
        best[0] = largest = 0.0
        margin = nothing = math.inf
        ids, scores, ascending = self._tokens.ids, self._scores, self._tokens.ascending
        at = 0
        while at < size:
            so_far = best[at]
            if abs(so_far) > largest:
                largest = abs(so_far)
            after = min(at + WIDTHS[text[at] >> 4], size)
            is_known = False
            for length in ascending(text[at : at + 2]):
                end = at + length
                if end > size:
                    break
                id = ids.get(text[at:end])
                if id is None:
                    continue
                is_known = is_known or end == after
                total, before = so_far + scores[id], best[end]
                if before != -nothing and abs(total - before) < margin:
                    margin = abs(total - before)
                if total > before:
                    best[end], came[end] = total, (at, id)
            if not is_known:
                total, before = so_far + self._penalty, best[after]
                if before != -nothing and abs(total - before) < margin:
                    margin = abs(total - before)
                if total > before:
                    best[after], came[after] = total, (at, self._unknown)
            at = after
        return _Part(tuple(_backwards(came, size)), max(largest, abs(best[size])), margin)

    def _exact(self, text: bytes) -> list[int]:
        """Return the ids, with the sums of float32 that decide between equal or nearly equal paths."""
        size = len(text)
        best = [math.nan] * (size + 1)
        came: list[tuple[int, int]] = [(0, 0)] * (size + 1)
        best[0] = 0.0
        rounds_first, unknown, at = self._rounds_first, self._unknown, 0
        while at < size:
            so_far = best[at]
            steps, after = self.steps(text, at)
            for id, end, score in steps:
                total = so_far + score
                rounded = float(np.float32(total))
                if not (rounded if rounds_first or id == unknown else total) <= best[end]:
                    best[end], came[end] = rounded, (at, id)
            at = after
        return _backwards(came, size)


def _backwards(came: list[tuple[int, int]], at: int) -> list[int]:
    found = []
    while at > 0:
        at, id = came[at]
        found.append(id)
    return found[::-1]


def of_openvino(tokens: Sequence[bytes], scores: NDArray[Any], unknown: int) -> Unigrams:
    """Return the model of tokens and their scores, float32; of equal tokens the first counts."""
    ids = {token: id for id, token in reversed(list(enumerate(tokens)))}
    penalty = np.min(scores, initial=np.finfo(np.float32).max) - np.float32(PENALTY)
    return Unigrams(ids, scores.tolist(), unknown, float(penalty), rounds_first=True)


def without_repeated(ids: list[int], unknown: int) -> list[int]:
    """Return ids without unknown ones before others; of the id -1 the last one is left out too, as OpenVINO does."""
    if unknown not in ids:
        return ids
    return [id for id, after in zip(ids, [*ids[1:], -1], strict=True) if id != unknown or after != unknown]

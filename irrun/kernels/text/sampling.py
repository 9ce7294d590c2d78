"""Draws of encodings by a model of SentencePiece."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from irrun.kernels.text.sentencepiece import SentencePiece
from irrun.kernels.text.unigram import Unigrams

MOST_BEST: Final = 512
"""The largest number of best encodings."""


def sampled(model: SentencePiece, nbest_size: int, alpha: float, normal: bytes) -> list[int]:
    """Draw an encoding of a normalized text: one of the ``nbest_size`` best, or of all if it is negative.

    The probability of an encoding is proportional to exp(``alpha`` score). In a model of byte pairs ``alpha`` is the
    probability with which each merge is skipped. ValueError for models of words and characters, and above 512.
    """
    if nbest_size > MOST_BEST:
        raise ValueError(f"nbest_size is {nbest_size}, expected <= {MOST_BEST}")
    if not normal:
        return []
    draw = np.random.default_rng()
    if model.unigrams is None:
        if not model.is_of_pairs:
            raise ValueError(f"the model draws no encodings, expected nbest_size 0 or 1, not {nbest_size}")
        return model.finished(normal, model.pairs.drawn(normal.decode(), lambda: draw.random() < alpha))
    if nbest_size < 0:
        return model.finished(normal, _of_all(model.unigrams, normal, alpha, draw))
    best = _best(model.unigrams, normal, nbest_size)
    weights = np.exp(alpha * np.array([score - best[0][0] for score, _ in best]))
    return model.finished(normal, best[draw.choice(len(best), p=weights / weights.sum())][1])


def _of_all(unigrams: Unigrams, text: bytes, alpha: float, draw: np.random.Generator) -> list[int]:
    """Draw one of all encodings: sums of probabilities forwards, choices backwards."""
    incoming: dict[int, list[tuple[int, int, float]]] = {}
    total, at = {0: 0.0}, 0
    while at < len(text):
        steps, after = unigrams.steps(text, at)
        for id, end, score in steps:
            weight = total[at] + alpha * score
            incoming.setdefault(end, []).append((at, id, weight))
            total[end] = float(np.logaddexp(total.get(end, -math.inf), weight))
        at = after
    found = []
    while at > 0:
        choices = incoming[at]
        weights = np.exp([weight - total[at] for _, _, weight in choices])
        at, id, _ = choices[draw.choice(len(choices), p=weights / weights.sum())]
        found.append(id)
    return found[::-1]


def _best(unigrams: Unigrams, text: bytes, count: int) -> list[tuple[float, list[int]]]:
    """Return the best encodings with their scores, the best one first."""
    best: dict[int, list[tuple[float, int, int, int]]] = {0: [(0.0, 0, 0, 0)]}
    at = 0
    while at < len(text):
        best[at] = sorted(best.get(at, ()), key=lambda entry: -entry[0])[:count]
        steps, after = unigrams.steps(text, at)
        for rank, (so_far, *_) in enumerate(best[at]):
            for id, end, score in steps:
                best.setdefault(end, []).append((so_far + score, at, rank, id))
        at = after
    found = []
    for score, place, rank, id in sorted(best[at], key=lambda entry: -entry[0])[:count]:
        ids = [id]
        while place > 0:
            _, place, rank, id = best[place][rank]
            ids.append(id)
        found.append((score, ids[::-1]))
    return found

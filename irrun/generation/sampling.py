"""Chooses the next token from scores."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from irrun.generation.config import GenerationConfig
from irrun.generation.errors import GenerationError
from irrun.generation.penalties import Penalties
from irrun.tensor import Array

_FEW: Final = 256
"""The number of likeliest tokens that are sorted first, to find those that make up a probability."""


class Candidates(NamedTuple):
    """The tokens that may be drawn, and weights that are proportional to their probabilities, both [tokens]."""

    tokens: Array
    weights: Array


class Sampler:
    """Chooses the tokens of one text, whose earlier tokens it knows. Equal seeds and numbers draw equal tokens."""

    def __init__(self, config: GenerationConfig, prompt: Array, number: int = 0) -> None:
        self._config = config
        self._penalties = Penalties(config, prompt)
        self._draws = np.random.default_rng([config.rng_seed, number]) if config.do_sample else None

    def choose(self, scores: Array) -> tuple[int, float]:
        """Return the next token and the logarithm of its probability, from scores of shape [vocabulary].

        The logarithm is 0 where the settings do not ask for it. GenerationError where no token is possible.
        """
        adjusted = self._penalties.applied(scores)
        token = int(adjusted.argmax())
        if not adjusted[token] > -np.inf:
            raise GenerationError(
                "the scores of the next token are NaN or minus infinity, expected one that is possible"
            )
        if self._draws is not None:
            token = drawn(candidates(adjusted, self._config), self._draws.random())
        score = _log_probability(adjusted, token) if self._config.logprobs else 0.0
        self.add(token)
        return token, score

    def add(self, token: int) -> None:
        """Record that a token was chosen."""
        self._penalties.add(token)


def candidates(scores: Array, config: GenerationConfig) -> Candidates:
    """Return the tokens that pass all filters, from scores of shape [vocabulary].

    The filters follow each other as in transformers: temperature, ``top_k``, ``top_p``, ``min_p``. Each sees the
    probabilities of the tokens that the ones before it have left.
    """
    scaled = scores.astype(np.float64) / config.temperature
    weights = np.exp(scaled - scaled.max())
    found = Candidates(np.arange(len(weights)), weights)
    if 0 < config.top_k < len(weights):
        found = _of(found, weights >= np.partition(weights, -config.top_k)[-config.top_k])
    if config.top_p < 1:
        found = _likeliest(found, config.top_p)
    if config.min_p:
        found = _of(found, found.weights >= config.min_p * found.weights.max())
    return found


def drawn(given: Candidates, number: float) -> int:
    """Return the token at a place in the cumulated weights; ``number`` is from 0, inclusive, to 1."""
    sums = np.cumsum(given.weights)
    place = np.searchsorted(sums, number * sums[-1], side="right")
    return int(given.tokens[min(place, np.searchsorted(sums, sums[-1]))])


def _of(given: Candidates, kept: Array) -> Candidates:
    return Candidates(given.tokens[kept], given.weights[kept])


def _likeliest(given: Candidates, top_p: float) -> Candidates:
    """Return the fewest likeliest tokens that make up ``top_p`` of the sum, in descending order.

    Of equally likely tokens those with lower numbers are taken first; transformers takes any of them.
    """
    weights = given.weights
    size, wanted = len(weights), top_p * float(weights.sum())
    few = min(_FEW, size)
    while True:
        places = np.flatnonzero(weights >= np.partition(weights, -few)[-few])
        places = places[np.lexsort((places, -weights[places]))]
        sums = np.cumsum(weights[places])
        if few == size or sums[-1] >= wanted:
            break
        few = min(4 * few, size)
    return _of(given, places[: int(np.searchsorted(sums, wanted)) + 1])


def _log_probability(scores: Array, token: int) -> float:
    highest = scores.max()
    return float(scores[token] - highest - np.log(np.exp(scores - highest, dtype=np.float64).sum()))

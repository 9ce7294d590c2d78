"""Chooses the next token from scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from irrun.generation.config import GenerationConfig
from irrun.generation.errors import GenerationError
from irrun.tensor import Array

_FEW: Final = 256
"""The number of likeliest tokens that are sorted first, to find those that make up a probability."""


class Sampler:
    """Chooses the tokens of one text, whose earlier tokens it knows. Equal seeds and numbers draw equal tokens."""

    def __init__(self, config: GenerationConfig, prompt: Array, number: int = 0) -> None:
        self._config = config
        self._ends = sorted(config.ends)
        self._known = [int(id) for id in prompt]
        self._prompt = len(self._known)
        self._seen = set(self._known)
        self._counts: dict[int, int] = {}
        self._draws = np.random.default_rng([config.rng_seed, number]) if config.do_sample else None
        self._followers: dict[tuple[int, ...], set[int]] = {}
        for end in range(1, len(self._known) + 1):
            self._follow(end)

    def choose(self, scores: Array) -> tuple[int, float]:
        """Return the next token and the logarithm of its probability, from scores of shape [vocabulary].

        The logarithm is 0 where the settings do not ask for it. GenerationError where no token is possible.
        """
        adjusted = self.adjusted(scores)
        token = int(adjusted.argmax())
        if not adjusted[token] > -np.inf:
            raise GenerationError(
                "the scores of the next token are NaN or minus infinity, expected one that is possible"
            )
        if self._draws is not None:
            token = self._drawn(adjusted, self._draws)
        score = _log_probability(adjusted, token) if self._config.logprobs else 0.0
        self.add(token)
        return token, score

    def add(self, token: int) -> None:
        """Record that a token was chosen."""
        self._known.append(token)
        self._seen.add(token)
        self._counts[token] = self._counts.get(token, 0) + 1
        self._follow(len(self._known))

    def adjusted(self, scores: Array) -> Array:
        """Return the scores with all penalties; the scores themselves where there are none."""
        config = self._config
        size = config.no_repeat_ngram_size
        banned = self._ends if len(self._known) - self._prompt < config.min_new_tokens else []
        if size and len(self._known) >= size - 1:
            banned = [*banned, *self._followers.get(tuple(self._known[len(self._known) - size + 1 :]), ())]
        has_penalties = config.repetition_penalty != 1 or config.presence_penalty or config.frequency_penalty
        if not banned and not has_penalties:
            return scores
        changed = scores.astype(np.float32)
        if config.repetition_penalty != 1:
            seen = _within(self._seen, len(changed))
            some = changed[seen]
            changed[seen] = np.where(some < 0, some * config.repetition_penalty, some / config.repetition_penalty)
        if config.presence_penalty or config.frequency_penalty:
            counts = np.array([self._counts[id] for id in self._counts if id < len(changed)], np.float32)
            changed[_within(self._counts, len(changed))] -= config.presence_penalty + config.frequency_penalty * counts
        changed[_within(banned, len(changed))] = -np.inf
        return changed

    def _follow(self, end: int) -> None:
        """Record the token before ``end`` as one that follows those before it."""
        size = self._config.no_repeat_ngram_size
        if size and end >= size:
            self._followers.setdefault(tuple(self._known[end - size : end - 1]), set()).add(self._known[end - 1])

    def _drawn(self, scores: Array, draws: np.random.Generator) -> int:
        """Draw a token from the likeliest ones."""
        config = self._config
        scaled = scores.astype(np.float64) / config.temperature
        weights = np.exp(scaled - scaled.max())
        tokens, chosen = _likeliest(weights, config.top_k, config.top_p)
        if config.min_p:
            kept = chosen >= config.min_p * chosen.max()
            tokens, chosen = tokens[kept], chosen[kept]
        sums = np.cumsum(chosen)
        place = int(np.searchsorted(sums, draws.random() * sums[-1], side="right"))
        return int(tokens[min(place, len(tokens) - 1)])


def _likeliest(weights: Array, top_k: int, top_p: float) -> tuple[Array, Array]:
    """Return the likeliest tokens and their weights in descending order: ``top_k`` at most, ``top_p`` of the sum."""
    size = len(weights)
    count = min(top_k, size) if top_k else size
    if count == size and top_p == 1:
        return np.arange(size), weights
    wanted = top_p * float(weights.sum())
    few = count if top_p == 1 else min(_FEW, count)
    while True:
        tokens = np.argpartition(-weights, few - 1)[:few] if few < size else np.arange(size)
        tokens = tokens[np.lexsort((tokens, -weights[tokens]))]
        sums = np.cumsum(weights[tokens])
        if few == count or sums[-1] >= wanted:
            break
        few = min(4 * few, count)
    kept = min(int(np.searchsorted(sums, wanted)) + 1, few) if top_p < 1 else few
    return tokens[:kept], weights[tokens[:kept]]


def _within(ids: Iterable[int], size: int) -> Array:
    """Return the ids that a vocabulary of some size has, as an index."""
    return np.array([id for id in ids if id < size], np.int64)


def _log_probability(scores: Array, token: int) -> float:
    highest = scores.max()
    return float(scores[token] - highest - np.log(np.exp(scores - highest, dtype=np.float64).sum()))

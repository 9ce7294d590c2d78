"""What earlier tokens of a text change in the scores of the next one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from irrun.generation.config import GenerationConfig
from irrun.tensor import Array


class Penalties:
    """The penalties of a text, of which the prompt and the generated tokens are known."""

    def __init__(self, config: GenerationConfig, prompt: Sequence[int] | Array, tokens: Sequence[int] = ()) -> None:
        self._config = config
        self._ends = sorted(config.ends)
        self._prompt = len(prompt)
        self._known: list[int] = []
        self._seen: set[int] = set()
        self._counts: dict[int, int] = {}
        self._followers: dict[tuple[int, ...], set[int]] = {}
        for token in prompt:
            self._record(int(token))
        for token in tokens:
            self.add(token)

    def add(self, token: int) -> None:
        """Record that a token was generated."""
        self._counts[token] = self._counts.get(token, 0) + 1
        self._record(token)

    def applied(self, scores: Array) -> Array:
        """Return scores of shape [vocabulary] with all penalties; the scores themselves where there are none.

        They are applied in the order of transformers: repetition, presence, frequency, then tokens that are excluded.
        """
        config = self._config
        banned = self._banned()
        has_penalties = config.repetition_penalty != 1 or config.presence_penalty or config.frequency_penalty
        if not banned and not has_penalties:
            return scores
        changed = np.array(scores, np.result_type(scores.dtype, np.float32))
        if config.repetition_penalty != 1:
            seen = _within(self._seen, len(changed))
            some = changed[seen]
            changed[seen] = np.where(some < 0, some * config.repetition_penalty, some / config.repetition_penalty)
        if config.presence_penalty or config.frequency_penalty:
            counts = np.array([self._counts[id] for id in self._counts if id < len(changed)], changed.dtype)
            changed[_within(self._counts, len(changed))] -= config.presence_penalty + config.frequency_penalty * counts
        changed[_within(banned, len(changed))] = -np.inf
        return changed

    def _banned(self) -> list[int]:
        """Return the tokens that may not be next: end tokens of a short text, and the last of a repeated sequence."""
        size, count = self._config.no_repeat_ngram_size, len(self._known) - self._prompt
        banned = list(self._ends) if count < self._config.min_new_tokens else []
        if size and len(self._known) >= size - 1:
            banned += self._followers.get(tuple(self._known[len(self._known) - size + 1 :]), ())
        return banned

    def _record(self, token: int) -> None:
        self._known.append(token)
        self._seen.add(token)
        size = self._config.no_repeat_ngram_size
        if size and len(self._known) >= size:
            self._followers.setdefault(tuple(self._known[-size:-1]), set()).add(token)


def _within(ids: Iterable[int], size: int) -> Array:
    """Return the ids that a vocabulary of some size has, as an index."""
    return np.array([id for id in ids if id < size], np.int64)

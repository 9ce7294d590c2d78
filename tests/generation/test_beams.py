"""Beam search, beside a search of all texts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from irrun.generation import GenerationConfig
from irrun.generation.beams import searched
from irrun.generation.metrics import PerfMetrics
from irrun.tensor import Array

SIZE = 5
PROMPT = np.array([2])


def logits(tokens: Sequence[int]) -> Array:
    """Return the scores behind some tokens, which depend on the last two."""
    last, before = tokens[-1], tokens[-2] if len(tokens) > 1 else SIZE
    return np.random.default_rng([last, before]).normal(size=SIZE).astype(np.float32) * 2


class Model:
    """A decoding whose scores are those of ``logits``."""

    def __init__(self) -> None:
        self.texts = [PROMPT.tolist()]

    def run(self, ids: Array, mask: Array | None = None, rows: Array | None = None) -> Array:
        del mask
        if rows is not None:
            self.texts = [[*self.texts[row], *new] for row, new in zip(rows.tolist(), ids.tolist(), strict=True)]
        return np.stack([logits(text) for text in self.texts])


def found(config: GenerationConfig, most: int = 3) -> list[tuple[list[int], float]]:
    model = Model()
    scores = np.stack([logits(PROMPT.tolist())])
    texts = searched(
        model,
        scores,
        [PROMPT],
        config,
        [most],
        PerfMetrics(),
        0.0,
        lambda _: "",
        lambda _: None,  # type: ignore[arg-type]
    )
    return [(text.tokens, text.score) for text in texts]


def total(tokens: Sequence[int], penalty: float, size: int) -> float:
    """Return the score of a text: logarithms of probabilities, of which penalties change those of known tokens."""
    known, sum = PROMPT.tolist(), 0.0
    for token in tokens:
        scores = logits(known).astype(float)
        logs = scores - np.log(np.exp(scores).sum())
        if token in known:
            logs[token] *= penalty
        grams = {tuple(known[at : at + size]) for at in range(len(known) - size + 1)}
        if size and (*known[len(known) - size + 1 :], token) in grams:
            return -np.inf
        sum += logs[token]
        known.append(token)
    return sum


@pytest.mark.parametrize(("penalty", "size"), [(1.0, 0), (1.7, 0), (0.6, 0), (1.0, 1), (1.0, 2), (1.4, 2)])
def test_wide_beams_find_the_best_of_all_texts(penalty: float, size: int) -> None:
    """Penalties change logarithms of probabilities, and what is excluded gives its mass to no other token."""
    texts = [list(tokens) for tokens in itertools.product(range(SIZE), repeat=3)]
    best = max(texts, key=lambda tokens: total(tokens, penalty, size))
    config = GenerationConfig(num_beams=30, repetition_penalty=penalty, no_repeat_ngram_size=size)
    tokens, score = found(config)[0]
    assert tokens == best
    assert score == pytest.approx(total(best, penalty, size) / 3, rel=1e-5)


def test_texts_may_end_after_the_least_number_of_tokens() -> None:
    """End tokens are excluded until then, and not behind it."""
    ends = set(range(SIZE))
    for least in (1, 2):
        config = GenerationConfig(num_beams=2, min_new_tokens=least, eos_token_id=0, stop_token_ids={0, 1})
        for tokens, _ in found(config.updated(num_return_sequences=2), most=4):
            assert not ends.intersection({0, 1}) & set(tokens[:least])
    short = GenerationConfig(num_beams=3, min_new_tokens=1, eos_token_id=0, length_penalty=-2.0)
    assert len(found(short, most=6)[0][0]) < 6


def test_presence_and_frequency_count_the_tokens_of_a_beam() -> None:
    plain, kept = GenerationConfig(num_beams=3), GenerationConfig(num_beams=3, presence_penalty=50.0)
    tokens, _ = found(kept, most=5)[0]
    assert len(set(tokens)) == 5
    assert len(set(found(plain, most=5)[0][0])) < 5


def test_more_end_tokens_leave_as_many_beams() -> None:
    """With two end tokens, three candidates for each beam are looked at, so that as many go on."""
    config = GenerationConfig(num_beams=2, num_return_sequences=2, eos_token_id=0, stop_token_ids={0, 1, 3})
    assert len(found(config, most=4)) == 2

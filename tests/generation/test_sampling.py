"""Choosing tokens."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from irrun.generation import GenerationConfig, GenerationError
from irrun.generation.penalties import Penalties
from irrun.generation.sampling import Candidates, Sampler, candidates, drawn
from irrun.tensor import Array

SCORES = np.array([1.0, 3.0, 2.0, -1.0, 0.0], np.float32)
NO_PROMPT = np.zeros(0, np.int64)


def config(**given: object) -> GenerationConfig:
    return GenerationConfig().updated(**given)


def counted(count: int = 2000, scores: Array = SCORES, **given: object) -> dict[int, int]:
    settings = config(do_sample=True, **given)
    return Counter(Sampler(settings, NO_PROMPT, number).choose(scores)[0] for number in range(count))


def test_greedy_takes_the_first_of_the_likeliest() -> None:
    assert Sampler(config(), NO_PROMPT).choose(SCORES) == (1, 0.0)
    assert Sampler(config(), NO_PROMPT).choose(np.array([2.0, 5.0, 5.0], np.float32))[0] == 1


def test_scores_are_logarithms_of_probabilities() -> None:
    token, score = Sampler(config(logprobs=1), NO_PROMPT).choose(SCORES)
    assert token == 1
    assert score == pytest.approx(3.0 - np.log(np.exp(SCORES.astype(float)).sum()))


def test_repetition_divides_positive_and_multiplies_negative_scores() -> None:
    penalties = Penalties(config(repetition_penalty=2.0), np.array([1, 3]))
    assert penalties.applied(SCORES).tolist() == [1.0, 1.5, 2.0, -2.0, 0.0]
    penalties.add(2)
    assert penalties.applied(SCORES).tolist() == [1.0, 1.5, 1.0, -2.0, 0.0]


def test_presence_and_frequency_count_generated_tokens_only() -> None:
    settings = config(presence_penalty=1.0, frequency_penalty=0.5)
    assert Penalties(settings, np.array([4])).applied(SCORES).tolist() == SCORES.tolist()
    assert Penalties(settings, np.array([4]), [1, 1, 2]).applied(SCORES).tolist() == [1.0, 1.0, 0.5, -1.0, 0.0]


def test_no_end_before_the_least_number_of_tokens() -> None:
    sampler = Sampler(config(min_new_tokens=2, eos_token_id=1), NO_PROMPT)
    assert [sampler.choose(SCORES)[0] for _ in range(3)] == [2, 2, 1]


def test_no_sequence_of_tokens_occurs_twice() -> None:
    sampler = Sampler(config(no_repeat_ngram_size=2), np.array([1, 2, 1]))
    assert [sampler.choose(SCORES)[0] for _ in range(4)] == [1, 0, 1, 4]
    alone = Sampler(config(no_repeat_ngram_size=1), np.array([1]))
    assert [alone.choose(SCORES)[0] for _ in range(4)] == [2, 0, 4, 3]


def test_frequencies_are_those_of_the_probabilities() -> None:
    found = counted(4000)
    weights = np.exp(SCORES.astype(float))
    for token, weight in enumerate(weights / weights.sum()):
        assert found[token] / 4000 == pytest.approx(weight, abs=0.03)


def test_a_low_temperature_takes_the_likeliest() -> None:
    assert set(counted(200, temperature=0.05)) == {1}
    assert len(counted(400, temperature=100.0)) == 5


@pytest.mark.parametrize(
    ("given", "tokens"),
    [
        ({"top_k": 1}, {1}),
        ({"top_k": 3}, {0, 1, 2}),
        ({"top_k": 9}, {0, 1, 2, 3, 4}),
        ({"top_p": 0.6}, {1}),
        ({"top_p": 0.7}, {1, 2}),
        ({"top_p": 0.7, "top_k": 1}, {1}),
        ({"min_p": 0.3}, {1, 2}),
        ({"min_p": 0.1, "top_k": 2}, {1, 2}),
    ],
)
def test_only_likely_tokens_are_drawn(given: dict[str, float], tokens: set[int]) -> None:
    assert set(counted(1500, **given)) == tokens


def test_top_p_of_a_large_vocabulary_sorts_in_parts() -> None:
    scores = np.log(np.linspace(1, 2, 5000)).astype(np.float32)
    weights = np.linspace(1, 2, 5000)[::-1]
    count = int(np.searchsorted(np.cumsum(weights), 0.5 * weights.sum())) + 1
    found = candidates(scores, config(do_sample=True, top_p=0.5)).tokens
    assert sorted(found) == list(range(5000 - count, 5000))


def test_equal_seeds_draw_equal_tokens() -> None:
    scores = np.zeros(1000, np.float32)
    first, again, other = (
        [Sampler(config(do_sample=True, rng_seed=seed), NO_PROMPT, number).choose(scores)[0] for number in range(9)]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert len(set(first)) > 1


@pytest.mark.parametrize("scores", [[np.nan, 1.0], [-np.inf, -np.inf]])
@pytest.mark.parametrize("do_sample", [False, True])
def test_scores_without_a_possible_token(scores: list[float], do_sample: bool) -> None:
    with pytest.raises(GenerationError, match="the scores of the next token are NaN or minus infinity"):
        Sampler(config(do_sample=do_sample, min_p=0.1), NO_PROMPT).choose(np.array(scores, np.float32))


def test_probabilities_are_those_of_transformers() -> None:
    """Recorded from transformers 5.5: temperature, top_k, top_p and min_p in all combinations, for random scores."""
    rows = json.loads(Path(__file__).with_name("probabilities.json").read_text())
    assert len(rows) == 73
    for seed, temperature, top_k, top_p, min_p, expected in rows:
        scores = (np.random.default_rng(seed).normal(size=10) * 2).astype(np.float32)
        settings = config(do_sample=True, temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
        found = candidates(scores, settings)
        probabilities = np.zeros(10)
        probabilities[found.tokens] = found.weights / found.weights.sum()
        np.testing.assert_allclose(probabilities, expected, atol=1e-6)


def test_the_mass_of_top_p_is_that_of_the_kept_tokens() -> None:
    """Of ten equally likely tokens, half of the mass are five, whatever the others weigh."""
    scores = np.concatenate([np.zeros(10), np.full(1000, -1.0)]).astype(np.float32)
    found = candidates(scores, config(do_sample=True, top_k=10, top_p=0.5))
    assert found.tokens.tolist() == [0, 1, 2, 3, 4]


def test_equally_likely_tokens_are_all_kept_by_top_k() -> None:
    scores = np.array([1.0, 2.0, 2.0, 2.0, 0.0], np.float32)
    assert candidates(scores, config(do_sample=True, top_k=2)).tokens.tolist() == [1, 2, 3]


def test_the_last_place_is_that_of_a_possible_token() -> None:
    """Rounding may make a draw the whole sum, which no token without weight gets."""
    given = Candidates(np.array([4, 7, 9]), np.array([1.0, 2.0, 0.0]))
    assert [drawn(given, number) for number in (0.0, 0.3, 0.4, 1.0)] == [4, 4, 7, 7]

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Mapping

import pytest

from irrun.runtime.choice import Choice


def runs(choice: Choice, count: int, seconds: Callable[[int], float]) -> list[int]:
    """Return the numbers of workers of ``count`` runs, whose durations ``seconds`` returns."""
    chosen = []
    for _ in range(count):
        chosen.append(choice.next())
        choice.took(chosen[-1], seconds(chosen[-1]))
    return chosen


def fixed(times: Mapping[int, float]) -> Callable[[int], float]:
    return times.__getitem__


def test_every_number_is_tried_before_the_fastest_is_kept() -> None:
    chosen = runs(Choice(4), 30, fixed({4: 2.5, 2: 2.0, 1: 2.9}))
    assert chosen[:8] == [4, *[4] * 3, *[2] * 3, 1]
    assert [place for place, count in enumerate(chosen[8:]) if count != 2] == [4, 14]


def test_one_run_tells_that_a_number_is_much_too_slow() -> None:
    assert runs(Choice(4), 8, fixed({4: 2.0, 2: 2.5, 1: 8.0})) == [4, *[4] * 3, 2, 1, 4, 4]


def test_the_first_run_does_not_count() -> None:
    choice = Choice(2)
    choice.took(choice.next(), 100.0)
    assert runs(choice, 8, fixed({2: 1.0, 1: 1.4})) == [2, 2, 2, 1, 2, 2, 2, 2]


def test_trials_become_rare() -> None:
    chosen = runs(Choice(2), 207, fixed({2: 1.0, 1: 1.4}))
    assert [place for place, count in enumerate(chosen) if count == 1] == [4, 9, 19, 39, 79, 119, 159, 199]


def test_fewer_workers_that_are_much_slower_are_tried_three_times_while_times_stay() -> None:
    choice = Choice(2)
    chosen = runs(choice, 100, fixed({2: 1.0, 1: 1.7}))
    assert [place for place, count in enumerate(chosen) if count == 1] == [4, 9, 19]
    assert runs(choice, 20, fixed({2: 2.5, 1: 1.7})).count(1) == 15


def test_a_small_model_keeps_one_worker() -> None:
    assert runs(Choice(2), 47, fixed({2: 1.4, 1: 1.0}))[7:].count(1) == 37


def test_one_slow_run_changes_nothing() -> None:
    choice = Choice(2)
    runs(choice, 12, fixed({2: 1.0, 1: 1.4}))
    choice.took(choice.next(), 100.0)
    assert runs(choice, 20, fixed({2: 1.0, 1: 1.4})).count(2) == 19


def test_a_neighbour_that_comes_is_noticed_within_a_few_runs() -> None:
    choice = Choice(2)
    runs(choice, 12, fixed({2: 1.0, 1: 1.4}))
    assert runs(choice, 10, fixed({2: 8.0, 1: 1.4}))[3:].count(1) == 6


def test_a_neighbour_that_leaves_is_noticed_at_the_next_trial() -> None:
    choice = Choice(2)
    runs(choice, 12, fixed({2: 8.0, 1: 1.4}))
    assert set(runs(choice, 100, fixed({2: 1.0, 1: 1.4}))[-10:]) == {2}


def test_one_processor_has_one_choice() -> None:
    assert set(runs(Choice(1), 10, lambda _: 1.0)) == {1}


@pytest.mark.parametrize(
    ("one", "two"),
    [((1.5, 0.25), (1.2, 0.35)), ((1.0, 0.05), (1.6, 0.4)), ((1.2, 0.3), (1.6, 0.6)), ((1.0, 0.1), (1.0, 0.4))],
    ids=["two are better", "one is better", "one is better, and both vary", "two vary"],
)
def test_beside_neighbours_runs_take_about_as_long_as_with_the_best_number(
    one: tuple[float, float], two: tuple[float, float]
) -> None:
    """Each number has a median and a spread; before, the machine was calm and two were better."""
    best = min(one[0], two[0])
    medians = []
    for seed in range(50):
        source = random.Random(seed)

        def seconds(count: int, source: random.Random = source) -> float:
            median, spread = one if count == 1 else two
            return median * source.lognormvariate(0, spread)

        choice, taken = Choice(2), []
        runs(choice, 12, fixed({2: 0.55, 1: 1.0}))
        for _ in range(60):
            count = choice.next()
            taken.append(seconds(count))
            choice.took(count, taken[-1])
        medians.append(statistics.median(taken) / best)
    assert statistics.mean(medians) < 1.1
    assert statistics.quantiles(medians, n=10)[-1] < 1.25

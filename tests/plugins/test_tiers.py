"""The tests, items and seeds of each tier."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from tests.lab import drawing
from tests.plugins import tiers
from tests.plugins.tiers import Campaign, Tier

pytest_plugins = ["pytester"]

QUICK, REST, ALL = Tier("quick"), Tier("rest"), Tier("all")
TESTS = """
    import pytest

    def test_plain(): pass

    @pytest.mark.rest
    def test_long(): pass

    @pytest.mark.sample(3)
    @pytest.mark.parametrize("number", range(6))
    def test_many(number): pass

    def test_loop(tier): print(f"<{tier.part('abcdef', 2)}>")

    def test_drawn(campaign): print(f"<{list(campaign.draws(1, 3))}>")
"""


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([], ["test_plain", "test_many", "test_many", "test_loop", "test_drawn"]),
        (["--rest"], ["test_long", *["test_many"] * 4, "test_loop", "test_drawn"]),
        (["--all"], ["test_plain", "test_long", *["test_many"] * 6, "test_loop", "test_drawn"]),
        (["--campaign", "1"], ["test_drawn"]),
    ],
)
def test_tests_of_a_tier(pytester: pytest.Pytester, options: Sequence[str], names: Sequence[str]) -> None:
    pytester.makepyfile(TESTS)
    done = pytester.runpytest("-p", "tests.plugins.tiers", "--collect-only", "-q", *options)
    found = [line.partition("::")[2].partition("[")[0] for line in done.outlines if "::" in line]
    assert found == names


def test_a_sample_is_of_the_same_parameters_in_both_tiers(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    found = []
    for options in ([], ["--rest"]):
        done = pytester.runpytest("-p", "tests.plugins.tiers", "--collect-only", "-q", *options)
        found += [line for line in done.outlines if "test_many" in line]
    assert len(found) == len(set(found)) == 6


@pytest.mark.parametrize(
    ("items", "few", "quick", "rest"),
    [("abcdef", 2, "ad", "bcef"), ("abc", 3, "abc", ""), ("abc", 5, "abc", ""), ("abcde", 3, "abd", "ce")],
)
def test_parts_are_disjoint_and_whole(items: str, few: int, quick: str, rest: str) -> None:
    assert [QUICK.part(items, few), REST.part(items, few)] == [list(quick), list(rest)]
    assert ALL.part(items, few) == list(items)


def test_seeds() -> None:
    drawn = [list(Campaign(tier, None, 0).draws(2, 5)) for tier in (QUICK, REST, ALL)]
    assert drawn == [[0, 1], [2, 3, 4], [0, 1, 2, 3, 4]]


def test_a_campaign_goes_on_until_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 2.0, 3.0, 4.0])
    monkeypatch.setattr(drawing, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert list(Campaign(ALL, 3.0, 100).draws(2, 5)) == [100, 101]


@pytest.mark.parametrize(
    ("option", "operations", "arguments", "name"),
    [
        (None, [], ["tests"], "quick"),
        (None, [], ["tests/ops/test_matrix.py"], "all"),
        (None, [], ["tests/ops/test_matrix.py::test_kernel_alone"], "all"),
        ("rest", [], ["tests/ops/test_matrix.py"], "rest"),
        (None, ["Clamp"], ["tests/ops"], "all"),
    ],
)
def test_the_tier_of_a_command(
    option: str | None, operations: Sequence[str], arguments: Sequence[str], name: str
) -> None:
    config: Any = SimpleNamespace(option=SimpleNamespace(tier=option), args=arguments, getoption=lambda *_: operations)
    assert tiers.tier_of(config) == Tier(name)  # type: ignore[arg-type]

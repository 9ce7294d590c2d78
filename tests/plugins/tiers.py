"""Two tiers of tests: the quick one, which everyone runs before a commit, and the rest.

``pytest``                   the quick tier
``pytest --rest``            what the quick tier leaves out
``pytest --all``             both; ``pytest FILE`` and ``pytest FILE::TEST`` run both tiers of a file, too
``pytest --campaign 600``    campaigns alone, 600 seconds each, by a seed that is printed

``@pytest.mark.rest`` (``pytestmark`` in a module) puts tests into the rest. ``@pytest.mark.sample(5)`` keeps one in
five of the parameters of a test in the quick tier, and at least one. A test that goes through its material in a loop
asks for ``tier``; a campaign, which draws its material, asks for ``campaign``. A test of Hypothesis runs in both tiers:
with few examples in the quick one, and with other ones each time if it is a campaign.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

import hypothesis
import pytest

from tests.lab.drawing import drawn

Item = TypeVar("Item")

_QUICK: Final = pytest.StashKey[set[str]]()
"""The tests of the quick tier, where the rest runs."""

_EXAMPLES: Final = 20
"""Examples of a test of Hypothesis in the quick tier."""


@dataclass(frozen=True)
class Tier:
    """The tier that runs."""

    name: Literal["quick", "rest", "all"]

    def part(self, items: Sequence[Item], few: int) -> list[Item]:
        """Return the items of this tier: of the quick one ``few``, evenly spread, of the rest all others."""
        if self.name == "all" or few >= len(items):
            return list(items) if self.name != "rest" else []
        quick = {number * len(items) // few for number in range(few)}
        return [item for number, item in enumerate(items) if (number in quick) == (self.name == "quick")]


@dataclass(frozen=True)
class Campaign:
    """What a campaign draws: numbers from which it makes its material."""

    tier: Tier
    seconds: float | None
    seed: int

    def draws(self, few: int, many: int) -> Iterator[int]:
        """Yield seeds: the first ``few`` in the quick tier, the others of ``many`` in the rest.

        With ``--campaign``, seeds from ``--seed`` on, until the time is over.
        """
        if self.seconds is None:
            yield from range(few if self.tier.name == "rest" else 0, few if self.tier.name == "quick" else many)
            return
        yield from drawn(self.seed, None, self.seconds)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tiers of tests")
    tiers = {"--rest": "Run what the quick tier leaves out.", "--all": "Run everything."}
    for option, help in tiers.items():
        group.addoption(option, action="store_const", const=option[2:], dest="tier", help=help)
    group.addoption("--campaign", type=float, metavar="SECONDS", help="Run campaigns alone, each for so long.")
    group.addoption("--seed", type=int, metavar="N", help="The first seed of campaigns; by default one of the time.")


def pytest_configure(config: pytest.Config) -> None:
    lines = [
        "rest: the test is not in the quick tier",
        "sample(n): one in n of the parameters of the test are in the quick tier",
    ]
    for line in lines:
        config.addinivalue_line("markers", line)
    if config.option.campaign is not None and config.option.seed is None:
        config.option.seed = int(time.time())
    hypothesis.settings.register_profile(
        "tests",
        max_examples=_EXAMPLES if tier_of(config).name == "quick" else 100,
        derandomize=config.option.campaign is None,
        deadline=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("tests")


def tier_of(config: pytest.Config) -> Tier:
    """Return the tier that a command asks for. Cases of an operation and files are run whole."""
    if config.option.tier is None and (config.getoption("op", []) or any(".py" in name for name in config.args)):
        return Tier("all")
    return Tier(config.option.tier or "quick")


def pytest_report_header(config: pytest.Config) -> str:
    if config.option.campaign is not None:
        return f"campaigns: {config.option.campaign:g} s each, --seed {config.option.seed}"
    return f"tier: {tier_of(config).name}"


@pytest.fixture
def tier(request: pytest.FixtureRequest) -> Tier:
    """The tier that runs, for a test that goes through its material in a loop; all if the quick one is without it."""
    found = tier_of(request.config)
    return Tier("all") if found.name == "rest" and request.node.nodeid not in request.config.stash[_QUICK] else found


@pytest.fixture
def campaign(tier: Tier, pytestconfig: pytest.Config) -> Campaign:
    """What a campaign draws."""
    return Campaign(tier, pytestconfig.option.campaign, pytestconfig.option.seed or 0)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the tier; those that ask for it run in each."""
    tier = tier_of(config)
    if config.option.campaign is not None:
        kept = {item for item in items if "campaign" in _fixtures(item) or _has_examples(item)}
    elif tier.name == "all":
        return
    else:
        quick = set(quick_ones(items))
        config.stash[_QUICK] = {item.nodeid for item in quick}
        of_both = {item for item in quick if {"campaign", "tier"} & _fixtures(item) or _has_examples(item)}
        kept = quick if tier.name == "quick" else {item for item in items if item not in quick or item in of_both}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def _has_examples(item: pytest.Item) -> bool:
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


def _fixtures(item: pytest.Item) -> set[str]:
    """Return the fixtures that a test asks for, without its parameters."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    return set(getattr(item, "fixturenames", ())).difference(parameters)


def quick_ones(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield the tests of the quick tier."""
    sampled: dict[tuple[str, int], list[pytest.Item]] = {}
    for item in items:
        sample = item.get_closest_marker("sample")
        if item.get_closest_marker("rest") is not None:
            continue
        if sample is None:
            yield item
        else:
            sampled.setdefault((item.nodeid.partition("[")[0], sample.args[0]), []).append(item)
    for (_, every), group in sampled.items():
        group.sort(key=lambda item: zlib.crc32(item.name.encode()))
        yield from group[: -(-len(group) // every)]

"""Parameters of a test as subtests of one test."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from itertools import product
from typing import Any, Final

import pytest

from tests.plugins.tiers import Tier

Test = Callable[..., None]
Case = dict[str, Any]

_OWN: Final = ("subtests", "tier")
"""Fixtures that the one test asks for."""


def merged(*kept: str, every: int = 1) -> Callable[[Test], Test]:
    """Make subtests of the parameters that ``pytest.mark.parametrize`` gives a test below, except those ``kept``.

    The quick tier goes through the values of all parameters side by side, so that it has each of them once, or takes
    one in ``every`` of these combinations. The rest has the others. The function itself is ``test.__wrapped__``.
    """

    def merge(function: Test) -> Test:
        marks: list[pytest.Mark] = list(vars(function)["pytestmark"])
        inner = [mark for mark in marks if _is_merged(mark, kept)]
        axes = [[dict(zip(_names(mark), _values(mark, one), strict=True)) for one in mark.args[1]] for mark in inner]
        cases = [_joined(parts) for parts in product(*axes)]
        assert cases, "a test without cases"
        quick = set(sorted(_each_value_once(axes))[::every])

        @wraps(function)
        def test(subtests: pytest.Subtests, tier: Tier, **fixtures: Any) -> None:
            for number, case in enumerate(cases):
                if tier.name == "all" or (tier.name == "quick") == (number in quick):
                    with subtests.test(**{name: str(value) for name, value in case.items()}):
                        function(**case, **fixtures)

        given = inspect.signature(function).parameters.values()
        others = [one for one in given if one.name not in cases[0]]
        own = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in _OWN]
        vars(test).update(__signature__=inspect.Signature([*own, *others]))
        vars(test).update(pytestmark=[mark for mark in marks if not _is_merged(mark, kept)])
        return test

    return merge


def _is_merged(mark: pytest.Mark, kept: Sequence[str]) -> bool:
    return mark.name == "parametrize" and not set(_names(mark)) & set(kept)


def _names(mark: pytest.Mark) -> list[str]:
    names = mark.args[0]
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def _values(mark: pytest.Mark, one: Any) -> Sequence[Any]:
    return [one] if len(_names(mark)) == 1 else one


def _joined(parts: Sequence[Case]) -> Case:
    return {name: value for part in parts for name, value in part.items()}


def _each_value_once(axes: Sequence[Sequence[Case]]) -> frozenset[int]:
    """The numbers of the combinations that go through all axes side by side."""

    def numbers() -> Iterator[int]:
        for step in range(max(map(len, axes))):
            number = 0
            for axis in axes:
                number = number * len(axis) + step % len(axis)
            yield number

    return frozenset(numbers())

"""Many cases in one test: a case that fails is a subtest, which names it, and the others are checked too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import pytest

from tests import cases

Item = TypeVar("Item")

FAULTS: Final = (Exception, pytest.fail.Exception)


def group(name: str) -> str:
    """Return the id of a group of operations; with ``--op``, the types that are wanted are a part of it."""
    return "-".join([name, *sorted(cases.ONLY)])


def for_each(subtests: pytest.Subtests, items: Sequence[Item], check: Callable[[Item], object]) -> None:
    """Check every item; those that fail are subtests that fail."""
    for item in items:
        try:
            check(item)
        except FAULTS:
            with subtests.test(case=str(item)):
                raise


def together(subtests: pytest.Subtests, items: Sequence[Item], check: Callable[[Sequence[Item]], object]) -> None:
    """Check all items at once; if that fails, each alone too, so that those that fail are named."""
    if not items:
        return
    try:
        check(items)
    except FAULTS:
        for_each(subtests, items, lambda item: check([item]))
        raise

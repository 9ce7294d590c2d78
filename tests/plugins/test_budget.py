"""Runs that exceed a budget of work."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plugins.budget import exceeded

BUDGET = {"tests/cli": {"tests": 10, "processes": 100, "files": 1000, "models": 0, "lines": 1_000_000}}


@pytest.mark.parametrize(
    ("work", "faults"),
    [
        ({"tests": 10, "processes": 100, "files": 1000, "lines": 1_000_000}, []),
        ({"tests": 20, "processes": 165, "files": 1750, "models": 50, "lines": 2_000_000}, []),
        ({"tests": 21}, ["tests/cli: 21 tests, 10"]),
        ({"processes": 166}, ["tests/cli: 166 processes, 100"]),
        ({"files": 1751, "models": 51}, ["tests/cli: 1,751 files, 1,000", "tests/cli: 51 models, 0"]),
        ({"lines": 2_000_001}, ["tests/cli: 2,000,001 lines, 1,000,000"]),
    ],
)
def test_work_of_a_folder(work: dict[str, int], faults: list[str]) -> None:
    found = exceeded(BUDGET, {"tests/cli": work})
    assert [fault.partition(" in tests/budget.json")[0] for fault in found] == faults


def test_a_folder_without_a_budget_has_none() -> None:
    work: dict[str, Any] = {"tests/new": {"tests": 1}}
    assert exceeded(BUDGET, work) == ["tests/new: 1 tests, 0 in tests/budget.json (--budget writes it)"]

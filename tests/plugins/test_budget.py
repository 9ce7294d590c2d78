"""What exceeds a budget of work."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plugins.budget import exceeded

BUDGET = {"tests/cli": {"tests": 10, "processes": 100, "files": 1000, "models": 0, "lines": 1_000_000}}


@pytest.mark.parametrize(
    ("work", "faults"),
    [
        ({"tests": 10, "processes": 100, "files": 1000, "lines": 1_000_000}, []),
        ({"tests": 10, "processes": 110, "files": 1100, "models": 20, "lines": 1_500_000}, []),
        ({"tests": 11}, ["tests/cli: 11 tests, 10"]),
        ({"processes": 111}, ["tests/cli: 111 processes, 100"]),
        ({"files": 1101, "models": 21}, ["tests/cli: 1,101 files, 1,000", "tests/cli: 21 models, 0"]),
        ({"lines": 1_500_001}, ["tests/cli: 1,500,001 lines, 1,000,000"]),
    ],
)
def test_work_of_a_folder(work: dict[str, int], faults: list[str]) -> None:
    found = exceeded(BUDGET, {"tests/cli": work})
    assert [fault.partition(" in tests/budget.json")[0] for fault in found] == faults


def test_a_folder_without_a_budget_has_none() -> None:
    work: dict[str, Any] = {"tests/new": {"tests": 1}}
    assert exceeded(BUDGET, work) == ["tests/new: 1 tests, 0 in tests/budget.json (--budget writes it)"]

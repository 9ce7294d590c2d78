"""Options of the tests."""

from __future__ import annotations

import re

import pytest

from tests import cases


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--op",
        action="append",
        metavar="TYPE",
        default=[],
        help="Collect only the cases of this operation; repeatable.",
    )


def pytest_configure(config: pytest.Config) -> None:
    chosen = config.getoption("--op")
    cases.ONLY.update(chosen)
    if chosen:
        # A test without a case of the operation is skipped, not an error.
        config._inicache["empty_parameter_set_mark"] = "skip"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that are named after a case of the operation."""
    chosen = config.getoption("--op")
    if not chosen:
        return
    named = re.compile(rf"\[(?:.*-)?(?:{'|'.join(map(re.escape, chosen))})(?:-|\])")
    kept = [item for item in items if named.search(item.name)]
    config.hook.pytest_deselected(items=[item for item in items if not named.search(item.name)])
    items[:] = kept

"""Options of the tests. Kernels for this processor are built first, where their sources have changed."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator

import pytest

from tests import bailouts, cases

pytest_plugins = ["tests.plugins.tiers", "tests.plugins.recording", "tests.plugins.budget", "tests.plugins.kernels"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--op",
        action="append",
        metavar="TYPE",
        default=[],
        help="Collect only the cases of this operation; repeatable.",
    )
    parser.addoption(
        "--exports",
        metavar="NAMES",
        help="Exported models that tests/exports runs, with commas between them; one in five by default, or all.",
    )


def pytest_configure(config: pytest.Config) -> None:
    chosen = config.getoption("--op")
    cases.ONLY.update(chosen)
    if chosen:
        # A test without a case of the operation is skipped, not an error.
        config._inicache["empty_parameter_set_mark"] = "skip"
    # No test looks at a disk after a crash of the machine. Commands in other processes write to the disk as ever.
    os.fsync = lambda _: None
    if not hasattr(config, "workerinput"):
        require_operations(chosen)
        keep_bytecode(config)


def keep_bytecode(config: pytest.Config) -> None:
    """Let the processes of the tests share compiled modules, also where the environment says to write none."""
    assert config.cache is not None
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(config.cache.mkdir("bytecode"))


def require_operations(types: Iterable[str]) -> None:
    """Raise UsageError for a type of ``--op`` that no operation has."""
    from irrun.ops.registry import UnknownOperation, resolve

    for type in types:
        try:
            resolve(type)
        except UnknownOperation as error:
            raise pytest.UsageError(f"--op: {error}") from None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage among the tests that are collected: they stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test whose models bail out, unless it is marked with the reasons: ``@pytest.mark.bails_out("…")``."""
    bailouts.watch()
    try:
        yield
        expected = [reason for marker in item.iter_markers("bails_out") for reason in marker.args]
        bailouts.check(expected)
    finally:
        bailouts.SEEN.clear()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that are named after a case of the operation."""
    chosen = config.getoption("--op")
    if not chosen:
        return
    named = cases.named_after(chosen)
    kept = [item for item in items if named.search(item.name)]
    config.hook.pytest_deselected(items=[item for item in items if not named.search(item.name)])
    items[:] = kept

"""``--record``: note the calls of each test for ``--affected``; ``--affected``: run the tests that can see a change."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

from tests.plugins.affected import Record, affected, changed, recorded
from tests.plugins.calls import FOLDER, ROOT, Calls, write
from tests.plugins.tiers import quick_ones

SECONDS: Final = 120
"""Seconds that the affected tests may have taken together when they were recorded; others are left out."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tests affected by a change")
    group.addoption("--affected", action="store_true", help="Run the tests that can see what has changed.")
    group.addoption("--record", action="store_true", help="Note what each test calls, for --affected.")


def record_file(config: pytest.Config) -> Path:
    assert config.cache is not None
    return config.cache.mkdir("affected") / "record"


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.option.record:
        is_worker = hasattr(config, "workerinput")
        if not is_worker:
            config.pluginmanager.register(Merging(record_file(config)))
        if is_worker or not config.getoption("numprocesses", None):
            config.pluginmanager.register(Noting())
    if config.option.affected:
        record = Record.read(record_file(config))
        config.pluginmanager.register(Affected(record), "affected")
        if record is not None:
            config.option.tier = "all"


class Affected:
    """Keeps the affected tests, those of the quick tier first; without a record, the quick tier runs."""

    def __init__(self, record: Record | None) -> None:
        self._record = record
        names = set(changed(record)) if record is not None else set()
        self._affected = affected(record, names) if record is not None else []
        self._files = {name.partition("::")[0] for name in (*names, *self._affected)}
        self._left_out = 0

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Say what will run, also with ``-q``."""
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            return
        if self._record is None:
            reporter.write_line("affected: nothing is recorded (pytest --all --record), so the quick tier runs")
        else:
            reporter.write_line(f"affected: {len(self._affected)} tests called what has changed")

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Ignore files that have not changed, and none of whose tests is affected."""
        if self._record is None or not collection_path.name.startswith("test_"):
            return None
        file = collection_path.relative_to(ROOT).as_posix()
        return True if file in self._record.digests and file not in self._files else None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if self._record is None:
            return
        by_name = {item.nodeid: item for item in items}
        kept = [item for item in items if item.nodeid not in self._record.seconds]
        seconds = 0.0
        for name in filter(by_name.__contains__, self._affected):
            seconds += self._record.seconds[name]
            if seconds < SECONDS:
                kept.append(by_name[name])
            else:
                self._left_out += 1
        quick = set(quick_ones(items))
        config.hook.pytest_deselected(items=list(set(items).difference(kept)))
        items[:] = sorted(kept, key=lambda item: item not in quick)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._left_out:
            terminalreporter.write_line(f"affected: {self._left_out} more tests call what has changed")


class Noting:
    """Notes what each test calls: calls of fixtures and files that tests share count for each of them."""

    def __init__(self) -> None:
        self._calls = Calls()
        self._found: set[str] = set()
        self._shared: dict[str, set[str]] = {}
        self._of_tests: dict[str, set[str]] = {}
        self._seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Iterator[Any]:
        try:
            return (yield)
        finally:
            found = self._calls.take()
            if isinstance(collector, pytest.Module):
                self._shared[collector.nodeid] = found

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        if fixturedef.scope == "function":
            return (yield)
        self._found |= self._calls.take()
        try:
            return (yield)
        finally:
            self._shared.setdefault(_key(fixturedef), set()).update(self._calls.take())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self._calls.take()
        self._found = set()
        begin = time.perf_counter()
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] = round(time.perf_counter() - begin, 4)
            self._found |= self._calls.take()
            self._of_tests[item.nodeid] = self._found.union(*self._shared_by(item))

    def _shared_by(self, item: pytest.Item) -> Iterator[set[str]]:
        yield self._shared.get(item.nodeid.partition("::")[0], set())
        for definitions in getattr(item, "_fixtureinfo").name2fixturedefs.values():  # noqa: B009
            yield from (self._shared.get(_key(definition), set()) for definition in definitions)

    def pytest_sessionfinish(self) -> None:
        write(self._of_tests, self._seconds)


def _key(fixture: Any) -> str:
    return f"{fixture.baseid}::{fixture.argname}"


class Merging:
    """Lets processes note their calls, and writes the record of all when the session ends."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._folder = TemporaryDirectory()
        os.environ[FOLDER] = self._folder.name
        paths = [str(Path(__file__).with_name("started")), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        calls: dict[str, set[str]] = {}
        seconds: dict[str, float] = {}
        for path in sorted(Path(self._folder.name).glob("*.json")):
            of_tests, took = json.loads(path.read_text(encoding="utf-8"))
            seconds |= took
            for test, found in of_tests.items():
                calls.setdefault(test, set()).update(map(sys.intern, found))
        recorded(calls, seconds).write(self._target)
        self._folder.cleanup()

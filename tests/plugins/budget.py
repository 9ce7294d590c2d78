"""Counts the work of each folder of tests, and fails a run of a tier that needs more than ``tests/budget.json`` says.

Work is counted, not timed: tests, processes that are started, files that are written, models that are compiled, and
executed lines of one test in ``SAMPLE``. ``--budget`` writes what a run has needed, for a change that needs more.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.lines import Lines
from tests.plugins.tiers import tier_of

FILE: Final = Path(__file__).resolve().parents[1] / "budget.json"
SAMPLE: Final = 50
"""One test in so many has its lines counted, which makes it about ten times slower."""

LINES: Final = 300_000
"""The lines of a test that are counted at most: half a second."""

SPARE: Final[Mapping[str, tuple[float, int]]] = {
    "tests": (1.02, 10),
    "processes": (1.25, 40),
    "files": (1.25, 500),
    "models": (1.25, 50),
    "lines": (1.5, 500_000),
}
"""What may come on top: a factor, and a number. Each worker computes what is computed once in a process, and some tests
run on some processors only."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--budget", action="store_true", help="Write tests/budget.json: the work that this run needs.")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.campaign is None and not config.option.affected:
        config.pluginmanager.register(Budget(config), "budget")


class Budget:
    """The work of each folder, of this process, or of all workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._work: dict[str, Counter[str]] = {}
        self._folder = Counter[str]()
        self._begin, self._faults = time.monotonic(), list[str]()
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("subprocess.Popen", "os.fork", "os.posix_spawn"):
            self._folder["processes"] += 1
        elif event == "open" and arguments[1] is not None and arguments[1][0] in "wax":
            self._folder["files"] += 1

    def pytest_sessionstart(self) -> None:
        """Count the models that are compiled."""
        from irrun.model.compiled import Compiled

        begin = Compiled.__init__

        def counted(model: Compiled, *arguments: Any, **named: Any) -> None:
            self._folder["models"] += 1
            begin(model, *arguments, **named)

        Compiled.__init__ = counted  # type: ignore[method-assign]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self._folder = self._work.setdefault(folder_of(item), Counter())
        self._folder["tests"] += 1
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[Any]:
        if zlib.crc32(item.nodeid.encode()) % SAMPLE or sys.gettrace() is not None:
            return (yield)
        with Lines(LINES) as lines:
            try:
                return (yield)
            finally:
                self._folder["lines"] += lines.count

    def pytest_testnodedown(self, node: Any) -> None:
        """Add the work of a worker that has ended."""
        for folder, work in json.loads(getattr(node, "workeroutput", {}).get("work", "{}")).items():
            self._work.setdefault(folder, Counter()).update(work)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput["work"] = json.dumps(self._work)
        elif self._is_whole(session):
            self._compare(session)

    def _is_whole(self, session: pytest.Session) -> bool:
        """Return whether this was a whole tier: nothing else was chosen, and no test failed."""
        option = self._config.option
        chosen = option.keyword or option.markexpr or option.op or option.lf or option.exports
        is_all = self._config.args_source != pytest.Config.ArgsSource.ARGS
        return is_all and not chosen and tier_of(self._config).name != "all" and session.exitstatus == 0

    def _compare(self, session: pytest.Session) -> None:
        known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
        tier = tier_of(self._config).name
        if self._config.option.budget:
            known[tier] = {folder: dict(sorted(work.items())) for folder, work in sorted(self._work.items())}
            FILE.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")
            return
        self._faults = exceeded(known.get(tier, {}), self._work)
        if self._faults:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        work = Counter[str]()
        for of_folder in self._work.values():
            work.update(of_folder)
        processors = sum(os.times()[:4])
        counted = ", ".join(f"{work[name]:,} {name}" for name in SPARE)
        terminalreporter.write_line(
            f"{time.monotonic() - self._begin:.0f} s, {processors:.0f} s of processors; {counted}"
        )
        for fault in self._faults:
            terminalreporter.write_line(f"ERROR {fault}", red=True)


def folder_of(item: pytest.Item) -> str:
    """Return the folder of a test below ``tests``, or its file."""
    return "/".join(item.nodeid.partition("::")[0].split("/")[:2])


def exceeded(budget: Mapping[str, Mapping[str, int]], work: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return what needs more than its budget."""
    faults: list[str] = []
    for folder, needed in sorted(work.items()):
        for name, (factor, spare) in SPARE.items():
            known, found = budget.get(folder, {}).get(name, 0), needed.get(name, 0)
            if found > known * factor + (spare if folder in budget else 0):
                faults.append(f"{folder}: {found:,} {name}, {known:,} in tests/budget.json (--budget writes it)")
    return faults

"""A function that runs on many items, over processes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from irrun.jobs import processes
from irrun.jobs.items import Lost
from irrun.jobs.spread import in_order, spread
from tests.jobs import works
from tests.processes import handle_on_the_usual_stack

ITEMS = range(40)


@pytest.fixture(autouse=True)
def _usual_stack() -> None:
    handle_on_the_usual_stack()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_item_once(tmp_path: Path, count: int) -> None:
    found = list(spread(works.Doubling(str(tmp_path)), ITEMS, count))
    assert sorted(found) == [(item, 2 * item) for item in ITEMS]
    assert len(list(tmp_path.iterdir())) == (0 if count == 1 else count)


def test_in_order() -> None:
    assert list(in_order([(2, "c"), (0, "a"), (1, "b")])) == ["a", "b", "c"]


def test_only_the_item_that_ends_its_worker_is_lost() -> None:
    found = dict(spread(works.fatal, ITEMS, 2))
    assert {item: found[item] for item in ITEMS if found[item] != item} == {
        13: Lost("the process was ended by SIGKILL")
    }


def test_a_worker_that_ends_loses_nothing(tmp_path: Path) -> None:
    assert sorted(spread(works.KilledOnce(str(tmp_path)), ITEMS, 2)) == [(item, item) for item in ITEMS]
    assert (tmp_path / "killed").exists()


def test_an_exception_is_passed_on() -> None:
    with pytest.raises(ValueError, match="three"):
        list(spread(works.failing, ITEMS, 2))


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="the system cannot hold back a signal")
def test_an_interrupt_while_a_worker_is_started_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(ProcessPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
            os.kill(os.getpid(), signal.SIGINT)
            return super().submit(fn, *arguments, **named)

    before, handler = active_children(), signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(processes, "ProcessPoolExecutor", Interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(spread(works.Doubling(str(tmp_path)), ITEMS, 2))
    finally:
        signal.signal(signal.SIGINT, handler)
    assert active_children() == before


@pytest.mark.parametrize(("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)])
def test_a_signal_waits_for_the_end_of_what_it_would_leave_locked(number: int, error: type[BaseException]) -> None:
    def end(*_: object) -> None:
        raise error

    handler, done = signal.signal(number, end), []

    def work() -> None:
        with processes._uninterrupted():
            signal.raise_signal(number)
            done.append(signal.getsignal(number) is end)

    try:
        with pytest.raises(error):
            work()
        assert done == [False]
        assert signal.getsignal(number) is end
    finally:
        signal.signal(number, handler)


def test_other_threads_hold_back_no_signal() -> None:
    """Only the main thread may say what signals do."""
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(processes._handlers()))
    thread.start()
    thread.join()
    assert found == [{}]

"""The pause of Python's garbage collector."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import irrun
from irrun.jobs.collector import collection_paused

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


@pytest.fixture(autouse=True)
def _enabled() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_collection_goes_on_after_the_last_pause() -> None:
    with collection_paused():
        with collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_collection_goes_on_after_an_exception() -> None:
    with pytest.raises(KeyboardInterrupt), collection_paused():
        raise KeyboardInterrupt
    assert gc.isenabled()


def test_a_disabled_collector_stays_disabled() -> None:
    gc.disable()
    with collection_paused():
        pass
    assert not gc.isenabled()


def test_the_search_after_imports_passes_over_what_they_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the program has frozen objects, which stay frozen."""
    gc.unfreeze()
    try:
        with collection_paused():
            monkeypatch.setitem(sys.modules, "imported_in_a_pause", sys)
            made: list[list[int]] = [[] for _ in range(100)]
        old = set(map(id, gc.get_objects(2)))
        assert [id(each) in old for each in made] == [True] * 100
        assert not gc.get_freeze_count()
        gc.freeze()
        with collection_paused():
            monkeypatch.setitem(sys.modules, "imported_in_another_pause", sys)
        assert gc.get_freeze_count()
    finally:
        gc.freeze()


def test_pauses_of_threads_overlap() -> None:
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with collection_paused():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    assert entered.wait(10)
    with collection_paused():
        pass
    states = [gc.isenabled()]
    leave.set()
    thread.join()
    assert [*states, gc.isenabled()] == [False, True]


def test_any_steps_of_threads_leave_it_enabled() -> None:
    def pauses() -> None:
        for _ in range(200):
            with collection_paused():
                pass

    team = [threading.Thread(target=pauses) for _ in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in team:
            thread.start()
        for thread in team:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert gc.isenabled()


def test_reading_and_checking_leave_it_as_it_was() -> None:
    irrun.read_model(DIGITS)
    irrun.lint(DIGITS)
    with pytest.raises(irrun.IRError):
        irrun.read_model(b"<net>")
    assert gc.isenabled()


def test_an_interrupt_between_any_two_lines_leaves_it_enabled() -> None:
    """Each line of a pause is interrupted in turn, as a signal does: the pause ends when it is forgotten."""
    lines = 0

    def pause(stop: int) -> None:
        nonlocal lines
        lines = 0

        def interrupt(frame: FrameType, event: str, _: object) -> Any:
            nonlocal lines
            if event == "line" and frame.f_code.co_name in ("__enter__", "__exit__"):
                lines += 1
                if lines == stop:
                    raise KeyboardInterrupt
            return interrupt

        before = sys.gettrace()
        sys.settrace(interrupt)
        try:
            with collection_paused():
                assert not gc.isenabled()
        finally:
            sys.settrace(before)

    pause(0)
    for stop in range(1, lines + 1):
        with pytest.raises(KeyboardInterrupt):
            pause(stop)
        assert gc.isenabled(), stop
        with collection_paused():
            assert not gc.isenabled()
        assert gc.isenabled(), stop
    assert lines >= 7

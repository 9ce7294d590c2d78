"""The pause of Python's garbage collector."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path

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


def test_reading_and_checking_leave_it_as_it_was() -> None:
    irrun.read_model(DIGITS)
    irrun.lint(DIGITS)
    with pytest.raises(irrun.IRError):
        irrun.read_model(b"<net>")
    assert gc.isenabled()

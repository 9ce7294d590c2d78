"""Several items at the same time on threads."""

from __future__ import annotations

import sys
import threading
import time
from types import FrameType
from typing import Any

import pytest

from irrun.jobs.spread import spread
from irrun.jobs.threads import Several
from tests.jobs import works
from tests.processes import WITH_ENTERS_AND_LEAVES

ITEMS = range(40)


@pytest.mark.parametrize("threads", [1, 2, 50])
def test_results_are_in_order(threads: int) -> None:
    assert list(spread(lambda item: 2 * item, ITEMS, threads=threads)) == [(item, 2 * item) for item in ITEMS]


@pytest.mark.parametrize("threads", [1, 3])
def test_that_many_at_the_same_time(threads: int) -> None:
    """The barrier breaks unless as many items as there are threads are worked on together."""
    barrier = threading.Barrier(threads)
    assert all(index < threads for index in Several(lambda _: barrier.wait(60), threads)(range(3 * threads)))


def test_only_some_wait_to_be_consumed() -> None:
    taken: list[int] = []
    results = Several(abs, 2)(taken.append(item) or item for item in ITEMS)  # type: ignore[func-returns-value]
    assert next(results) == 0
    assert len(taken) == 4
    assert list(results) == list(ITEMS)[1:]


def test_an_exception_is_passed_on() -> None:
    with pytest.raises(ValueError, match="three"):
        list(spread(works.failing, ITEMS, threads=2))


def test_in_processes() -> None:
    assert sorted(spread(works.failing, ITEMS[4:], 2, threads=2)) == [(item - 4, item) for item in ITEMS[4:]]


def test_a_signal_while_threads_start_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that nobody tells to end would keep the process from ending."""
    start, started = threading.Thread.start, []

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        started.append(thread)
        if len(started) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(Several(abs, 4)(ITEMS))
    for thread in started:
        thread.join(60)
    assert [thread.is_alive() for thread in started] == [False, False]


class Interrupter:
    """Raises KeyboardInterrupt at one of the places of this thread's code where a signal may arrive."""

    def __init__(self, place: int) -> None:
        self.left = place

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Count a place: the begin of a function, and the end of a call."""
        del argument
        if event != "c_call" and frame.f_code.co_filename.endswith(("threading.py", "threads.py", "_base.py")):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


def slow(item: int) -> int:
    """Return the item when the caller waits for it."""
    time.sleep(0.001)
    return item


def interrupted_at(place: int) -> bool:
    """Return whether an interrupt reaches the caller; False where all is done before."""
    interrupter = Interrupter(place)
    sys.setprofile(interrupter)
    try:
        assert list(Several(slow, 2)(range(5))) == [0, 1, 2, 3, 4]
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    assert interrupter.left > 0, "the interrupt is lost"
    return False


@WITH_ENTERS_AND_LEAVES
def test_an_interrupt_at_any_place_leaves_nothing_waiting() -> None:
    places: list[int] = []

    def interrupt_everywhere() -> None:
        place = 1
        while interrupted_at(place):
            places.append(place)
            place += 1

    thread = threading.Thread(target=interrupt_everywhere, daemon=True)
    thread.start()
    thread.join(120)
    assert not thread.is_alive(), f"an interrupt at place {len(places) + 1} leaves a thread waiting"
    assert len(places) > 100

"""The line that shows progress on a terminal."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator

import pytest

from irrun.cli.progress import watched


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def ticks(step: float) -> Callable[[], float]:
    """Return a clock that advances by a step each time it is read."""
    times: Iterator[float] = iter(index * step for index in range(10_000))
    return lambda: next(times)


def test_progress_on_a_terminal() -> None:
    stream = Terminal()
    assert list(watched(range(4), 4, stream, ticks(0.6))) == [0, 1, 2, 3]
    empty = " " * len("[##############################] 4 of 4 files,   0:00:00 left")
    assert stream.getvalue().split("\r") == [
        "",
        "[###############---------------] 2 of 4 files,   0:00:01 left",
        "[######################--------] 3 of 4 files,   0:00:00 left",
        "[##############################] 4 of 4 files,   0:00:00 left",
        empty,
        "",
    ]


@pytest.mark.parametrize(("stream", "step"), [(io.StringIO(), 10.0), (Terminal(), 0.01)])
def test_no_progress_off_a_terminal_or_when_it_is_quick(stream: io.StringIO, step: float) -> None:
    assert list(watched("abc", 3, stream, ticks(step))) == ["a", "b", "c"]
    assert stream.getvalue() == ""


def test_progress_of_one_slow_item() -> None:
    """The bar is drawn while nothing is done, by a thread of its own."""
    stream = Terminal()
    shown = threading.Event()
    stream.write = lambda text: shown.set() or len(text)  # type: ignore[method-assign,func-returns-value]

    def items() -> Iterator[int]:
        assert shown.wait(60)
        yield 1

    assert list(watched(items(), 1, stream)) == [1]


def test_batches_count_their_items() -> None:
    stream = Terminal()
    groups = [range(2), range(2), range(1)]
    assert list(watched(groups, 5, stream, ticks(2), unit="inputs", count=len)) == groups
    counts = [line.partition("] ")[2].partition(",")[0] for line in stream.getvalue().split("\r")[1:4]]
    assert counts == ["2 of 5 inputs", "4 of 5 inputs", "5 of 5 inputs"]


def test_no_progress_on_a_terminal_that_cannot_go_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    assert list(watched("abc", 3, stream, ticks(10))) == ["a", "b", "c"]
    assert stream.getvalue() == ""

"""The line that shows progress on a terminal."""

from __future__ import annotations

import io
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

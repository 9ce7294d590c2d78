"""The bar that shows progress on a terminal."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from irrun.cli.console import note
from irrun.cli.progress import Bar, line, shown
from irrun.jobs.progress import listening, told, working
from irrun.model import build, load
from irrun.optimize import PASSES
from tests.processes import ROOT


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def ticks(step: float) -> Callable[[], float]:
    """Return a clock that advances by a step each time it is read."""
    times: Iterator[float] = iter(index * step for index in range(10_000))
    return lambda: next(times)


def bar(stream: io.StringIO, clock: Callable[[], float], *, is_quiet: bool = False) -> Bar:
    """Return a bar that no thread draws."""
    made = Bar(stream, lambda: is_quiet, clock)
    made._is_ticking = True
    return made


def test_progress_on_a_terminal() -> None:
    stream = Terminal()
    with listening(bar(stream, ticks(0.5))):
        assert list(told(range(4), "checking", unit="files")) == [0, 1, 2, 3]
    assert stream.getvalue().split("\r") == [
        "",
        "checking [#######-----------------------] 1 of 4 files, 0:00:01 left",
        "checking [###############---------------] 2 of 4 files, 0:00:01 left",
        "checking [######################--------] 3 of 4 files, 0:00:00 left",
        "checking [##############################] 4 of 4 files, 0:00:00 left",
        " " * 68,
        "",
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("reading", 2_500_000, "bytes", 1_000_000, 1.0), f"reading [{'#' * 10}{'-' * 20}] 1 of 3 MB, 0:00:02 left"),
        (("running", 3, "layers", 0, 9.0), f"running [{'-' * 30}] 0 of 3 layers"),
        (("running", 0, "layers", 0, 9.0), f"running [{'-' * 30}] 0 of 0 layers"),
        (("running", 2, "layers", 3, 9.0), f"running [{'#' * 30}] 3 of 2 layers, 0:00:00 left"),
        (("reducing", None, "checks", 12, 3725.0), "reducing: 12 checks, 1:02:05"),
        (("running OpenVINO", None, "layers", 0, 61.9), "running OpenVINO: 0:01:01"),
    ],
)
def test_a_line(arguments: tuple[str, int | None, str, int, float], expected: str) -> None:
    assert line(*arguments) == expected


def test_work_inside_of_work_is_a_part_of_it() -> None:
    stream = Terminal()
    with listening(bar(stream, ticks(2))), working("comparing", 2, "pairs") as add:
        for _ in told(range(3), "reading"):
            add(1)
    assert "comparing" in stream.getvalue()
    assert "reading" not in stream.getvalue()


def test_work_after_work_is_told_even_if_a_loop_is_left() -> None:
    stream = Terminal()
    with listening(bar(stream, ticks(2))):
        for _ in told(range(3), "first"):
            break
        assert list(told("ab", "second", total=4, count=lambda _: 2)) == ["a", "b"]
    assert "second [##############################] 4 of 4 layers" in stream.getvalue()
    assert stream.getvalue().endswith(" \r")


def test_work_without_a_listener() -> None:
    items = [1, 2]
    assert told(items, "reading") is items
    with working("reading") as add:
        add(1)


@pytest.mark.parametrize(("clock", "is_quiet"), [(ticks(0.01), False), (ticks(10), True)])
def test_no_progress_where_it_is_quick_or_quiet(clock: Callable[[], float], is_quiet: bool) -> None:
    stream = Terminal()
    with listening(bar(stream, clock, is_quiet=is_quiet)):
        assert list(told("abc", "reading")) == ["a", "b", "c"]
    assert stream.getvalue() == ""


@pytest.mark.parametrize(("stream", "term"), [(io.StringIO(), "xterm"), (Terminal(), "dumb")])
def test_no_progress_where_a_line_cannot_be_erased(
    stream: io.StringIO, term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    with shown(stream, lambda: False):
        items = [1, 2]
        assert told(items, "reading") is items
    assert stream.getvalue() == ""


def test_progress_of_one_slow_item(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar is drawn while nothing is done, by a thread of its own, which ends with it."""
    monkeypatch.delenv("TERM", raising=False)
    stream = Terminal()
    drawn = threading.Event()
    stream.write = lambda text: drawn.set() or len(text)  # type: ignore[method-assign,func-returns-value]

    def items() -> Iterator[int]:
        assert drawn.wait(60)
        yield 1

    with shown(stream, lambda: False):
        assert list(told(items(), "reading", total=1)) == [1]
    for _ in range(600):
        if not any(thread.name == "irrun-progress" for thread in threading.enumerate()):
            return
        time.sleep(0.1)
    pytest.fail("the thread is still there")


def test_a_message_erases_the_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.delenv("TERM", raising=False)
    monkeypatch.setattr("irrun.cli.progress.DELAY", 0)
    monkeypatch.setattr("irrun.cli.console.level", lambda: 0)
    with shown(stream, lambda: False), working("reading", 2) as add:
        add(1)
        drawn = stream.getvalue()
        note("said")
        erased = stream.getvalue().removeprefix(drawn)
    assert drawn.startswith("\rreading [###############")
    assert erased == f"\r{' ' * (len(drawn) - 1)}\r"
    assert "said" in capsys.readouterr().err


class Heard:
    """A listener that keeps what was worked on, with the units that were done of all."""

    def __init__(self) -> None:
        self.done: dict[str, tuple[int, int | None]] = {}
        self._now = ""

    def begin(self, what: str, total: int | None, unit: str) -> None:
        assert unit in ("bytes", "layers", "passes")
        self._now = what
        self.done[what] = 0, total

    def add(self, count: int) -> None:
        done, total = self.done[self._now]
        self.done[self._now] = done + count, total

    def end(self) -> None:
        self._now = ""


def test_what_a_model_does() -> None:
    heard = Heard()
    with listening(heard):
        model = load(ROOT / "examples/digits/model.xml")
        for tier in ("compiled", "numpy"):
            build(model, {"TIER": tier})(np.zeros((1, 1, 8, 8), np.float32))
    layers = len(model.graph)
    size = (ROOT / "examples/digits/model.xml").stat().st_size
    assert heard.done["reading"] == (size, size)
    assert heard.done["binding"] == heard.done["inferring shapes"] == (layers, layers)
    assert heard.done["optimising"] == (len(PASSES), len(PASSES))
    assert {"folding constants", "compiling", "running"} <= heard.done.keys()
    assert all(done == total for done, total in heard.done.values())


COMMANDS = {
    "compare": (["compare", "digits", "digits"], {"reading", "inferring", "optimising", "running"}),
    "lint": (["lint", "digits"], {"reading", "inferring", "checking"}),
    "precision": (
        ["debug", "precision", "digits", "-i", "image", "--precision", "bf16"],
        {"rounding each layer alone"},
    ),
    "bench": (["bench", "digits", "--niter", "3"], {"timing"}),
    "report": (["report", "digits", "--run", "-o", "page"], {"reading", "running", "timing"}),
    "reduce": (["debug", "reduce", "digits", "--check", "false {}", "-o", "small"], {"reducing"}),
    "evaluate": (["evaluate", "digits", "--data", "images", "--labels", "labels", "-m", "top1"], {"running"}),
    "batch": (["run", "digits", "--batch", "image", "-o", "folder"], {"running"}),
}


@pytest.mark.rest
@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_show_what_they_work_on(name: str, tmp_path: Path) -> None:
    """On a terminal, and with a bar that is due at once."""
    words, expected = COMMANDS[name]
    files = {
        "digits": "examples/digits/model.xml",
        "image": "examples/digits/seven.npy",
        "images": "examples/digits/heldout_images.npy",
        "labels": "examples/digits/heldout_labels.npy",
        "page": str(tmp_path / "page.html"),
        "small": str(tmp_path / "small.xml"),
        "folder": str(tmp_path / "folder"),
    }
    code = (
        "import irrun.cli.progress as progress\n"
        "progress.DELAY = progress._INTERVAL = 0\n"
        "from irrun.cli import main\nmain()"
    )
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *(files.get(word, word) for word in words)],
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(terminal)
    text = b""
    while True:
        try:
            piece = os.read(main, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(main)
    assert process.wait() == 0, text[-500:]
    for what in expected:
        assert f"\r{what}" in text.decode(), what

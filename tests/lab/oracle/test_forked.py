from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="there is no fork")

from tests.lab.oracle.forked import forked


def test_a_call_that_returns(tmp_path: Path) -> None:
    assert forked((tmp_path / "mark").touch) == ""
    assert (tmp_path / "mark").exists()


def test_a_refusal_is_its_message_in_one_line() -> None:
    def refuse() -> None:
        raise RuntimeError("a line\nand another")

    assert forked(refuse) == "a line and another"


def test_a_crash_is_its_signal() -> None:
    assert forked(lambda: os.kill(os.getpid(), signal.SIGKILL)) == "crashes (signal 9)"


def test_any_other_error_ends_the_caller(capfd: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise KeyError("a fault of the caller")

    with pytest.raises(SystemExit):
        forked(fail)
    assert "a fault of the caller" in capfd.readouterr().err

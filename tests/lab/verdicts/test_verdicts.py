"""Wrong sizes of bare layers."""

from __future__ import annotations

import pytest

from tests.lab.__main__ import main


def test_wrong_sizes_of_an_operation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verdicts", "--op", "ReLU"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split() == ["all", "size", "16", "of", "16", "rank", "6", "of", "6"]

"""Tables fit a terminal of 80 columns, and are not broken elsewhere."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from irrun.cli.app import app
from irrun.cli.tables import aligned, clipped, filled, listed, wrapped
from irrun.ops.registry import declarations
from tests.cli.conftest import Run

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize(
    "arguments",
    [
        ["ops"],
        ["ops", "Interpolate"],
        ["rule"],
        ["rule", "--all"],
        ["info", DIGITS],
        ["run", DIGITS, "--random", "--shape", "2,1,8,8"],
        ["bench", DIGITS, "--niter", "2"],
        ["profile", DIGITS, "--niter", "2"],
        ["compare", DIGITS, DIGITS],
        ["--help"],
        *([command, "--help"] for command in app.list_commands(click.Context(app))),
        *(["edit", command, "--help"] for command in ("convert", "extract", "rename", "reshape", "strip")),
    ],
    ids=lambda arguments: " ".join(map(str, arguments[: 2 if "edit" in arguments else 1])),
)
def test_fits(run: Run, arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 0
    links = [line for line in result.stdout.splitlines() if "https://" in line]
    assert [line for line in result.stdout.splitlines() if len(line) > 80 and line not in links] == []


@pytest.mark.usefixtures("narrow")
def test_nothing_is_lost(run: Run) -> None:
    words = run("ops").stdout.split()
    for cls in declarations():
        assert cls.type in words
    assert "ExperimentalDetectronGenerateProposalsSingleImage\n" in run("ops").stdout


def test_a_pipe_gets_whole_lines(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = run("ops").stdout.splitlines()
    assert len(lines) == 1 + len({cls.type for cls in declarations()})


@pytest.mark.parametrize("spelling", ["pad", "PAD", "Pad"])
def test_operation_in_any_case(run: Run, spelling: str) -> None:
    assert run("ops", spelling).stdout.startswith("Pad  opset12  movement\n")


def test_listed() -> None:
    rows = [("a", "1", "one two three"), ("a long name", "2", "four")]
    assert listed(rows, None) == ["a            1  one two three", "a long name  2  four"]
    assert listed(rows, 30, 4) == ["a  1  one two three", "a long name\n   2  four"]
    assert wrapped("a  one two three four five six", 24, 3) == ["a  one two three four", "   five six"]


def test_filled() -> None:
    text = "One two\nthree.\n\n## A long heading stays\nFour five\nsix.\n    as it is"
    assert filled(text, None) == text
    assert filled(text, 20) == "One two three.\n\n## A long heading stays\nFour five six.\n    as it is"


def test_aligned() -> None:
    rows = [["a/long/name/of/a/layer", "1"], ["b", "10"]]
    assert aligned(rows) == "a/long/name/of/a/layer   1\nb                       10"
    assert aligned(rows, width=16) == "a/lo...layer   1\nb             10"
    assert clipped("abcdefghij", 7) == "ab...ij"


def test_aligned_in_several_lines() -> None:
    rows = [["layer", "type", "max", "relative", "cosine"], ["a/long/name", "Add", "1.5", "0.25", "1.0000"]]
    assert aligned(rows, left=2, width=22).splitlines() == [
        "layer  type",
        "  max  relative",
        "  cosine",
        "a/long/name  Add",
        "  1.5      0.25",
        "  1.0000",
    ]

"""Limits of an inference on the command line and in the configuration of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.runtime.budget_nets import broadcast, doubling_loop


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A model of a few bytes that asks for 96 GiB."""
    return saved(tmp_path, broadcast(2147483647, 3, 4))


def saved(folder: Path, model: object) -> Path:
    document = model.document  # type: ignore[attr-defined]
    (folder / "model.xml").write_bytes(document.data)
    (folder / "model.bin").write_bytes(document.weights.bytes.tobytes())
    return folder / "model.xml"


@pytest.mark.parametrize("command", ["run", "bench", "profile"])
def test_memory(run: Run, large: Path, command: str) -> None:
    result = run(command, large, "--random", "--max-memory", "500MB")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'Broadcast 2 "Broadcast_2": f32[2147483647,3,4] takes 96 GiB, the budget is 476.8 MiB; ' in result.stderr
    assert "--max-memory or MAX_MEMORY raises it [IR804]" in result.stderr


def test_configuration(run: Run, large: Path) -> None:
    (large.parent / "irrun.toml").write_text('max-memory = "1MiB"\nmax-iterations = 3\ntimeout = 1.5\n')
    assert "the budget is 1 MiB" in run("run", large).stderr
    assert "the budget is 2 MiB" in run("run", large, "--max-memory", "2MiB").stderr
    result = run("lint", large, "--select", "IR902", "--output-format", "concise")
    assert (result.exit_code, result.stdout.count("\n")) == (1, 1)
    assert "f32[2147483647,3,4] takes 96 GiB, the budget is 1 MiB [IR902]" in result.stdout


def test_lint_without_a_budget_reports_what_no_memory_holds(run: Run, large: Path) -> None:
    assert run("lint", large, "--select", "IR902", "--isolated").exit_code == 0
    assert run("lint", large, "--select", "IR902", "--isolated", "--max-memory", "100GiB").exit_code == 0
    result = run(
        "lint", large, "--select", "IR902", "--isolated", "--max-memory", "90GiB", "--output-format", "concise"
    )
    assert "takes 96 GiB, the budget is 90 GiB [IR902]" in result.stdout


def test_iterations(run: Run, tmp_path: Path) -> None:
    path = saved(tmp_path, doubling_loop(trip_count=5))
    assert run("run", path, "--max-iterations", "5").exit_code == 0
    result = run("run", path, "--max-iterations", "4")
    assert result.exit_code == 2
    assert 'Loop 3 "loop": the loop has not ended after 4 iterations, which is the budget' in result.stderr


def test_time(run: Run, tmp_path: Path) -> None:
    path = saved(tmp_path, doubling_loop(trip_count=5))
    assert run("run", path, "--timeout", "1000").exit_code == 0
    result = run("run", path, "--timeout", "1e-9")
    assert result.exit_code == 2
    assert "the inference has not ended after 1e-09 s; --timeout or TIMEOUT raises it [IR804]" in result.stderr


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--max-iterations", "9" * 30, f"{'9' * 30} is not in the range 1<=x<=9223372036854775807."),
        ("--dynamic-quantization", "9" * 30, f"{'9' * 30} is not in the range 0<=x<=9223372036854775807."),
        ("--timeout", "nan", "nan is not a number."),
        ("--timeout", "inf", "inf is not in the range 0<x<=1000000000.0."),
    ],
)
def test_numbers_out_of_range(run: Run, large: Path, option: str, value: str, message: str) -> None:
    result = run("run", large, "--random", option, value)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"Error: Invalid value for '{option}': {message}")


@pytest.mark.parametrize(
    "text",
    [
        "[tool.irrun]",
        "[ tool . irrun ]",
        "[tool]\nirrun.MORE",
        '["tool"."irrun"]',
        "tool.irrun.MORE",
        "tool = {irrun = {MORE}}",
    ],
)
def test_any_spelling_of_the_table_of_a_project(run: Run, large: Path, text: str) -> None:
    line = 'max-memory = "1MiB"'
    written = text.replace("MORE", line) if "MORE" in text else f"{text}\n{line}"
    (large.parent / "pyproject.toml").write_text(written)
    assert "the budget is 1 MiB" in run("run", large).stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('max-memory = "much"', 'max-memory is "much", expected a positive number of bytes such as 500MB or 4GiB'),
        ("max-iterations = 0", "max-iterations is 0, expected a positive number of iterations"),
        ("timeout = true", "timeout is true, expected a positive number of seconds"),
    ],
)
def test_wrong_configuration(run: Run, large: Path, line: str, message: str) -> None:
    (large.parent / "irrun.toml").write_text(line)
    for command in ("run", "lint"):
        result = run(command, large)
        assert result.exit_code == 2
        assert message in result.stderr


def test_configuration_with_control_characters(run: Run, large: Path) -> None:
    (large.parent / "irrun.toml").write_text('"\\u009b31m" = 1\n')
    done = run("run", large, "--random")
    assert done.exit_code == 2
    assert [letter for letter in done.stderr if not letter.isprintable() and letter != "\n"] == []

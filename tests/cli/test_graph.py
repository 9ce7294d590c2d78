"""irrun graph: formats, parts and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run, one_line

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


def test_standard_output_is_for_graphviz(run: Run) -> None:
    result = run("graph", DIGITS)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("digraph model {\n")
    assert result.stdout.count(" -> ") == 20


@pytest.mark.parametrize(
    ("name", "begin"),
    [("a.svg", "<svg "), ("a.dot", "digraph "), ("a.gv", "digraph "), ("a.mmd", "flowchart TD"), ("a.txt", "<svg ")],
)
def test_the_format_follows_from_the_file(run: Run, tmp_path: Path, name: str, begin: str) -> None:
    result = run("graph", DIGITS, "-o", tmp_path / name)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"note: wrote {tmp_path / name}\n")
    assert (tmp_path / name).read_text().startswith(begin)


def test_a_part(run: Run) -> None:
    result = run("graph", DIGITS, "--to", "scores", "--from", "softmax", "--format", "mermaid")
    assert "SoftMax" in result.stdout
    assert "Convolution" not in result.stdout


def test_unknown_layers(run: Run) -> None:
    assert one_line(run("graph", DIGITS, "--from", "scorse")) == 'error: no layer "scorse"; did you mean scores?'


def test_the_model_is_not_replaced(run: Run) -> None:
    assert "is read by this command" in one_line(run("graph", DIGITS, "-o", DIGITS))

"""The notebook of the examples: its cells run, and what they return is shown as tables."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import irrun.openvino
from irrun.diagnostics.notebook import html_table

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_the_gallery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("stories", "__pycache__"))
    monkeypatch.chdir(tmp_path / "examples")
    notebook = json.loads(Path("gallery.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    shown = [_run("".join(cell["source"]), names) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    tables = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    expected = [
        "<td style='text-align:left'>f32</td><td style='text-align:left'>[?,10]</td>",
        "output port 3 is declared [1,3,9,10], inferred [1,3,9,9]",
        "33 output ports verified: all is well",
        "equal within the tolerances",
        "the difference begins at pool1",
        "<th style='text-align:left'>ms</th>",
    ]
    assert len(tables) == len(expected)
    assert [text for text, table in zip(expected, tables, strict=True) if text not in table] == []
    assert 7 in shown
    assert irrun.openvino.Core().read_model("digits/model.xml")._repr_html_() == tables[0]


def _run(code: str, names: dict[str, Any]) -> Any:
    """Run a cell; return the value of its last line, as a notebook shows it, or None."""
    *lines, last = ast.parse(code).body
    exec(compile(ast.Module(lines, []), "cell", "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    exec(compile(ast.Module([last], []), "cell", "exec"), names)
    return None


def test_long_tables_are_cut_and_texts_escaped() -> None:
    table = html_table("a < b", ("n",), [(number,) for number in range(1203)], "<note>")
    assert table.count("<tr>") == 202
    assert "and 1,003 more" in table
    assert "<b>a &lt; b</b>" in table
    assert "&lt;note&gt;" in table

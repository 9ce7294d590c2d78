"""The requirements on all output formats."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from irrun.diagnostics import Anchor, Diagnostic, Edit, Fix, LayerRef
from irrun.diagnostics.formats import names, render
from irrun.diagnostics.render import Finding
from irrun.diagnostics.results import ADDRESS, Results
from irrun.document.source_map import SourceMap
from tests.diagnostics.support import MILD, ODD, ROOT, RULES, WRONG, findings


@pytest.mark.parametrize("page", ["docs/linting.md", "docs/ci.md"])
def test_each_format_is_in_the_pages(page: str) -> None:
    assert {"full", "json-lines"} <= {*names()}
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = [name for name in names() if f"`{name}`" not in text]
    assert missing == [], f"formats that {page} does not list"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("full", ""),
        ("concise", ""),
        ("grouped", ""),
        ("json", "[]"),
        ("json-lines", ""),
        ("github", ""),
        ("gitlab", "[]"),
    ],
)
def test_nothing_found(nothing: Results, name: str, text: str) -> None:
    assert render(name, nothing) == text


def test_nothing_found_for_programs(nothing: Results) -> None:
    assert json.loads(render("rdjson", nothing))["diagnostics"] == []
    assert json.loads(render("sarif", nothing))["runs"][0]["results"] == []
    suites = ElementTree.fromstring(render("junit", nothing))
    assert [(suite.get("tests"), suite.get("failures")) for suite in suites] == [("1", "0")]


@pytest.mark.parametrize("name", ["full", "concise", "grouped", "github", "junit"])
def test_nothing_reaches_the_terminal_that_it_would_obey(name: str) -> None:
    """Escape sequences, line ends, and characters that change the direction of writing."""
    hostile = "\x1b]0;x\x07\x9b31m\r\n\u202egnp\u2066\u200b\ufeff"
    source = SourceMap(f'<net name="{hostile}" version="11"/>'.encode())
    layer = LayerRef("1", hostile, "Pad", "opset1")
    fix = Fix(f"write {hostile}", (Edit(0, 1, ""),))
    item = Diagnostic("IR600", hostile, Anchor(offset=0), layer=layer, notes=(hostile,), fix=fix)
    text = render(name, Results([Finding(item, f"{hostile}.xml", source)]))
    assert [letter for letter in text if not letter.isprintable() and letter != "\n"] == []


def test_excerpts_answer_what_formats_ask(results: Results, tmp_path: Path) -> None:
    whole = findings(ODD, WRONG, MILD, filename=results.files[0])
    entire = Results(whole, results.files, 12, RULES, tmp_path, "1.2.3")
    for name in names():
        assert render(name, results) == render(name, entire)


def test_the_address_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Repository"] == ADDRESS

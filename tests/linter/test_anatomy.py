"""The rule of the page about rules does what the page says."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import irrun.linter._rules
from irrun.linter import rule
from irrun.linter.catalogue import catalogue
from tests.linter import snippets

PAGE = Path(__file__).resolve().parents[2] / "docs" / "anatomy-of-a-rule.md"
NAME = "clamp_to_one_value"
SECTION = PAGE.read_text(encoding="utf-8").partition("## The smallest complete example")[2]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of the page of examples, with the rule and its page in place."""
    (source,) = re.findall(r"^```python\n(.*?)^```", SECTION, re.S | re.M)
    (examples,) = re.findall(r"^````markdown\n(.*?)^````", SECTION, re.S | re.M)
    (tmp_path / f"{NAME}.py").write_text(source, encoding="utf-8")
    (tmp_path / f"{NAME}.md").write_text(examples, encoding="utf-8")
    monkeypatch.setattr(irrun.linter._rules, "__path__", [*irrun.linter._rules.__path__, str(tmp_path)])
    monkeypatch.setattr(snippets, "FOLDER", tmp_path)
    rule.forget()
    yield NAME
    rule.forget()
    sys.modules.pop(f"irrun.linter._rules.{NAME}", None)


def test_the_examples_of_the_page(page: str) -> None:
    sound, faulty = snippets.examples(page)
    assert (sound.output, faulty.rule) == ("", "IR609")
    for example in (sound, faulty):
        assert list(snippets.problems(example)) == []
        assert example.found == example.output


def test_the_page_of_the_rule(page: str) -> None:
    info = catalogue(["IR609"])["IR609"]
    assert info.name.replace("-", "_") == page
    assert info.summary == "A Clamp gives the same value everywhere."
    assert re.findall(r"^## (.*)$", info.explanation, re.M) == [
        "What it does",
        "Why is this bad",
        "Example",
        "Use instead",
    ]

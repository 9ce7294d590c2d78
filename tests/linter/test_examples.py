"""Every example of the rules has exactly the expected findings, with exactly the output of its page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from irrun.linter import lint
from irrun.linter.rule import rules
from tests.linter.snippets import FOLDER, Example, examples, problems

PAGES = sorted(path.stem for path in FOLDER.glob("*.md"))
NO_RULE = {"models", "sound_files"}
"""Pages of sound files."""


@cache
def of_page(page: str) -> list[Example]:
    return examples(page)


@pytest.mark.parametrize("page", PAGES)
def test_examples(page: str, subtests: pytest.Subtests) -> None:
    items = of_page(page)
    assert items
    for example in items:
        with subtests.test(example=example.name):
            assert list(problems(example)) == []
            assert example.found == example.output
    if page not in NO_RULE:
        with subtests.test("a sound file first, and a faulty one"):
            assert items[0].output == ""
            assert any(finding.diagnostic.code == item.rule for item in items[1:] for finding in item.findings)


def test_every_example_has_a_name_of_its_own() -> None:
    names = [(page, item.name) for page in PAGES for item in of_page(page)]
    assert len(set(names)) == len(names) >= 400


def test_every_rule_of_the_linter_has_a_page() -> None:
    linted = [rule for rule in rules().values() if not rule.at_run_time]
    assert {*PAGES} - NO_RULE == {rule.name.replace("-", "_") for rule in linted}


@pytest.mark.sample(4)
@pytest.mark.parametrize("page", PAGES)
def test_a_selected_rule_finds_what_it_finds_among_all(page: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    assert of_page(page)
    for example in of_page(page):
        folder = tmp_path / example.name
        folder.mkdir()
        path = example.written(folder)
        with subtests.test(example=example.name):
            for code in sorted({finding.diagnostic.code for finding in example.findings}):
                settings = {**example.settings, "asked": [code]}
                among = list(lint(path, **settings))
                alone = lint(path, **settings, codes={code})
                assert [item for item in alone if item.code == code] == [item for item in among if item.code == code]

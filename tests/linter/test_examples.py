"""Every example of the rules has exactly the expected findings, with exactly the output of its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.linter import lint
from irrun.linter.rule import Rule, rules
from tests.linter.snippets import FOLDER, Example, examples, problems

EXAMPLES = examples()
NAMES = [f"{item.page.stem}-{item.name.removesuffix('.xml')}" for item in EXAMPLES]
LINTED = [rule for rule in rules().values() if not rule.at_run_time]
NO_RULE = {"models", "sound_files"}
"""Pages of sound files."""


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_example(example: Example) -> None:
    assert list(problems(example)) == []
    assert example.found == example.output


def test_every_example_has_a_name_of_its_own() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 400


def test_every_rule_of_the_linter_has_a_page() -> None:
    pages = {path.stem for path in FOLDER.glob("*.md")}
    assert pages - NO_RULE == {rule.name.replace("-", "_") for rule in LINTED}


@pytest.mark.parametrize("rule", LINTED, ids=lambda rule: rule.code)
def test_a_page_begins_with_a_sound_file_and_has_a_faulty_one(rule: type[Rule]) -> None:
    first, *others = examples(rule.name.replace("-", "_"))
    assert first.output == ""
    assert any(finding.diagnostic.code == rule.code for item in others for finding in item.findings)


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_a_selected_rule_finds_what_it_finds_among_all(example: Example, tmp_path: Path) -> None:
    path = example.written(tmp_path)
    for code in sorted({finding.diagnostic.code for finding in example.findings}):
        among = list(lint(path, target_version=example.target, asked=[code], purposes=example.purposes))
        alone = lint(path, target_version=example.target, asked=[code], purposes=example.purposes, codes={code})
        assert [item for item in alone if item.code == code] == [item for item in among if item.code == code]

"""Every rule: its examples have exactly the expected findings, its explanation has all sections."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from irrun.linter import lint
from irrun.linter.rule import Rule, rules, url

RULES = list(rules().values())
SECTIONS = ["What it does", "Why is this bad", "Example", "Use instead"]


def examples(kind: str) -> list[object]:
    return [
        pytest.param(rule, text, id=f"{rule.code}-{index}")
        for rule in RULES
        for index, text in enumerate(getattr(rule, kind))
    ]


def written(folder: Path, rule: type[Rule], text: str) -> Path:
    path = folder / "model.xml"
    path.write_text(text, encoding="utf-8")
    if rule.weights is not None:
        path.with_suffix(".bin").write_bytes(rule.weights)
    return path


@pytest.mark.parametrize(("rule", "text"), examples("bad"))
def test_bad_example_has_this_finding_alone(rule: type[Rule], text: str, tmp_path: Path) -> None:
    report = lint(written(tmp_path, rule, text), target_version=rule.target_version, asked=[rule.code])
    assert [item.code for item in report] == [rule.code] * max(len(report), 1), [item.message for item in report]
    assert len(report) == 1


@pytest.mark.parametrize(("rule", "text"), examples("good"))
def test_good_example_has_no_finding(rule: type[Rule], text: str, tmp_path: Path) -> None:
    report = lint(written(tmp_path, rule, text), target_version=rule.target_version, asked=[rule.code])
    assert [(item.code, item.message) for item in report] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_rule_is_complete(rule: type[Rule]) -> None:
    assert re.fullmatch(r"IR\d{3}", rule.code)
    assert rule.__module__.rpartition(".")[2] == rule.name.replace("-", "_")
    assert "".join(word.capitalize() for word in rule.name.split("-")) == rule.__name__
    assert re.findall(r"^## (.*)$", rule.explanation(), re.M) == SECTIONS
    assert url(rule.code).endswith(f"/docs/rules/{rule.name}.md")
    if rule.stage != "run":
        assert rule.bad
        assert rule.good


def test_every_code_in_the_source_has_a_rule() -> None:
    package = Path(__file__).resolve().parents[2] / "irrun"
    used = {code for path in package.rglob("*.py") for code in re.findall(r'"(IR[1-9]\d\d)"', path.read_text("utf-8"))}
    assert used == set(rules())

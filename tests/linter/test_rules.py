"""Every rule: its names agree, its explanation has all sections, and each fault belongs to one rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from irrun.diagnostics import Fault, OpError
from irrun.linter.rule import Rule, rules
from irrun.linter.selection import meant
from irrun.ops.registry import load

RULES = list(rules().values())
SECTIONS = ["What it does", "Why is this bad", "Example", "Use instead"]


def test_rules_are_complete(subtests: pytest.Subtests) -> None:
    assert RULES
    for rule in RULES:
        with subtests.test(rule=rule.code):
            assert re.fullmatch(r"IR\d{3}", rule.code)
            assert rule.__module__.rpartition(".")[2] == rule.name.replace("-", "_")
            assert "".join(word.capitalize() for word in rule.name.split("-")) == rule.__name__
            assert re.findall(r"^## (.*)$", rule.explanation(), re.M) == SECTIONS
            assert rule.url().endswith(f"/docs/rules/{rule.name}.md")
        with subtests.test("checks, or names who finds its fault", rule=rule.code):
            assert {fault.code for fault in rule.faults} in ({rule.code}, set())
            assert rule.faults or rule.check is not Rule.check


def test_every_fault_belongs_to_one_rule() -> None:
    load()
    named = [fault for rule in RULES for fault in rule.faults]
    known = {item for base in (Fault, OpError) for item in _subclasses(base) if "code" in vars(item)}
    assert known == {fault for fault in named if fault.__module__.startswith("irrun")}
    assert len(named) == len(set(named))


def _subclasses(cls: type) -> set[type]:
    return {cls}.union(*map(_subclasses, cls.__subclasses__()))


def test_relations_name_rules() -> None:
    assert all(meant(rule.explains) for rule in RULES if rule.explains)
    assert {rule.code for rule in RULES if rule.explains} == {"IR111", "IR310", "IR312", "IR408", "IR503", "IR506"}


def test_every_code_in_the_source_has_a_rule() -> None:
    package = Path(__file__).resolve().parents[2] / "irrun"
    used = {code for path in package.rglob("*.py") for code in re.findall(r'"(IR[1-9]\d\d)"', path.read_text("utf-8"))}
    assert used == set(rules())

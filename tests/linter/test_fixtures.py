"""Every fixture has exactly the expected findings, with exactly the output of its ``.out``."""

from __future__ import annotations

import pytest

from irrun.linter.rule import rules
from tests.linter.fixtures import FOLDER, Fixture, fixtures, unmet

FIXTURES = fixtures()
WITHOUT = {
    "IR501": "found when a model is compiled, never by the linter",
    "IR801": "found when a model is compiled, never by the linter",
    "IR802": "found when a model runs, never by the linter",
    "IR803": "found when a model is compiled, never by the linter",
    "IR804": "found when a model is compiled or runs, never by the linter",
}
"""Rules without a fixture, with the reason."""


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.path.stem)
def test_fixture(fixture: Fixture) -> None:
    assert fixture.expected is not None, "no comment says what is expected"
    assert list(unmet(fixture)) == []
    assert fixture.output() == fixture.out.read_bytes().decode()


def test_every_file_belongs_to_a_fixture() -> None:
    stems = {fixture.path.stem for fixture in FIXTURES}
    kinds = {".xml", ".bin", ".out", ".expect", ".py"}
    files = [path for path in FOLDER.iterdir() if path.is_file() and path.suffix]
    assert {path.suffix for path in files} <= kinds
    assert {path.stem for path in files if path.suffix != ".py"} == stems
    assert len(stems) >= 100


def test_every_rule_has_a_fixture() -> None:
    expected = {item.code for fixture in FIXTURES for item in fixture.expected or ()}
    assert rules().keys() - expected == WITHOUT.keys()

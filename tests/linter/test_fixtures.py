"""Every fixture: exactly the findings that it expects, in exactly the words of its ``.out``."""

from __future__ import annotations

import pytest

from tests.linter.fixtures import FOLDER, Fixture, fixtures, unmet

FIXTURES = fixtures()


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

"""Results for the tests of the output formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.diagnostics.excerpt import excerpted
from irrun.diagnostics.results import Problem, Results
from irrun.diagnostics.verified import Unverified
from tests.diagnostics.support import MILD, ODD, RULES, WRONG, findings


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """Three findings in one file, none in another; files are named relative to the root."""
    first, second = str(tmp_path / "models" / "a b.xml"), str(tmp_path / "ok.xml")
    found = excerpted(findings(ODD, WRONG, MILD, filename=first))
    return Results(found, [first, second], 12, RULES, tmp_path, "1.2.3")


@pytest.fixture
def nothing(tmp_path: Path) -> Results:
    return Results((), [str(tmp_path / "ok.xml")], 3, RULES, tmp_path, "1.2.3")


@pytest.fixture
def failed(tmp_path: Path) -> Results:
    """One file that could not be checked, a failure of the run, a skipped file, and one with ports not verified."""
    ok, broken, other = (str(tmp_path / name) for name in ("ok.xml", "a|b.xml", "other.xml"))
    unverified = {ok: (Unverified('Tile "t": repeats is unknown', 2), Unverified("Pad: pads_end is unknown", 1))}
    problems = [Problem(broken, "a|b.xml: Permission denied"), Problem("", "q*: no IR file was found")]
    return Results((), [ok], 3, RULES, tmp_path, "1.2.3", unverified=unverified, problems=problems, skipped=[other])

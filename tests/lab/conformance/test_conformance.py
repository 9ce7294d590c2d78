"""The record of the CPU plugin's answers, and the scoreboard made from it."""

from __future__ import annotations

import pytest

from irrun.ops.departures import GENERAL
from irrun.ops.operation import Op, op
from irrun.ops.registry import declarations
from irrun.tensor import Array, Fact
from tests.cases import AnyCase, all_cases, all_models
from tests.lab import records
from tests.lab.conformance import record
from tests.lab.conformance.page import Score, Scoreboard, linked
from tests.lab.conformance.record import BY_CHANCE, RECORD
from tests.lab.oracle.cases import is_asked, reason
from tests.ops import harness
from tests.ops.extreme_rows import ROWS

STALE = "run python -m tests.lab conformance, with --op TYPE for one operation, which records the outcomes of new cases"


def every() -> list[AnyCase]:
    return [*all_cases(), *all_models()]


def test_every_case_is_recorded() -> None:
    recorded = record.outcomes(records.read(RECORD))
    asked = {str(case) for case in every() if is_asked(case)}
    assert set(recorded) == asked, STALE


def test_every_case_has_a_name_of_its_own() -> None:
    cases = every()
    assert record.repeated(cases) == []
    assert record.repeated([*cases, cases[3], cases[3]]) == [str(cases[3])]


def test_the_record_of_one_operation_keeps_the_others() -> None:
    recorded = records.read(RECORD)["cases"]
    known = [case for case in every() if is_asked(case)]
    found = record.merged(recorded, {"Tile-1": {"differs": ["a"]}}, known)
    assert found == {**recorded, "Tile-1": {"differs": ["a"]}}
    gone = {name: outcomes for name, outcomes in recorded.items() if name != "Tile-1"}
    assert record.merged(gone, {"Tile-1": recorded["Tile-1"]}, known) == recorded


def test_every_operation_version_is_recorded() -> None:
    recorded = records.read(RECORD)["cases"]
    assert {f"{cls.type}-{cls.opset}" for cls in declarations()} - set(recorded) == set(), STALE


def test_a_case_departs_exactly_where_the_plugin_does_not_agree() -> None:
    recorded = record.outcomes(records.read(RECORD))
    asked = [case for case in every() if is_asked(case) and case.departs != BY_CHANCE]
    wrong = [str(case) for case in asked if bool(case.departs) == (recorded.get(str(case)) == "agrees")]
    assert wrong == [], f"expected departs= exactly where the plugin does not agree; if a case is new: {STALE}"


def test_a_case_of_a_departure_has_its_words() -> None:
    assert [str(case) for case in every() if case.departs and not reason(case)] == []


def test_no_operation_repeats_a_general_departure() -> None:
    own = {(cls.type, text) for cls in declarations() for text in cls.spec.departures.values()}
    assert [(type, text) for type, text in own if text in GENERAL.values()] == []


def test_every_departure_that_the_linter_does_not_recognise_has_a_case() -> None:
    named = {(case.type, case.opset, case.departs) for case in every()}
    declared = {
        (cls.type, cls.opset, key)
        for cls in declarations()
        for key, item in cls.departures.items()
        if isinstance(item, str)
    }
    at_extremes = {row.key for row in ROWS}
    assert {departure for departure in declared - named if departure[2] not in at_extremes} == set()
    assert set(GENERAL) - {case.departs for case in every()} - at_extremes == set()


@pytest.mark.rest
def test_irrun_answers_every_case() -> None:
    assert [str(case) for case in every() if not harness.passes(case)] == []


def test_score() -> None:
    board = Scoreboard()
    cases = [case for case in all_cases() if case.type == "Clamp"]
    total, own, native = board.score(cases)
    assert total == own == len(cases)
    assert native == sum(not case.departs for case in cases)
    assert Score(1200, 7, 5).row("all", bold=True) == "| all | **1,200** | **7** | **5** |"


def test_an_operation_without_a_page_has_no_link() -> None:
    spec = next(cls.spec for cls in declarations() if cls.type == "Clamp")
    assert linked(spec) == f"[Clamp]({spec.page})"
    assert linked(spec._replace(page="docs/Clamp.md")) == "[Clamp](Clamp.md)"
    assert linked(spec._replace(page="")) == "Clamp"

    @op("Own", opset="own", page=None)
    class Own(Op):
        """An operation."""

        def infer(self) -> Fact:
            return Fact.unknown()

        def run(self) -> Array:
            raise NotImplementedError

    assert Own.spec.page == ""

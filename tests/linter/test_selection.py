"""The selection of rules, and the files that it applies to."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.linter.rule import rules
from irrun.linter.selection import Choice, FileIgnores, UnknownRule, meant, selected, selector

ALL = frozenset(rules())
SHAPES = frozenset(code for code in ALL if code.startswith("IR4"))


@pytest.mark.parametrize(
    ("text", "codes", "closeness"),
    [
        ("ALL", ALL, 0),
        ("IR", ALL, 2),
        ("IR4", SHAPES, 3),
        ("IR40", {"IR401", "IR402", "IR403"}, 4),
        ("IR401", {"IR401"}, 5),
        ("wrong-output-dims", {"IR401"}, 5),
    ],
)
def test_selector(text: str, codes: set[str], closeness: int) -> None:
    found = selector(text)
    assert (found.codes & (ALL if closeness != 4 else codes), found.closeness) == (codes, closeness)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wrong-output-dim", 'no rule is called "wrong-output-dim"; did you mean wrong-output-dims?'),
        ("ir401", 'no rule is called "ir401"; did you mean IR401?'),
        ("all", 'no rule is called "all"; did you mean ALL?'),
        ("E501", 'no rule is called "E501", expected a code such as IR401, a prefix such as IR4, a name or ALL'),
        ("", 'no rule is called "", expected a code such as IR401, a prefix such as IR4, a name or ALL'),
    ],
)
def test_unknown_selector(text: str, message: str) -> None:
    with pytest.raises(UnknownRule) as raised:
        selector(text)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ([], ALL),
        ([Choice()], ALL),
        ([Choice(select=("IR4",))], SHAPES),
        ([Choice(select=())], frozenset()),
        ([Choice(select=("IR4",), ignore=("IR401",))], SHAPES - {"IR401"}),
        ([Choice(select=("IR401",), ignore=("IR4",))], {"IR401"}),
        ([Choice(select=("IR4",), ignore=("IR4",))], frozenset()),
        ([Choice(ignore=("IR4",), extend_select=("wrong-output-dims",))], ALL - SHAPES | {"IR401"}),
        ([Choice(select=("IR402",), extend_select=("IR403",))], {"IR402", "IR403"}),
        ([Choice(select=("ALL",), ignore=("IR",))], frozenset()),
    ],
)
def test_the_closer_selector_wins(choices: list[Choice], expected: frozenset[str]) -> None:
    assert selected(choices) == expected


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        (Choice(), SHAPES - {"IR401"}),
        (Choice(select=("IR401",)), {"IR401"}),
        (Choice(extend_select=("IR401",)), SHAPES),
        (Choice(ignore=("IR402",)), SHAPES - {"IR401", "IR402"}),
        (Choice(ignore=("IR4",)), frozenset()),
    ],
)
def test_a_later_choice_goes_over_an_earlier_one(over: Choice, expected: frozenset[str]) -> None:
    assert selected([Choice(select=("IR4",), ignore=("IR401",)), over]) == expected


def test_meant_is_the_sum_of_its_selectors() -> None:
    assert meant(["IR401", "wrong-precision"]) == {"IR401", "IR403"}
    assert meant([]) == frozenset()


@pytest.mark.parametrize(
    ("pattern", "path", "ignored"),
    [
        ("old.xml", "/project/models/old.xml", True),
        ("*.xml", "/project/models/old.xml", True),
        ("models/*.xml", "/project/models/old.xml", True),
        ("models/*", "/project/models/deep/old.xml", True),
        ("models/*.xml", "/elsewhere/models/old.xml", False),
        ("new.xml", "/project/models/old.xml", False),
        ("!models/*", "/project/models/old.xml", False),
        ("!models/*", "/project/other/old.xml", True),
        ("/project/models/old.xml", "/project/models/old.xml", True),
    ],
)
def test_file_ignores(pattern: str, path: str, ignored: bool) -> None:
    item = FileIgnores(pattern, ("IR401",), Path("/project"))
    assert item.codes(Path(path)) == (frozenset({"IR401"}) if ignored else frozenset())

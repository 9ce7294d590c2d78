"""Rules that are not selected are not checked, and the findings of the other rules do not change."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.diagnostics.internal import InternalError
from irrun.linter import lint
from irrun.linter._rules.wrong_output_dims import WrongOutputDims
from irrun.linter._rules.wrong_precision import WrongPrecision
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from tests.linter.models import NET

DIMS = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1)


def refuses(monkeypatch: pytest.MonkeyPatch, rule: type[Rule]) -> None:
    def check(_: Rule, context: Context) -> None:
        raise AssertionError(f"{rule.code} is checked in {context.document.path}")

    monkeypatch.setattr(rule, "check", check)


def test_a_rule_that_is_not_selected_is_not_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(NET)
    refuses(monkeypatch, WrongPrecision)
    assert list(lint(path, codes={"IR401"})) == []
    with pytest.raises(InternalError, match=WrongPrecision.code):
        lint(path)


def test_errors_hide_remarks_whether_they_are_selected_or_not(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(DIMS.replace('shape="2,3"', 'shape="0,3"'))
    whole = [item.code for item in lint(path, asked=["IR405"])]
    assert WrongOutputDims.code in whole
    assert "IR405" not in whole
    alone = [item.code for item in lint(path, asked=["IR405"], codes={"IR405"})]
    assert "IR405" not in alone


def test_a_comment_is_used_by_a_rule_that_is_not_selected(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(DIMS.replace("<layers>", "<!-- irrun: ignore-file[IR401] --><layers>"))
    assert list(lint(path, codes={"IR112"})) == []

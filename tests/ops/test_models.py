"""Every model case, optimised and as written: no finding, and the expected outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

import irrun.model
from tests.cases import ModelCase, all_models
from tests.ops import harness


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("case", all_models(), ids=str)
def test_gives_what_is_expected(case: ModelCase, optimize: bool, tmp_path: Path) -> None:
    harness.whole(case).save(tmp_path / "model.xml")
    report = irrun.lint(tmp_path / "model.xml")
    assert [item.message for item in report if item.severity > 0 and item.code != "IR601"] == []
    request = irrun.model.build(tmp_path / "model.xml", {"OPTIMIZE": optimize}).session()
    for _ in range(case.runs):
        outputs = request.run(list(case.inputs))
    harness.expect(outputs.to_tuple(), case)

"""Every model case, optimised and as written: no finding, and the expected outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

import irrun.model
from tests.cases import ModelCase, all_models, by_type
from tests.ops import harness
from tests.ops.each import for_each

MODELS = by_type(all_models())


@pytest.mark.parametrize("type", MODELS)
def test_gives_what_is_expected(type: str, subtests: pytest.Subtests, tmp_path: Path) -> None:
    for_each(subtests, MODELS[type], lambda case: gives_what_is_expected(case, tmp_path / "model.xml"))


def gives_what_is_expected(case: ModelCase, path: Path) -> None:
    harness.whole(case).save(path)
    report = irrun.lint(path)
    assert [item.message for item in report if item.severity > 0 and item.code != "IR601"] == []
    for optimize in (True, False):
        request = irrun.model.build(path, {"OPTIMIZE": optimize}).session()
        for _ in range(case.runs):
            outputs = request.run(list(case.inputs))
        harness.expect(outputs.to_tuple(), case)

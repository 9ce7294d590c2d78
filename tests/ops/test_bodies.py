"""Sub-graphs and variables, besides the model cases: inferred sizes, requests, places of faults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from tests.cases import f32
from tests.cases.condition import if_
from tests.cases.infrastructure.loop import sums
from tests.cases.infrastructure.read_value import accumulator


def save(build: Callable[[Writer], None], folder: Path) -> Path:
    ir = Writer("model")
    build(ir)
    ir.save(folder / "model.xml")
    return folder / "model.xml"


def test_loop_with_a_constant_trip_count_has_a_static_output(tmp_path: Path) -> None:
    model = irrun.model.load(save(sums(3, 1e9), tmp_path))
    assert str(model.outputs[1].partial_shape) == "[1..3,2]"


@pytest.mark.parametrize(("with_init", "begin"), [(True, f32([[10, 20]])), (False, f32([[0, 0]]))])
def test_variables_belong_to_a_request(with_init: bool, begin: np.ndarray, tmp_path: Path) -> None:
    compiled = irrun.model.build(save(accumulator(6, with_init), tmp_path))
    one = f32([[1, 1]])
    request = compiled.session()
    for count in (1, 2, 3):
        np.testing.assert_array_equal(request.run([one])[0], begin + count)
    np.testing.assert_array_equal(compiled([one])[0], begin + 1)
    np.testing.assert_array_equal(request.state.values["acc"], begin + 3)
    request.state.values["acc"] = f32([[100, 100]])
    np.testing.assert_array_equal(request.run([one])[0], f32([[101, 101]]))
    request.state.reset()
    np.testing.assert_array_equal(request.run([one])[0], begin + 1)


def test_a_fault_inside_a_body_is_found_there(tmp_path: Path) -> None:
    path = save(if_.write, tmp_path)
    text = path.read_text()
    where = text.index("<output>", text.index('type="Add"'))
    path.write_text(text[:where] + text[where:].replace("<dim>2</dim>", "<dim>5</dim>", 1))
    report = irrun.lint(path)
    assert any('in If "If_3" › then_body' in note for item in report for note in item.notes)

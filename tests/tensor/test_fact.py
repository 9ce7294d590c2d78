"""Facts of constants."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import irrun
from irrun.document.writer import Writer
from irrun.graph import Outlet
from irrun.tensor import Fact, HalvesFact, Shape
from irrun.tensor.element_type import F16


def test_halves_become_a_value_when_it_is_asked_for() -> None:
    halves = np.array([[1.5, -0.25], [65504, np.inf]], np.float16)
    fact = HalvesFact(F16, halves)
    assert fact.shape == Shape([2, 2])
    assert fact.halves is halves
    value = fact.constant
    assert value is not None
    assert value.dtype == np.float32
    np.testing.assert_array_equal(value, [[1.5, -0.25], [65504, np.inf]])
    assert fact.constant is value
    assert fact == Fact.of(F16, value)


def test_large_constants_in_half_precision_stay_as_they_are_stored(tmp_path: Path) -> None:
    values = np.arange(8192, dtype=np.float32).reshape(2, 4096) / 4
    ir = Writer("net")
    ir.result(ir.constant(values, F16))
    ir.save(tmp_path / "net.xml")
    model = irrun.read_model(tmp_path / "net.xml")
    fact = model.facts[Outlet(model.bound.graph.order[0], 0)]
    assert fact.halves is not None
    np.testing.assert_array_equal(fact.halves, values.astype(np.float16))
    np.testing.assert_array_equal(irrun.compile_model(model)()[0], values.astype(np.float16))

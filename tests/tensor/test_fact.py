"""Facts of constants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.graph import Outlet
from irrun.tensor import Array, ElementType, Fact, Shape, StoredFact
from irrun.tensor.element_type import F16, I4, U4


def test_stored_numbers_become_a_value_when_it_is_asked_for() -> None:
    halves = np.array([[1.5, -0.25], [65504, np.inf]], np.float16)
    fact = StoredFact(F16, Shape([2, 2]), halves, lambda stored: stored.astype(np.float32))
    assert fact.shape == Shape([2, 2])
    assert fact.stored is halves
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
    model = irrun.model.load(tmp_path / "net.xml")
    fact = model.facts[Outlet(model.bound.graph.topological_order[0], 0)]
    assert fact.stored is not None
    np.testing.assert_array_equal(fact.stored, values.astype(np.float16))
    np.testing.assert_array_equal(irrun.model.build(model)()[0], values.astype(np.float16))


@pytest.mark.parametrize("type", [U4, I4])
def test_large_constants_of_four_bits_stay_as_they_are_stored(type: ElementType, tmp_path: Path) -> None:
    values = np.arange(8192).reshape(2, 4096) % 16 - 8 * (type is I4)
    ir = Writer("net")
    ir.result(ir.constant(values, type))
    ir.save(tmp_path / "net.xml")
    model = irrun.model.load(tmp_path / "net.xml")
    fact = model.facts[Outlet(model.bound.graph.topological_order[0], 0)]
    assert fact.stored is not None
    assert fact.stored.shape == (2, 2048)
    np.testing.assert_array_equal(fact.constant, values)
    np.testing.assert_array_equal(irrun.model.build(model)()[0], values)


def test_a_stored_value_is_decoded_once_while_it_is_used() -> None:
    calls = []

    def decode(stored: Array) -> Array:
        calls.append(stored)
        return stored.astype(np.float32)

    fact = StoredFact(F16, Shape([2]), np.array([1, 2], np.float16), decode)
    first = fact.constant
    assert first is not None
    assert fact.constant is first
    assert len(calls) == 1
    del first
    again = fact.constant
    assert again is not None
    assert again.tolist() == [1.0, 2.0]
    assert len(calls) == 2

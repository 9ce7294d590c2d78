"""Half precision is a format of inputs, outputs and constants: an optimised plan computes in f32 in between."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.tensor import ElementType, Fact, Shape
from irrun.tensor.element_type import BF16, F16, F32


def scaled(path: Path, type: ElementType, version: str = "11") -> irrun.model.Loaded:
    """Return ``x * 60000 / 60000`` in a half-precision type; the product does not fit f16."""
    ir = Writer("scaled", version=version)
    shape = Shape([3])
    x = ir.parameter("x", type, shape)
    factor = ir.constant(np.array([60000], np.float32), type)
    broadcast = {"auto_broadcast": "numpy"}
    (y,) = ir.layer("Multiply", "opset1", [x, factor], [Fact(type, shape)], broadcast)
    (z,) = ir.layer("Divide", "opset1", [y, factor], [Fact(type, shape)], {**broadcast, "m_pythondiv": "true"})
    ir.result(z)
    ir.save(path / "model.xml")
    return irrun.model.load(path / "model.xml")


def converted(path: Path, type: ElementType) -> irrun.model.Loaded:
    """Return a model that converts an f32 to half precision and back."""
    ir = Writer("converted")
    shape = Shape([3])
    x = ir.parameter("x", F32, shape)
    (y,) = ir.layer("Convert", "opset1", [x], [Fact(type, shape)], {"destination_type": type.name})
    (z,) = ir.layer("Convert", "opset1", [y], [Fact(F32, shape)], {"destination_type": "f32"})
    ir.result(z)
    ir.save(path / "model.xml")
    return irrun.model.load(path / "model.xml")


def test_nothing_overflows_in_between(tmp_path: Path) -> None:
    x = np.array([1, 2.5, 8], np.float16)
    model = scaled(tmp_path, F16)
    (optimised,) = irrun.model.build(model)({"x": x}).to_tuple()
    (as_written,) = irrun.model.build(model, {"OPTIMIZE": False})({"x": x}).to_tuple()
    assert optimised.dtype == as_written.dtype == np.float16
    assert optimised.tolist() == [1, 2.5, 8]
    assert as_written.tolist() == [1, np.inf, np.inf]


def test_an_output_is_rounded_to_its_type(tmp_path: Path) -> None:
    x = np.array([1.0, 0.1, 3.0], np.float32)
    (values,) = irrun.model.build(scaled(tmp_path, BF16))({"x": x}).to_tuple()
    assert values.dtype == np.float32
    assert values.tolist() == [1.0, 0.10009765625, 3.0]


@pytest.mark.parametrize("type", [F16, BF16])
def test_a_conversion_there_and_back_changes_nothing(tmp_path: Path, type: ElementType) -> None:
    x = np.array([2049, 1e9, 0.1], np.float32)
    model = converted(tmp_path, type)
    (optimised,) = irrun.model.build(model)({"x": x}).to_tuple()
    (as_written,) = irrun.model.build(model, {"OPTIMIZE": False})({"x": x}).to_tuple()
    assert optimised.tolist() == x.tolist()
    assert as_written.tolist() == {F16: [2048, np.inf, 0.0999755859375], BF16: [2048, 998244352, 0.10009765625]}[type]


def test_an_input_of_version_10_is_not_rounded(tmp_path: Path) -> None:
    x = np.array([0.1, 1e9, 2049], np.float32)
    (values,) = irrun.model.build(scaled(tmp_path, F16, version="10"))({"x": x}).to_tuple()
    np.testing.assert_allclose(values, x, rtol=1e-6)

"""Folding of values that the operation itself refuses: the value stays unknown, nothing breaks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import irrun
from irrun.document.writer import Writer
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64


def test_a_target_shape_with_a_negative_size(tmp_path: Path) -> None:
    ir = Writer("broadcast")
    data = ir.constant(np.ones(1, np.float32), F32)
    target = ir.constant(np.array([2, -3]), I64)
    (spread,) = ir.layer("Broadcast", "opset3", [data, target], [Fact(F32, Shape([2, 3]))], {"mode": "numpy"})
    ir.result(spread)
    ir.save(tmp_path / "model.xml")
    report = irrun.lint(tmp_path / "model.xml")
    assert all(item.layer is None or item.layer.type in ("Broadcast", "Result") for item in report)
    assert len(report) == 1


def test_a_constant_of_more_axes_than_an_array_has(tmp_path: Path) -> None:
    ir = Writer("unsqueeze")
    data = ir.constant(np.ones(1, np.float32), F32)
    axes = ir.constant(np.arange(1, 66), I64)
    (deep,) = ir.layer("Unsqueeze", "opset1", [data, axes], [Fact(F32, Shape([1] * 60))])
    ir.result(deep)
    ir.save(tmp_path / "model.xml")
    model = irrun.read_model(tmp_path / "model.xml")
    assert model.outputs[0].partial_shape.rank == 66
    assert model.facts.results()[0].value is None

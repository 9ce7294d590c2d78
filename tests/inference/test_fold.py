"""Folding where the operation refuses the values: the value stays unknown, and inference continues."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.inference.fold import fold
from irrun.ops.calling import infer
from irrun.ops.registry import resolve
from irrun.tensor import Dim, Fact, Shape
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
    model = irrun.model.load(tmp_path / "model.xml")
    assert model.outputs[0].partial_shape.rank == 66
    assert model.facts.results()[0].value is None


@pytest.mark.parametrize(("reduction", "want"), [("min", 1), ("max", 9)])
def test_smallest_and_largest_of_updates_beside_sizes_that_are_not_known(reduction: str, want: int) -> None:
    op = resolve("ScatterElementsUpdate", "opset12")(reduction=reduction, use_init_val=False)
    data = np.empty(3, object)
    data[:] = [Dim.anything(), 2, Dim.anything()]
    constants = [Fact.of(I64, np.array(values)) for values in ([0, 0], [1, 9], 0)]
    inputs = [Fact(I64, Shape([3]), data), *constants]
    (made,) = fold(op, inputs, infer(op, inputs, output_count=1))
    assert made.value is not None
    assert made.value.tolist()[:2] == [want, 2]
    assert not made.value[2].is_static

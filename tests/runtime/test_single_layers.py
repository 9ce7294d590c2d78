"""The layers of a plan that round their operands, and the distances of results from exact ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun as ov
from irrun.model import build, load
from irrun.runtime.single_layers import difference, layers_that_round
from tests.cases import f32
from tests.loops import loop_model
from tests.nets import Net

INF = np.inf
ops: Any = ov.opset13


@pytest.mark.parametrize(
    ("exact", "others", "expected"),
    [
        ([f32([3, 4])], [f32([3, 4])], 0.0),
        ([f32([3, 4])], [f32([3, 5])], 0.2),
        ([f32([3, 4]), f32([1])], [f32([3, 5]), f32([2])], 1.0),
        ([f32([3, 4])], [f32([3, INF])], 0.0),
        ([f32([3, INF])], [f32([3, 4])], 0.0),
        ([f32([0, 0])], [f32([1, 1])], 0.0),
        ([f32([3, 4])], [f32([[3, 5]])], 0.0),
        ([np.array([3, 4])], [np.array([3, 5])], 0.0),
        ([], [], 0.0),
    ],
)
def test_differences(exact: list[Any], others: list[Any], expected: float) -> None:
    assert difference(exact, others) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"OPTIMIZE": False}, ["product"]),
        ({"INFERENCE_PRECISION_HINT": "f32"}, []),
        ({"INFERENCE_PRECISION_HINT": "bf16"}, ["product"]),
    ],
)
def test_layers_that_round(tmp_path: Path, config: dict[str, Any], expected: list[str]) -> None:
    """As written, a product may round; one with constant weights is fused, and has a precision of its own."""
    net = Net()
    made = net.layer("MatMul", [net.parameter("x", "4,64"), net.normal(64, 64)], name="product")
    net.result(net.layer("Tanh", [made], name="tanh"))
    model = build(load(net.save(tmp_path / "net.xml")), {"TIER": "numpy", **config})
    assert list(layers_that_round(model.plan)) == expected


def test_layers_of_bodies(tmp_path: Path) -> None:
    """A loop of sums rounds no operands; the product of a branch may."""
    assert list(layers_that_round(build(load(loop_model(tmp_path, 2, 9.0)), {"OPTIMIZE": False}).plan)) == []
    x, condition = ops.parameter([2, 2], ov.Type.f32), ops.parameter([], ov.Type.boolean)
    branch = ops.if_op(condition)
    bodies = []
    for name, weights in (("product", np.eye(2, dtype=np.float32)), ("sum", None)):
        inner = ops.parameter([2, 2], ov.Type.f32)
        made = ops.add(inner, inner) if weights is None else ops.matmul(inner, weights, False, False, name=name)
        bodies.append((inner, ops.result(made)))
    for (inner, end), place in zip(bodies, (branch.set_then_body, branch.set_else_body), strict=True):
        place(ov.Model([end], [inner]))
    branch.set_input(x.output(0), *(inner for inner, _ in bodies))
    output = branch.set_output(*(end for _, end in bodies))
    model = ov.Model([ops.result(output)], [x, condition])
    assert list(layers_that_round(build(model.value, {"OPTIMIZE": False}).plan)) == ["product"]

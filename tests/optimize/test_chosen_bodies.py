"""If layers whose condition is known, which give way to the layers of one body."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
import irrun.openvino as ov
from irrun.runtime.tiers import why_not

TIERS = ("numpy",) if why_not() is not None else ("numpy", "compiled")
ops: Any = ov.opset13


def chosen(condition: Any, data: Any, other: Any) -> Any:
    """An If of two outputs: then its inputs in the other order, else a product and a Range as long as the input."""
    a, b, c, d = (ops.parameter([-1, 3], np.float32, name=name) for name in "abcd")
    first, second = ops.result(b), ops.result(a)
    length = ops.gather(ops.shape_of(c, "i64"), ops.constant(np.int64(0)), ops.constant(np.int64(0)))
    places = ops.range(ops.constant(np.int64(0)), length, ops.constant(np.int64(1)), "f32")
    column = ops.unsqueeze(places, ops.constant(np.int64(1)))
    scaled, sum = ops.result(ops.multiply(c, ops.constant(np.float32(3)))), ops.result(ops.add(d, column))
    node = ops.if_op(condition)
    node.set_then_body(ov.Model([first, second], [a, b], "then"))
    node.set_else_body(ov.Model([scaled, sum], [c, d], "else"))
    node.set_input(data, a, c)
    node.set_input(other, b, d)
    node.set_output(first, scaled)
    node.set_output(second, sum)
    return node


def agree(model: Any, folder: Path, expected: dict[str, int], inputs: dict[str, Any]) -> None:
    """Check the number of steps of each type in optimised plans, which compute what the file as written does."""
    path = folder / "model.xml"
    ov.save_model(model, path, compress_to_fp16=False)
    written = irrun.model.build(path, {"OPTIMIZE": False, "TIER": "numpy"})
    assert any(step.node.type == "If" for step in written.plan.steps)
    wanted = written(inputs).to_tuple()
    for tier in TIERS:
        compiled = irrun.model.build(path, {"TIER": tier})
        types = Counter(step.node.type for step in compiled.plan.steps)
        assert {name: types[name] for name in expected} == expected
        for got, want in zip(compiled(inputs).to_tuple(), wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6)


def drawn(*names: str) -> dict[str, Any]:
    random = np.random.default_rng(0)
    return {name: random.standard_normal((4, 3), np.float32) for name in names}


@pytest.mark.parametrize("condition", [True, False])
def test_the_body_takes_the_place_of_the_layer(tmp_path: Path, condition: bool) -> None:
    x, y = (ops.parameter([-1, 3], np.float32, name=name) for name in "xy")
    node = chosen(ops.constant(np.array(condition)), x, y)
    ends = [ops.subtract(node.output(0), y), ops.multiply(node.output(1), node.output(0))]
    count = {"If": 0, "Range": 0 if condition else 1}
    agree(ov.Model(ends, [x, y], "model"), tmp_path, count, drawn("x", "y"))


def test_conditions_may_be_computed_from_sizes_and_layers_nested(tmp_path: Path) -> None:
    x, y, inner = (ops.parameter([-1, 3], np.float32, name=name) for name in ("x", "y", "inner"))
    rank = ops.gather(ops.shape_of(x, "i64"), ops.constant(np.int64(1)), ops.constant(np.int64(0)))
    nested = chosen(ops.constant(np.array([False])), inner, inner)
    then, other = ops.result(ops.add(nested.output(0), nested.output(1))), ops.parameter([-1, 3], np.float32)
    end = ops.result(ops.negative(other))
    node = ops.if_op(ops.equal(rank, ops.constant(np.int64(3))))
    node.set_then_body(ov.Model([then], [inner], "then"))
    node.set_else_body(ov.Model([end], [other], "else"))
    node.set_input(chosen(ops.constant(np.array(True)), x, y).output(0), inner, other)
    out = node.set_output(then, end)
    agree(ov.Model([out], [x, y], "model"), tmp_path, {"If": 0, "Range": 1}, drawn("x", "y"))


def test_a_condition_of_the_run_is_left(tmp_path: Path) -> None:
    x, y = (ops.parameter([-1, 3], np.float32, name=name) for name in "xy")
    flag = ops.parameter([], bool, name="flag")
    node = chosen(flag, x, y)
    model = ov.Model([node.output(0), node.output(1)], [x, y, flag], "model")
    for value in (True, False):
        agree(model, tmp_path, {"If": 1}, {**drawn("x", "y"), "flag": np.array(value)})


def test_a_body_that_writes_a_variable_is_left(tmp_path: Path) -> None:
    x, a, b = (ops.parameter([4, 3], np.float32, name=name) for name in "xab")
    read = ops.read_value(a, "v", np.float32, [4, 3])
    sum = ops.add(read, a)
    write = ops.assign(sum, "v")
    then, other = ops.result(sum), ops.result(b)
    node = ops.if_op(ops.constant(np.array(True)))
    node.set_then_body(ov.Model([then], [write], [a], "then"))
    node.set_else_body(ov.Model([other], [b], "else"))
    node.set_input(x, a, b)
    agree(ov.Model([node.set_output(then, other)], [x], "model"), tmp_path, {"If": 1}, drawn("x"))


def test_weights_of_a_body_are_constants(tmp_path: Path) -> None:
    """So a product with them is fused, with what is added to it outside of the body."""
    x = ops.parameter([4, 3], np.float32, name="x")
    a, b = (ops.parameter([4, 3], np.float32) for _ in "ab")
    weights = np.random.default_rng(1).standard_normal((3, 5), np.float32)
    then, other = ops.result(ops.matmul(a, ops.constant(weights), False, False)), ops.result(b)
    node = ops.if_op(ops.constant(np.array(True)))
    node.set_then_body(ov.Model([then], [a], "then"))
    node.set_else_body(ov.Model([other], [b], "else"))
    node.set_input(x, a, b)
    out = ops.relu(ops.add(node.set_output(then, other), ops.constant(np.ones((1, 5), np.float32))))
    agree(ov.Model([out], [x], "model"), tmp_path, {"If": 0, "FusedMatMul": 1, "MatMul": 0, "Add": 0}, drawn("x"))

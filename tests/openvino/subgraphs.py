"""Checks of If, Loop and TensorIterator, built, saved and run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

X = np.array([[1.0, -2.0, 3.0]], np.float32)
LONG = np.arange(12, dtype=np.float32).reshape(1, 4, 3)


def _run(ov: Any, model: Any, *arrays: Any) -> Any:
    """Return the outputs of a model, of the same model saved and read again, and the shapes of its outputs."""
    shapes = [output.partial_shape for output in model.outputs]
    first = ov.compile_model(model, "CPU")(list(arrays))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.xml"
        ov.save_model(model, path, compress_to_fp16=False)
        second = ov.compile_model(ov.Core().read_model(path), "CPU")(list(arrays))
        return shapes, *([run[index] for index in range(len(shapes))] for run in (first, second))


def _if(ov: Any, flag: bool) -> Any:
    ops = ov.opset13
    x, cond = ops.parameter([1, 3], np.float32, name="x"), ops.parameter([], bool, name="cond")
    a, b = (ops.parameter([1, 3], np.float32, name=name) for name in "ab")
    then = ov.Model([ops.result(ops.relu(a))], [a], "then")
    other = ov.Model([ops.result(ops.multiply(b, ops.constant(np.float32(10))))], [b], "else")
    node = ops.if_op(cond.output(0))
    node.set_then_body(then)
    node.set_else_body(other)
    node.set_input(x.output(0), a, b)
    out = node.set_output(then.results[0], other.results[0])
    names = [node.get_function(0).get_friendly_name(), node.get_else_body().get_friendly_name()]
    return names, _run(ov, ov.Model([ops.abs(out)], [x, cond], "if"), X, np.array(flag))


def _loop(ov: Any, ports: Any = (0, 0), trips: int = 4, wrong: str = "") -> Any:
    """Add the iteration to a running sum; keep the sums."""
    ops = ov.opset13
    x = ops.parameter([1, 3], np.float32, name="x")
    step, total, twice = (
        ops.parameter([], np.int64, name="i"),
        ops.parameter([1, 3], np.float32),
        ops.parameter([1, 3], np.float32),
    )
    summed = ops.add(ops.add(total, twice), ops.convert(step, "f32"))
    body = ov.Model([ops.constant(np.array(True)), summed], [step, total, twice], "body")
    node = ops.loop(ops.constant(np.int64(trips)), ops.constant(np.array(True)))
    node.set_function(body)
    node.set_special_body_ports(list(ports))
    node.set_merged_input(x if wrong == "parameter" else total, x.output(0), summed.output(0))
    node.set_invariant_input(twice, x.output(0))
    last = node.get_iter_value(summed.output(0))
    all = node.get_concatenated_slices(summed.output(0), 0, 1, 1, -1, 0)
    model = ov.Model([last, all], [x], "loop")
    return node.get_num_iterations(), node.get_special_body_ports(), node.get_output_size(), _run(ov, model, X)


def _iterator(ov: Any, stride: int = 1, start: int = 0, end: int = -1) -> Any:
    ops = ov.opset13
    x, first = ops.parameter([1, 4, 3], np.float32, name="x"), ops.parameter([1, 1, 3], np.float32, name="first")
    part, before = ops.parameter([1, 1, 3], np.float32), ops.parameter([1, 1, 3], np.float32)
    total = ops.add(part, before)
    body = ov.Model([ops.result(total)], [part, before], "body")
    node = ops.tensor_iterator()
    node.set_body(body)
    node.set_sliced_input(part, x.output(0), start, stride, 1, end, 1)
    node.set_merged_input(before, first.output(0), body.results[0].output(0))
    last = node.get_iter_value(body.results[0].output(0), -1)
    all = node.get_concatenated_slices(body.results[0].output(0), start, stride, 1, end, 1)
    model = ov.Model([last, all], [x, first], "iterator")
    return node.get_num_iterations(), node.get_body().get_friendly_name(), _run(ov, model, LONG, LONG[:, :1])


CHECKS: dict[str, Check] = {
    "if true": lambda ov: _if(ov, True),
    "if false": lambda ov: _if(ov, False),
    "loop": _loop,
    "loop once": lambda ov: _loop(ov, trips=1),
    "loop of another's parameter": lambda ov: _loop(ov, wrong="parameter"),
    "tensor iterator": _iterator,
    "tensor iterator backwards": lambda ov: _iterator(ov, -1, -1, 0),
    "if in opset1": lambda ov: ov.opset1.if_op,
}

"""Checks of edits, new shapes and passes of models with bodies."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

F = np.float32
Body = Callable[[Any, Any], Any]
"""A function of the module and a node that returns a node."""


def _const(ov: Any, value: Any, type: Any = np.int64) -> Any:
    return ov.opset13.constant(np.array(value, type))


def _flat(ov: Any, x: Any) -> Any:
    return ov.opset13.reshape(x, _const(ov, [2, 3]), False)


def _narrow(ov: Any, x: Any) -> Any:
    return ov.opset13.matmul(x, _const(ov, np.ones((3, 2)), F), False, False)


def _square(ov: Any, x: Any) -> Any:
    return ov.opset13.matmul(x, _const(ov, np.ones((3, 3)), F), False, False)


def _shifted(ov: Any, x: Any) -> Any:
    return ov.opset13.add(x, _const(ov, np.ones((2, 3)), F))


def _scaled(ov: Any, x: Any) -> Any:
    factor = ov.opset13.add(_const(ov, 2, F), _const(ov, 1, F))
    return ov.opset13.multiply(ov.opset13.relu(x), factor)


def _branches(ov: Any, x: Any, shape: Any, condition: Any, then: Body, other: Body) -> Any:
    """Return an If of two bodies of one input."""
    ops = ov.opset13
    node, ends = ops.if_op(condition.output(0)), []
    for make in (then, other):
        inner = ops.parameter(shape, F)
        result = ops.result(make(ov, inner))
        ends.append((ov.Model([result], [inner], "branch"), inner, result))
    node.set_then_body(ends[0][0])
    node.set_else_body(ends[1][0])
    node.set_input(x.output(0), ends[0][1], ends[1][1])
    node.set_output(ends[0][2], ends[1][2])
    return node


def _chosen(ov: Any, then: Body, other: Body) -> Any:
    x, flag = ov.opset13.parameter([2, 3], F, name="x"), ov.opset13.parameter([], bool, name="flag")
    return ov.Model([ov.opset13.relu(_branches(ov, x, [2, 3], flag, then, other))], [x, flag], "if")


def _nested(ov: Any, body: Body) -> Any:
    def inner(ov: Any, x: Any) -> Any:
        total = ov.opset13.reduce_sum(x, _const(ov, [0, 1]), False)
        condition = ov.opset13.greater(total, _const(ov, 0, F))
        return _branches(ov, x, [2, 3], condition, body, body)

    return _chosen(ov, inner, inner)


def _looped(ov: Any, body: Body) -> Any:
    ops = ov.opset13
    x, inner = ops.parameter([2, 3], F, name="x"), ops.parameter([2, 3], F)
    made = body(ov, inner)
    node = ops.loop(_const(ov, 3), _const(ov, True, bool))
    node.set_function(ov.Model([made, _const(ov, True, bool)], [inner], "body"))
    node.set_special_body_ports([-1, 1])
    node.set_merged_input(inner, x.output(0), made.output(0))
    return ov.Model([ops.relu(node.get_iter_value(made.output(0), -1))], [x], "loop")


def _sliced(ov: Any, body: Body) -> Any:
    ops = ov.opset13
    x, inner = ops.parameter([2, 5, 3], F, name="x"), ops.parameter([2, 1, 3], F)
    result = ops.result(body(ov, inner))
    node = ops.tensor_iterator()
    node.set_body(ov.Model([result], [inner], "body"))
    node.set_sliced_input(inner, x.output(0), 0, 1, 1, -1, 1)
    return ov.Model([ops.relu(node.get_concatenated_slices(result.output(0), 0, 1, 1, -1, 1))], [x], "iterator")


MODELS: dict[str, Callable[[Any], Any]] = {
    "if, narrow": lambda ov: _chosen(ov, _narrow, _narrow),
    "if, one branch narrow": lambda ov: _chosen(ov, lambda ov, x: ov.opset13.relu(x), _narrow),
    "if, shifted": lambda ov: _chosen(ov, _shifted, _scaled),
    "if, flat": lambda ov: _chosen(ov, _flat, _scaled),
    "nested ifs": lambda ov: _nested(ov, _square),
    "loop, square": lambda ov: _looped(ov, _square),
    "loop, shifted": lambda ov: _looped(ov, _shifted),
    "iterator, narrow": lambda ov: _sliced(ov, _narrow),
}
PASSED: dict[str, Callable[[Any], Any]] = {
    "if": lambda ov: _chosen(ov, _scaled, _shifted),
    "nested ifs": lambda ov: _nested(ov, _scaled),
    "loop": lambda ov: _looped(ov, lambda ov, x: _shifted(ov, _scaled(ov, x))),
    "iterator": lambda ov: _sliced(ov, _scaled),
}


def _read(ov: Any, model: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        ov.serialize(model, path)
        return ov.Core().read_model(path.read_bytes(), path.with_suffix(".bin").read_bytes())


def _inner(model: Any) -> list[Any]:
    """Return the nodes of a model and of its bodies: type, element types and shapes of each."""
    found = []
    for node in model.get_ordered_ops():
        found.append([node.get_type_name(), [[port.element_type, port.partial_shape] for port in node.outputs()]])
        if node.get_type_name() == "If":
            found += [_inner(node.get_function(index)) for index in (0, 1)]
        elif node.get_type_name() in ("Loop", "TensorIterator"):
            found.append(_inner(node.get_function()))
    return sorted(found, key=str)


def _ran(ov: Any, model: Any) -> Any:
    arrays = []
    for port in model.inputs:
        type, shape = port.element_type.to_dtype(), list(port.shape)
        arrays.append(
            np.array(True)
            if type is bool or type == np.bool_
            else np.arange(-2, np.prod(shape) - 2).reshape(shape).astype(type)
        )
    return ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(arrays)[0].astype(F) + F(0)


def _tried(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except RuntimeError:
        return "refused"


def _shapes(model: Any) -> list[Any]:
    return [port.partial_shape for port in (*model.inputs, *model.outputs)]


def reshaped(make: Any, shape: list[int], is_read: bool) -> Check:
    """Return a check that gives a model another shape, and the same by hand, and compiles and runs what is left."""

    def check(ov: Any) -> Any:
        model, other = (_read(ov, make(ov)) if is_read else make(ov) for _ in range(2))
        found = [_tried(lambda: model.reshape({0: shape})), _shapes(model), _inner(model), _ran(ov, model)]
        other.get_parameters()[0].set_partial_shape(ov.PartialShape(shape))
        return [*found, _tried(other.validate_nodes_and_infer_types), _tried(lambda: bool(_read(ov, other)))]

    return check


def batched(make: Any) -> Check:
    def check(ov: Any) -> Any:
        model = make(ov)
        model.get_parameters()[0].set_layout(ov.Layout("N..."))
        return [_tried(lambda: ov.set_batch(model, 7)), _shapes(model), _ran(ov, model)]

    return check


def retyped(make: Any) -> Check:
    """Return a check that lets an input be i32, which the constants of its bodies are not."""

    def check(ov: Any) -> Any:
        model = make(ov)
        model.get_parameters()[0].set_element_type(ov.Type.i32)
        return [_tried(model.validate_nodes_and_infer_types), _tried(lambda: bool(_read(ov, model)))]

    return check


def _negated(passes: Any, ov: Any) -> Any:
    """Return a pass that replaces each Relu by Negative."""

    class ReluToNegative(passes.MatcherPass):
        def __init__(self) -> None:
            super().__init__()
            self.register_matcher(passes.Matcher(passes.WrapType("opset13.Relu"), "ReluToNegative"), self._change)

        def _change(self, matcher: Any) -> bool:
            root = matcher.get_match_root()
            ov.utils.replace_node(root, ov.opset13.negative(root.input_value(0)))
            return True

    return ReluToNegative()


def passed(make: Any, name: str, is_read: bool) -> Check:
    def check(ov: Any) -> Any:
        passes, model = import_module(f"{ov.__name__}.passes"), _read(ov, make(ov)) if is_read else make(ov)
        if name == "compress":
            import_module(f"{ov.__name__}._offline_transformations").compress_model_transformation(model)
        else:
            manager = passes.Manager()
            kept = _negated(passes, ov) if name == "ReluToNegative" else getattr(passes, name)()
            manager.register_pass(kept)
            manager.run_passes(model)
        return [_inner(model), _ran(ov, model), _ran(ov, _read(ov, model))]

    return check


def edited(is_read: bool) -> Check:
    """Return a check that replaces a node in a body."""

    def check(ov: Any) -> Any:
        model = _looped(ov, _scaled)
        model = _read(ov, model) if is_read else model
        loop = next(node for node in model.get_ops() if node.get_type_name() == "Loop")
        body = loop.get_function()
        relu = next(node for node in body.get_ops() if node.get_type_name() == "Relu")
        ov.utils.replace_node(relu, ov.opset13.negative(relu.input_value(0)))
        body.validate_nodes_and_infer_types()
        model.validate_nodes_and_infer_types()
        return [_inner(model), _ran(ov, model), _ran(ov, _read(ov, model))]

    return check


def described(ov: Any) -> Any:
    """Return the connections of bodies of models that were read."""
    found = []
    for make in MODELS.values():
        for node in _read(ov, make(ov)).get_ordered_ops():
            if node.get_type_name() in ("Loop", "TensorIterator"):
                items = [*node.get_input_descriptions(), *node.get_output_descriptions()]
                found += [[item.get_type_info().name, item.body_parameter_index] for item in items[:1]]
                found += [[item.get_type_info().name, item.output_index] for item in items[1:]]
    return found


PASSES = ("ConvertFP32ToFP16", "ConstantFolding", "ReluToNegative", "compress")
CHECKS: dict[str, Check] = {
    **{
        f"body, {name} reshaped to {shape}{', read' * is_read}": reshaped(make, shape, is_read)
        for name, make in MODELS.items()
        for shape in ([2, 5, 4] if "iterator" in name else [2, 4], [6, 5, 3] if "iterator" in name else [6, 3])
        for is_read in (False, True)
    },
    **{f"body, {name} in batches": batched(make) for name, make in MODELS.items()},
    **{f"body, {name} of i32": retyped(make) for name, make in MODELS.items() if name != "iterator, narrow"},
    **{
        f"body, {name} after {item}{', read' * is_read}": passed(make, item, is_read)
        for name, make in PASSED.items()
        for item in PASSES
        for is_read in (False, True)
    },
    "body, edited": edited(False),
    "body, edited, read": edited(True),
    "body, described": described,
}

"""Checks of helpers of the package: types of NumPy, nodes of numbers, conditions of patterns, properties, layouts."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

X = np.array([[1, -2, 3], [4, 5, -6]], np.float32)


def _module(ov: Any, name: str) -> Any:
    return import_module(f"{ov.__name__}.{name}")


def _types(ov: Any) -> Any:
    return _module(ov, "utils.types")


def _parameter(ov: Any, shape: Any = (2, 3), type: Any = np.float32) -> Any:
    return ov.opset13.parameter(list(shape), type, name="x")


def _net(ov: Any) -> Any:
    x = _parameter(ov)
    return ov.Model([ov.opset13.relu(x, name="relu")], [x], "net")


def _request(ov: Any, shape: Any = (-1, 3)) -> Any:
    x = _parameter(ov, shape)
    x.output(0).set_names({"x"})
    x.set_layout(ov.Layout("N..."))
    model = ov.Model([ov.opset13.multiply(x, ov.opset13.constant(np.float32(2)))], [x], "net")
    return ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()


def _halves(ov: Any, how: Any) -> Any:
    """Infer a batch whose images are two tensors."""
    request = _request(ov)
    how(request, [ov.Tensor(X[:1]), ov.Tensor(X[1:])])
    request.infer()
    return request.get_output_tensor().data.copy()


def _factory(ov: Any, *arguments: Any) -> Any:
    made = _module(ov, "utils.node_factory").NodeFactory("opset13").create(*arguments)
    return made.get_type_name(), made.get_output_size(), [str(port.get_partial_shape()) for port in made.outputs()]


def _decorated(ov: Any, name: str, *arguments: Any, **named: Any) -> Any:
    """Make a node by a function that a decorator of the package changes."""

    def function(*given: Any, name: Any = None) -> Any:  # noqa: ARG001
        return ov.opset13.add(given[0], given[-1])

    node = getattr(_module(ov, "utils.decorators"), name)(function)(*arguments, **named)
    return node.get_type_name(), node.friendly_name if named else "", list(node.shape)


def _matches(ov: Any, predicate: str, *arguments: Any, shape: Any = (2, 3)) -> Any:
    """Return whether a condition holds for a Parameter."""
    passes = _module(ov, "passes")
    pattern = passes.AnyInput(getattr(passes, predicate)(*arguments))
    found = passes.Matcher(pattern, "found")
    return found.match(_parameter(ov, shape).output(0))


CHECKS: dict[str, Check] = {
    "types, of Python": lambda ov: [_types(ov).get_element_type(kind).get_type_name() for kind in (float, int, bool)],
    "types, of NumPy": lambda ov: [
        _types(ov).get_element_type_str(kind) for kind in (np.float32, np.float16, np.int8, np.uint64)
    ],
    "types, of nothing": lambda ov: _types(ov).get_element_type(dict),
    "types, to NumPy": lambda ov: [
        _types(ov).get_dtype(getattr(ov.Type, name)) for name in ("f32", "i4", "bf16", "u8")
    ],
    "types, classes": lambda ov: [_types(ov).get_numpy_ctype(getattr(ov.Type, name)) for name in ("f32", "boolean")],
    "types, shapes": lambda ov: [_types(ov).get_shape(value) for value in (X, [1, 2], 3.0)],
    "types, arrays": lambda ov: _types(ov).get_ndarray([[1, 2], [3, 4]]),
    "types, constants": lambda ov: [
        (node.get_element_type(), node.data) for node in (_types(ov).make_constant_node(value) for value in (X, [1, 2]))
    ],
    "types, constants of a type": lambda ov: _types(ov).make_constant_node([1, 2], np.float32).data,
    "types, nodes": lambda ov: [
        node.get_type_name() for node in _types(ov).as_nodes(X, _parameter(ov), name="made") if hasattr(node, "shape")
    ],
    "decorators, name": lambda ov: _decorated(ov, "nameable_op", _parameter(ov), _parameter(ov), name="sum"),
    "decorators, one number": lambda ov: _decorated(ov, "unary_op", X),
    "decorators, two numbers": lambda ov: _decorated(ov, "binary_op", X, X, name="sum"),
    "node factory": lambda ov: _factory(ov, "Relu", [_parameter(ov)]),
    "node factory, attributes": lambda ov: _factory(ov, "Concat", [_parameter(ov), _parameter(ov)], {"axis": 1}),
    "node factory, attributes alone": lambda ov: _factory(ov, "Concat", None, {"axis": 1}),
    "node factory, an unknown operation": lambda ov: _factory(ov, "Mystery", [_parameter(ov)]),
    "conditions, sizes": lambda ov: [
        _matches(ov, "has_static_dim", 1, shape=(-1, 3)),
        _matches(ov, "has_static_dim", 0, shape=(-1, 3)),
        _matches(ov, "has_static_dims", [0, 1]),
    ],
    "conditions, ranks": lambda ov: [
        _matches(ov, "has_static_rank"),
        _matches(ov, "rank_equals", ov.Dimension(2)),
        _matches(ov, "rank_equals", ov.Dimension(3)),
        _matches(ov, "has_static_shape", shape=(-1, 3)),
    ],
    "conditions, types": lambda ov: [
        _matches(ov, "type_matches", ov.Type.f32),
        _matches(ov, "type_matches_any", [ov.Type.i64, ov.Type.f16]),
    ],
    "layouts": lambda ov: [
        (
            ov.layout_helpers.has_channels(layout),
            ov.layout_helpers.has_height(layout),
            ov.layout_helpers.has_width(layout),
        )
        for layout in (ov.Layout("NCHW"), ov.Layout("N..."))
    ],
    "layouts, places": lambda ov: ov.layout_helpers.width_idx(ov.Layout("NCHW")),
    "batches, by name": lambda ov: _halves(ov, lambda request, parts: request.set_tensors("x", parts)),
    "batches, by place": lambda ov: _halves(ov, lambda request, parts: request.set_input_tensors(0, parts)),
    "batches, the only input": lambda ov: _halves(ov, lambda request, parts: request.set_input_tensors(parts)),
    "batches, one tensor": lambda ov: _batch_and_tensor(ov),
    "batches, of another size": lambda ov: _request(ov, (3, 3)).set_input_tensors([ov.Tensor(X[:1]), ov.Tensor(X[1:])]),
    "packed values that do not fit": lambda ov: _module(ov, "helpers").pack_data(np.array([300]), ov.Type.u4),
    "a constant, strides": lambda ov: list(ov.opset13.constant(X).get_strides()),
    "ports of other sides": lambda ov: _sides(ov),
    "sizes of tensors": lambda ov: _sizes(ov),
    "values of runtime information": lambda ov: (ov.OVAny([1, 2])[1], len(ov.OVAny([1, 2])), ov.OVAny(3).get()),
    "strings in shared memory": lambda ov: ov.Tensor(np.array(["a", "b"]), shared_memory=True),
    "numbers of choices": lambda ov: int(_module(ov, "properties.hint").PerformanceMode.LATENCY),
    "a layout that is taken away": lambda ov: _layouts(ov),
    "a property of the only device": lambda ov: ov.Core().get_property("CPU", "FULL_DEVICE_NAME") != "",
}


def _batch_and_tensor(ov: Any) -> Any:
    request = _request(ov)
    request.set_input_tensors([ov.Tensor(X[:1]), ov.Tensor(X[1:])])
    return request.get_input_tensor().shape


def _layouts(ov: Any) -> Any:
    x = _parameter(ov)
    before = x.get_layout().empty
    x.set_layout(ov.Layout("NC"))
    kept = str(x.get_layout())
    x.set_layout(ov.Layout(""))
    return before, kept, x.get_layout().empty


def _sides(ov: Any) -> Any:
    node = ov.opset13.relu(_parameter(ov))
    return node.output(0) == node.input(0), node.output(0) == node.output(0)


def _sizes(ov: Any) -> Any:
    node = ov.opset13.relu(_parameter(ov))
    tensors = node.output(0).get_tensor(), node.input(0).get_tensor()
    return [tensor.size for tensor in tensors]

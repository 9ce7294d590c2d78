"""Checks of the Results and Parameters of models, and of the tensor names at them, while models are edited."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

F = np.float32
Edit = Callable[[Any, Any], Any]
"""A function of the module and a model, which returns the model to look at, or None for that one."""


def named(ov: Any) -> Any:
    """Return a model of Relu, with tensor names at both ends."""
    x = ov.opset13.parameter([2], F, name="x")
    x.output(0).set_names({"in"})
    y = ov.opset13.relu(x)
    y.set_friendly_name("relu")
    y.output(0).set_names({"out", "also"})
    return ov.Model([ov.opset13.result(y)], [x], "named")


def passing(ov: Any) -> Any:
    """Return a model that returns its input."""
    x = ov.opset13.parameter([2], F, name="x")
    x.output(0).set_names({"in"})
    return ov.Model([ov.opset13.result(x), ov.opset13.result(ov.opset13.exp(x))], [x], "passing")


def read(ov: Any, model: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        ov.serialize(model, path)
        return ov.Core().read_model(path.read_bytes(), path.with_suffix(".bin").read_bytes())


def _names(model: Any) -> Any:
    """Return the tensor names of the ends; those that were made up begin with the name of a type."""
    ports = (*model.inputs, *model.outputs)
    return [sorted(name.partition("_")[0] if "_" in name else name for name in port.names) for port in ports]


def _graph(model: Any) -> Any:
    nodes = model.get_ordered_ops()
    sources = [[value.get_node().get_type_name() for value in node.input_values()] for node in nodes]
    return sorted([node.get_type_name(), *found] for node, found in zip(nodes, sources, strict=True))


def edited(edit: Edit, is_read: bool, make: Any = named) -> Check:
    """Return a check that edits a model, compiles it, and reads it again from its file."""

    def check(ov: Any) -> Any:
        model = read(ov, make(ov)) if is_read else make(ov)
        model = edit(ov, model) or model
        model.validate_nodes_and_infer_types()
        again, arrays = read(ov, model), [np.array([1, -2], F)] * len(model.inputs)
        compiled = ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        return [_names(model), _graph(model), _names(compiled), list(compiled(arrays).values()), _names(again)]

    return check


def _of_outputs(ov: Any, model: Any) -> Any:
    return ov.Model(model.outputs, model.get_parameters(), "again")


def _of_results(ov: Any, model: Any) -> Any:
    return ov.Model(model.get_results(), model.get_parameters(), "again")


def _same_output(_ov: Any, model: Any) -> None:
    assert len(model.add_outputs(model.output(0))) == 1


def _inner_output(ov: Any, model: Any) -> None:
    result = model.get_results()[0]
    result.input(0).replace_source_output(ov.opset13.exp(result.input_value(0)).output(0))
    inner = next(node for node in model.get_ops() if node.get_type_name() == "Exp")
    later = ov.opset13.abs(inner)
    later.set_friendly_name("later")
    result.input(0).replace_source_output(later.output(0))
    model.add_outputs(inner.output(0))


def _before_result(ov: Any, model: Any) -> None:
    result = model.get_results()[0]
    result.input(0).replace_source_output(ov.opset13.exp(result.input_value(0)).output(0))


def _before_result_twice(ov: Any, model: Any) -> None:
    _before_result(ov, model)
    _before_result(ov, model)


def _argument(ov: Any, model: Any) -> None:
    result = model.get_results()[0]
    result.set_arguments([ov.opset13.exp(result.input_value(0)).output(0)])


def _replaced(ov: Any, model: Any) -> None:
    old = model.get_results()[0].input_value(0).get_node()
    ov.utils.replace_node(old, ov.opset13.abs(old.input_value(0)))


def _other_parameter(names: set[str], shape: list[int]) -> Edit:
    def edit(ov: Any, model: Any) -> None:
        parameter = ov.opset13.parameter(shape, F, name="other")
        if names:
            parameter.output(0).set_names(names)
        model.replace_parameter(0, parameter)

    return edit


def _more_results(ov: Any, model: Any) -> None:
    source = model.get_results()[0].input_value(0)
    model.add_results([ov.opset13.result(ov.opset13.exp(source))])


CHECKS: dict[str, Check] = {
    **{
        f"end, {name}{', read' * is_read}": edited(edit, is_read)
        for name, edit in {
            "model of outputs": _of_outputs,
            "model of results": _of_results,
            "output that is one": _same_output,
            "replaced node": _replaced,
            "other parameter": _other_parameter(set(), [2]),
            "other parameter with names": _other_parameter({"mine"}, [2]),
            "other parameter of any size": _other_parameter(set(), [-1]),
            "more results": _more_results,
        }.items()
        for is_read in (False, True)
    },
    **{
        f"end, {name}, read": edited(edit, True)
        for name, edit in {
            "node before a result": _before_result,
            "two nodes before a result": _before_result_twice,
            "arguments of a result": _argument,
            "inner output": _inner_output,
        }.items()
    },
    **{
        f"end, returned input, {name}": edited(edit, is_read, passing)
        for name, edit, is_read in (
            ("as built", lambda ov, model: None, False),
            ("as read", lambda ov, model: None, True),
            ("node before the result", _before_result, True),
            ("other parameter", _other_parameter(set(), [2]), True),
            ("other parameter with names", _other_parameter({"mine"}, [2]), False),
        )
    },
}

"""Operations of users: classes in Python that derive from ``Op``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.graphs import F, x

X = np.array([[1, -2]], F)


def operation(ov: Any, name: str = "Scaled") -> Any:
    """Return a class whose nodes multiply by the attribute ``scale``."""

    class Scaled(ov.Op):  # type: ignore[misc,name-defined]
        class_type_info = ov.DiscreteTypeInfo(name, "extension")

        def __init__(self, inputs: Any = None, **attributes: Any) -> None:
            super().__init__(self)
            self._attributes = {"scale": 2.0, **attributes}
            if inputs is not None:
                self.set_arguments(inputs)
                self.constructor_validate_and_infer_types()

        def validate_and_infer_types(self) -> None:
            self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

        def clone_with_new_inputs(self, new_inputs: Any) -> Any:
            return Scaled(new_inputs, **self._attributes)

        def get_type_info(self) -> Any:
            return Scaled.class_type_info

        def visit_attributes(self, visitor: Any) -> bool:
            visitor.on_attributes(self._attributes)
            return True

        def has_evaluate(self) -> bool:
            return True

        def evaluate(self, outputs: Any, inputs: Any) -> bool:
            outputs[0].shape = inputs[0].shape
            outputs[0].data[:] = inputs[0].data * self._attributes["scale"]
            return True

    return Scaled


def built(ov: Any, shape: Any = (1, 2), **attributes: Any) -> Any:
    parameter = x(ov, shape)
    node = operation(ov)([ov.opset13.relu(parameter).output(0)], **attributes)
    return ov.Model([ov.op.Result(ov.opset13.add(node, F(1)).output(0))], [parameter], "m")


def run(ov: Any, model: Any, array: Any = X) -> Any:
    return ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(array)[0]


def _reshaped(ov: Any) -> Any:
    model = built(ov)
    model.reshape([3, 2])
    return [model.output().shape, run(ov, model, np.ones((3, 2), F))]


def _again(ov: Any) -> Any:
    compiled = ov.compile_model(built(ov, scale=3.0), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return [compiled(X * number)[0] for number in range(5)]


def _read(ov: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path, core = Path(folder) / "m.xml", ov.Core()
        ov.save_model(built(ov, scale=3.0), path)
        core.add_extension(operation(ov))
        model = core.read_model(path)
        node = next(item for item in model.get_ops() if item.get_type_name() == "Scaled")
        return [node.get_attributes(), node.shape, core.compile_model(model, "CPU")(X)[0]]


def _node(ov: Any, ask: Any) -> Any:
    return ask(operation(ov)([x(ov, (1, 2)).output(0)], scale=5.0))


CUSTOM: dict[str, Check] = {
    "runs": lambda ov: run(ov, built(ov)),
    "runs with an attribute": lambda ov: run(ov, built(ov, scale=3.0)),
    "runs with a dynamic shape": lambda ov: [
        run(ov, built(ov, (-1, 2)), X),
        run(ov, built(ov, (-1, 2)), np.ones((4, 2), F)),
    ],
    "runs again": _again,
    "is reshaped": _reshaped,
    "is read": _read,
    "is cloned": lambda ov: run(ov, built(ov).clone()),
    "type": lambda ov: _node(ov, lambda n: [n.get_type_name(), n.get_type_info().version_id, n.get_type_info().name]),
    "shape": lambda ov: _node(ov, lambda n: [n.shape, n.get_output_element_type(0), n.get_output_size()]),
    "attributes": lambda ov: _node(ov, lambda n: n.get_attributes()),
    "is an operation": lambda ov: _node(ov, lambda n: [isinstance(n, ov.Op), isinstance(n, ov.Node)]),
    "evaluates": lambda ov: _node(ov, lambda n: n.has_evaluate()),
    "inputs": lambda ov: _node(ov, lambda n: [n.get_input_size(), n.input_value(0).get_node().friendly_name]),
    "layers": lambda ov: sorted(node.get_type_name() for node in built(ov).get_ops()),
}

CHECKS: dict[str, Check] = {f"operation of a user, {name}": check for name, check in CUSTOM.items()}

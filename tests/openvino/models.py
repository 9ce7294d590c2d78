"""Checks of Model: its accessors, reshaping and editing."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np

from tests.openvino import nets
from tests.openvino.comparing import Check


def small(ov: Any, dims: str = "1,3") -> Any:
    return ov.Core().read_model(nets.small(dims).encode(), nets.SMALL_WEIGHTS)


def pair(ov: Any) -> Any:
    return ov.Core().read_model(nets.pair().encode(), b"")


def counter(ov: Any) -> Any:
    return ov.Core().read_model(nets.counter().encode(), nets.COUNTER_WEIGHTS)


def run_once(ov: Any, model: Any) -> Any:
    return ov.Core().compile_model(model, "CPU")(np.array([[1, 2, 3]], np.float32))[0]


MODEL: dict[str, Check] = {
    "inputs": lambda ov: [len(small(ov).inputs), small(ov).inputs[0].any_name, len(pair(ov).inputs)],
    "outputs": lambda ov: [len(small(ov).outputs), sorted(small(ov).outputs[0].names), len(pair(ov).outputs)],
    "input without key": lambda ov: small(ov).input().any_name,
    "input of several": lambda ov: pair(ov).input(),
    "input by index": lambda ov: pair(ov).input(1).any_name,
    "input by name": lambda ov: pair(ov).input("b").any_name,
    "input by unknown name": lambda ov: pair(ov).input("zzz"),
    "input by wrong index": lambda ov: pair(ov).input(7),
    "input by node name": lambda ov: small(ov).input("x").get_node().friendly_name,
    "output by name": lambda ov: small(ov).output("yy").any_name,
    "output by node name": lambda ov: small(ov).output("relu_layer"),
    "output of several": lambda ov: pair(ov).output(),
    "output by float": lambda ov: pair(ov).output(1.5),
    "names": lambda ov: [small(ov).friendly_name, small(ov).get_friendly_name()],
    "set friendly name": lambda ov: _renamed(small(ov)),
    "name is unique": lambda ov: isinstance(small(ov).name, str) and isinstance(small(ov).get_name(), str),
    "ops": lambda ov: sorted(node.get_friendly_name() for node in small(ov).get_ops()),
    "ordered ops": lambda ov: [node.get_type_name() for node in small(ov).get_ordered_ops()],
    "parameters": lambda ov: [[n.get_friendly_name() for n in pair(ov).get_parameters()], len(pair(ov).parameters)],
    "results": lambda ov: [[n.get_friendly_name() for n in pair(ov).get_results()], len(pair(ov).results)],
    "result": lambda ov: [small(ov).get_result().get_type_name(), small(ov).result.friendly_name],
    "result of several": lambda ov: pair(ov).get_result(),
    "sinks": lambda ov: [[n.get_type_name() for n in counter(ov).get_sinks()], small(ov).sinks],
    "variables": lambda ov: [len(counter(ov).get_variables()), len(small(ov).get_variables())],
    "variable": lambda ov: [
        counter(ov).get_variables()[0].info.variable_id,
        counter(ov).get_variable_by_id("total").info.data_type,
        counter(ov).get_variable_by_id("total").info.data_shape,
    ],
    "is dynamic": lambda ov: [small(ov).is_dynamic(), small(ov, "-1,3").is_dynamic(), small(ov).dynamic],
    "output getters": lambda ov: [
        small(ov).get_output_size(),
        small(ov).get_output_shape(0),
        small(ov).get_output_partial_shape(0),
        small(ov).get_output_element_type(0),
        small(ov).get_output_op(0).get_type_name(),
    ],
    "parameter index": lambda ov: _indices(pair(ov)),
    "model repr": lambda ov: _lines(repr(small(ov))),
    "model repr dynamic": lambda ov: _lines(repr(small(ov, "-1,3"))),
    "model clone": lambda ov: _cloned(ov, lambda model: model.clone()),
    "model deepcopy": lambda ov: _cloned(ov, copy.deepcopy),
    "model pickle": lambda ov: _cloned(ov, lambda model: pickle.loads(pickle.dumps(model))),
    "model copy": lambda ov: copy.copy(small(ov)),
    "validate": lambda ov: small(ov).validate_nodes_and_infer_types(),
    "evaluate": lambda ov: _evaluated(ov),
    "rt info": lambda ov: small(ov).get_rt_info("made_by").astype(str),
    "rt info nested": lambda ov: small(ov).get_rt_info(["group", "inner"]).astype(str),
    "rt info value": lambda ov: small(ov).get_rt_info("made_by").value,
    "rt info of no key": lambda ov: small(ov).get_rt_info("nothing"),
    "has rt info": lambda ov: [
        small(ov).has_rt_info("made_by"),
        small(ov).has_rt_info(["group", "inner"]),
        small(ov).has_rt_info("nothing"),
    ],
    "set rt info": lambda ov: _with_rt_info(small(ov), "text", "note"),
    "set rt info nested": lambda ov: _with_rt_info(small(ov), "text", ["a", "b"]),
    "set rt info number": lambda ov: _with_rt_info(small(ov), 5, "note"),
    "rt info keys": lambda ov: sorted(small(ov).rt_info.keys()),
    "get batch": lambda ov: _batch(ov),
    "set batch": lambda ov: _set_batch(ov),
    "context": lambda ov: _context(ov),
    "model equality": lambda ov: small(ov) == small(ov),
}


def _renamed(model: Any) -> Any:
    model.set_friendly_name("other")
    first = model.friendly_name
    model.friendly_name = "third"
    return [first, model.get_friendly_name()]


def _indices(model: Any) -> Any:
    return [
        model.get_parameter_index(model.get_parameters()[1]),
        model.get_result_index(model.get_results()[1]),
        model.get_result_index(model.output(1)),
        model.get_parameter_index(small_parameter(model)),
    ]


def small_parameter(model: Any) -> Any:
    return model.get_parameters()[0]


def _lines(text: str) -> Any:
    return [line.strip() for line in text.splitlines()]


def _cloned(ov: Any, clone: Any) -> Any:
    model = small(ov)
    other = clone(model)
    other.reshape([5, 3])
    other.set_friendly_name("clone")
    names = [node.friendly_name for node in other.get_ordered_ops()]
    return [
        model.input().shape,
        other.input().shape,
        model.friendly_name,
        names,
        run_once(ov, model),
        sorted(other.output().names),
    ]


def _evaluated(ov: Any) -> Any:
    out = ov.Tensor(ov.Type.f32, ov.Shape([1, 3]))
    done = small(ov).evaluate([out], [ov.Tensor(np.array([[1, 2, 3]], np.float32))])
    return [done, out.data]


def _with_rt_info(model: Any, value: Any, path: Any) -> Any:
    model.set_rt_info(value, path)
    return [model.has_rt_info(path), model.get_rt_info(path).value]


def _batch(ov: Any) -> Any:
    model = small(ov)
    model.get_parameters()[0].set_layout(ov.Layout("NC"))
    return ov.get_batch(model)


def _set_batch(ov: Any) -> Any:
    model = small(ov)
    model.get_parameters()[0].set_layout(ov.Layout("NC"))
    ov.set_batch(model, 4)
    return model.output().shape


def _context(ov: Any) -> Any:
    with small(ov) as model:
        return model.friendly_name


def _reshaped(shape: Any, dims: str = "1,3") -> Check:
    def check(ov: Any) -> Any:
        model = small(ov, dims)
        model.reshape(shape(ov, model))
        return [
            model.input().partial_shape,
            model.output().partial_shape,
            model.get_parameters()[0].get_partial_shape(),
            model.is_dynamic(),
        ]

    return check


def _reshaped_pair(shapes: Any) -> Check:
    def check(ov: Any) -> Any:
        model = pair(ov)
        model.reshape(shapes(ov, model))
        return [port.partial_shape for port in [*model.inputs, *model.outputs]]

    return check


def _after_failed(ov: Any) -> Any:
    model = small(ov)
    try:
        model.reshape([1, 4])
    except RuntimeError:
        return model.input().shape
    return "accepted"


def _reshape_runs(ov: Any) -> Any:
    model = small(ov)
    model.reshape([2, 3])
    return ov.Core().compile_model(model, "CPU")(np.ones((2, 3), np.float32))[0]


RESHAPE: dict[str, Check] = {
    "reshape list": _reshaped(lambda ov, m: [2, 3]),
    "reshape tuple": _reshaped(lambda ov, m: (2, 3)),
    "reshape dynamic": _reshaped(lambda ov, m: [-1, 3]),
    "reshape text": _reshaped(lambda ov, m: "?,3"),
    "reshape interval": _reshaped(lambda ov, m: [(1, 8), 3]),
    "reshape dimension": _reshaped(lambda ov, m: [ov.Dimension(1, 8), 3]),
    "reshape text item": _reshaped(lambda ov, m: ["2..5", 3]),
    "reshape partial shape": _reshaped(lambda ov, m: ov.PartialShape([-1, 3])),
    "reshape shape": _reshaped(lambda ov, m: ov.Shape([7, 3])),
    "reshape by name": _reshaped(lambda ov, m: {"x": [4, 3]}),
    "reshape by index": _reshaped(lambda ov, m: {0: [4, 3]}),
    "reshape by port": _reshaped(lambda ov, m: {m.input(0): [4, 3]}),
    "reshape by name partial": _reshaped(lambda ov, m: {"x": ov.PartialShape("?,3")}),
    "reshape by name text": _reshaped(lambda ov, m: {"x": "?,3"}),
    "reshape unknown name": _reshaped(lambda ov, m: {"zzz": [4, 3]}),
    "reshape unknown index": _reshaped(lambda ov, m: {5: [4, 3]}),
    "reshape bad key": _reshaped(lambda ov, m: {1.5: [4, 3]}),
    "reshape misfit": _reshaped(lambda ov, m: [1, 4]),
    "reshape number": _reshaped(lambda ov, m: 4),
    "reshape to rank 3": _reshaped(lambda ov, m: [2, 2, 3]),
    "reshape dynamic model": _reshaped(lambda ov, m: [1, 3], "-1,3"),
    "reshape to dynamic rank": _reshaped(lambda ov, m: ov.PartialShape.dynamic()),
    "reshape after failure": _after_failed,
    "reshape pair": _reshaped_pair(lambda ov, m: {"a": [4], "b": [4]}),
    "reshape pair by port": _reshaped_pair(lambda ov, m: {port: [3] for port in m.inputs}),
    "reshape pair misfit": _reshaped_pair(lambda ov, m: {"a": [4]}),
    "reshape pair with one": _reshaped_pair(lambda ov, m: [4]),
    "reshape runs": _reshape_runs,
}


def _edit(ov: Any, edit: Any, make: Any = small) -> Any:
    model = make(ov)
    edit(model)
    inputs = [np.arange(1, 1 + np.prod(port.shape), dtype=np.float32).reshape(port.shape) for port in model.inputs]
    results = ov.Core().compile_model(model, "CPU")(inputs)
    return [[sorted(port.names) for port in model.outputs], [results[i] for i in range(len(model.outputs))]]


def _replace_source(model: Any) -> None:
    relu = model.output().get_node().input_value(0).get_node()
    relu.input(0).replace_source_output(model.input().get_node().output(0))
    model.validate_nodes_and_infer_types()


def _replace_output(model: Any) -> None:
    relu = model.output().get_node().input_value(0)
    relu.replace(relu.get_node().input_value(0))


EDITS: dict[str, Check] = {
    "add output by name": lambda ov: _edit(ov, lambda m: m.add_outputs("sum")),
    "add output by pair": lambda ov: _edit(ov, lambda m: m.add_outputs(("sum_layer", 0))),
    "add output of port": lambda ov: _edit(
        ov, lambda m: m.add_outputs(m.get_results()[0].input_value(0).get_node().input_value(0))
    ),
    "add several outputs": lambda ov: _edit(ov, lambda m: m.add_outputs(["sum", ("x", 0)])),
    "added output": lambda ov: [sorted(port.names) for port in small(ov).add_outputs(["sum"])],
    "add unknown output": lambda ov: small(ov).add_outputs("zzz"),
    "add output of wrong type": lambda ov: small(ov).add_outputs([5]),
    "remove result": lambda ov: _edit(ov, lambda m: m.remove_result(m.get_results()[0]), pair),
    "remove result after adding": lambda ov: _edit(
        ov, lambda m: [m.add_outputs("sum"), m.remove_result(m.get_results()[0])]
    ),
    "replace source": lambda ov: _edit(ov, _replace_source),
    "replace output": lambda ov: _edit(ov, _replace_output),
    "rename output": lambda ov: _edit(ov, lambda m: m.output().set_names({"other"})),
    "rename input": lambda ov: _edit(ov, lambda m: m.input().set_names({"other"})),
}


CHECKS = {**MODEL, **RESHAPE, **EDITS}

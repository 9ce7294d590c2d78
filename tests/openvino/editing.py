"""Checks of calls that walk, edit and save graphs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.graphs import F, x
from tests.openvino.models import counter, pair, small


def built(ov: Any) -> Any:
    """Return a model of every kind of end: parameter, multiply by two, result."""
    parameter = x(ov, (1, 2))
    node = ov.opset13.multiply(parameter, ov.opset13.constant(np.array([2], F), name="two"), name="twice")
    node.output(0).set_names({"out"})
    parameter.output(0).set_names({"in"})
    return ov.Model([node], [parameter], "built")


def ran(ov: Any, model: Any) -> Any:
    arrays = [np.arange(1, 1 + np.prod(port.shape), dtype=F).reshape(port.shape) for port in model.inputs]
    results = ov.Core().compile_model(model, "CPU")(arrays)
    return [results[index] for index in range(len(results))]


def edited(edit: Any, make: Any = small) -> Check:
    """Return a check that edits a model and runs it."""

    def check(ov: Any) -> Any:
        model = make(ov)
        found = edit(ov, model)
        return [found, [sorted(port.names) for port in model.outputs], ran(ov, model)]

    return check


def _named(model: Any, name: str) -> Any:
    return next(node for node in model.get_ops() if node.friendly_name == name)


def _swap_parameter(ov: Any, model: Any) -> Any:
    model.replace_parameter(0, ov.opset13.parameter([2, 3], F, name="new"))
    model.validate_nodes_and_infer_types()
    return [model.input().shape, model.input().node.friendly_name, model.output().shape]


def _inserted(ov: Any, model: Any) -> Any:
    target = next(iter(model.input().get_target_inputs()))
    scaled = ov.opset13.multiply(model.input(), ov.opset13.constant(F(10)))
    target.replace_source_output(scaled.output(0))
    model.validate_nodes_and_infer_types()
    return sorted(node.get_type_name() for node in model.get_ops())


def _tail(ov: Any, model: Any) -> Any:
    last = model.get_results()[0].input_value(0)
    model.add_results([ov.op.Result(ov.opset13.exp(last).output(0))])
    return len(model.results)


def _cut(ov: Any, model: Any) -> Any:
    inner = _named(model, "sum_layer")
    cut = ov.Model([inner.output(0)], model.get_parameters(), "cut")
    return [len(cut.get_ops()), ran(ov, cut)]


def _head(ov: Any, model: Any) -> Any:
    parameter = ov.opset13.parameter([1, 3], F, name="late")
    relu = _named(model, "relu_layer")
    relu.input(0).replace_source_output(parameter.output(0))
    cut = ov.Model([relu], [parameter], "late")
    return [len(cut.get_ops()), cut.input().node.friendly_name]


EDIT: dict[str, Check] = {
    "replace parameter": edited(_swap_parameter),
    "insert before": edited(_inserted),
    "add result": edited(_tail),
    "add parameters": edited(
        lambda ov, m: [m.add_parameters([ov.opset13.parameter([1], F, name="more")]), len(m.inputs)]
    ),
    "cut a model": lambda ov: _cut(ov, small(ov)),
    "cut the head": lambda ov: _head(ov, small(ov)),
    "add outputs of list": edited(lambda ov, m: len(m.add_outputs(["sum", "x"]))),
    "add output of output": edited(lambda ov, m: m.add_outputs([_named(m, "sum_layer").output(0)])[0].shape),
    "add output of node": edited(lambda ov, m: m.add_outputs(_named(m, "sum_layer"))),
    "add output twice": edited(lambda ov, m: [len(m.add_outputs("sum")), len(m.add_outputs("sum"))]),
    "add output bad index": edited(lambda ov, m: m.add_outputs(("sum_layer", 7))),
    "name every output": edited(
        lambda ov, m: [port.set_names({f"o{index}"}) for index, port in enumerate(m.outputs)], pair
    ),
    "name tensor": edited(lambda ov, m: m.input(0).get_tensor().set_names({"fresh"})),
    "add tensor name": edited(lambda ov, m: m.output(0).tensor.add_names({"fresh"})),
    "reshape all to batch": edited(
        lambda ov, m: m.reshape({port: [4, *list(port.shape)[1:]] for port in m.inputs}), built
    ),
    "reshape by any name": edited(lambda ov, m: m.reshape({m.input().get_any_name(): [3, 2]}), built),
    "reshape numpy sizes": edited(lambda ov, m: m.reshape([np.int64(2), 3])),
    "reshape of ports in list": edited(lambda ov, m: m.reshape([4, 3])),
    "rename model": edited(lambda ov, m: [m.set_friendly_name("q"), m.friendly_name, m.get_friendly_name()]),
    "layer types": lambda ov: [node.get_type_name() for node in built(ov).get_ordered_ops()],
    "layer names": lambda ov: sorted(node.get_friendly_name() for node in built(ov).get_ordered_ops())[1:],
    "model equality": lambda ov: (lambda m: [m == m, m == m.clone(), m is m.clone()])(built(ov)),
    "constants of model": lambda ov: [
        list(node.data) for node in built(ov).get_ops() if node.get_type_name() == "Constant"
    ],
    "layers with constant inputs": lambda ov: [
        node.friendly_name
        for node in small(ov).get_ordered_ops()
        if any(value.get_node().get_type_name() == "Constant" for value in node.input_values())
    ],
    "count parameters": lambda ov: sum(
        int(np.prod(node.shape)) for node in small(ov).get_ops() if node.get_type_name() == "Constant"
    ),
    "isinstance of op": lambda ov: [isinstance(node, ov.op.Parameter) for node in small(ov).get_ordered_ops()].count(
        True
    ),
    "node attributes": lambda ov: ov.opset13.softmax(x(ov, (1, 2)), 1).get_attributes(),
    "attributes of concat": lambda ov: ov.opset13.concat([x(ov), x(ov)], 0).get_attributes(),
    "attributes of matmul": lambda ov: ov.opset13.matmul(x(ov, (2, 2)), x(ov, (2, 2)), False, True).get_attributes(),
    "set attribute": lambda ov: _attribute(ov.opset13.softmax(x(ov, (1, 2)), 1)),
    "set unknown attribute": lambda ov: ov.opset13.softmax(x(ov, (1, 2)), 1).set_attribute("nothing", 1),
    "sort key of target": lambda ov: [
        (item.get_node().get_friendly_name(), item.get_index()) for item in pair(ov).input(1).get_target_inputs()
    ].__len__(),
    "variable ids": lambda ov: [item.info.variable_id for item in counter(ov).get_variables()],
    "sinks of counter": lambda ov: [item.get_type_name() for item in counter(ov).get_sinks()],
    "read value node": lambda ov: sorted(
        (node.get_variable_id(), node.get_type_name())
        for node in counter(ov).get_ops()
        if node.get_type_name() in ("ReadValue", "Assign")
    ),
    "model rt info dict": lambda ov: sorted(str(key) for key in small(ov).get_rt_info()),
    "model rt info set bool": lambda ov: _noted(small(ov), True),
    "model rt info set list": lambda ov: _noted(small(ov), [1, 2]),
    "model rt info set dict": lambda ov: _noted(small(ov), {"a": "b"}),
    "model rt info cast": lambda ov: small(ov).get_rt_info(["group", "inner"]).astype(int),
    "model rt info item": lambda ov: small(ov).rt_info["made_by"].value,
    "model rt info in": lambda ov: ["made_by" in small(ov).rt_info, "zzz" in small(ov).rt_info],
    "node rt info delete": lambda ov: _forgotten(x(ov)),
    "port rt info": lambda ov: _port_noted(x(ov).output(0)),
    "save and read": lambda ov: _saved(ov, built(ov), ov.save_model),
    "serialize and read": lambda ov: _saved(ov, built(ov), ov.serialize),
    "save without suffix": lambda ov: _saved(ov, built(ov), ov.save_model, "m"),
    "save half": lambda ov: _halved(ov, True),
    "save full": lambda ov: _halved(ov, False),
}


def _attribute(node: Any) -> Any:
    node.set_attribute("axis", 0)
    return node.get_attributes()


def _noted(model: Any, value: Any) -> Any:
    model.set_rt_info(value, ["own", "note"])
    return model.get_rt_info(["own", "note"]).value


def _forgotten(node: Any) -> Any:
    node.get_rt_info()["k"] = 5
    found = [node.get_rt_info()["k"].value, len(node.get_rt_info())]
    del node.get_rt_info()["k"]
    return [*found, len(node.get_rt_info())]


def _port_noted(port: Any) -> Any:
    port.get_rt_info()["k"] = "v"
    return [port.rt_info["k"].value, [str(key) for key in port.rt_info]]


def _saved(ov: Any, model: Any, save: Any, name: str = "m.xml") -> Any:
    with tempfile.TemporaryDirectory() as folder:
        save(model, str(Path(folder) / name))
        files = sorted(path.name for path in Path(folder).iterdir())
        return [files, ran(ov, ov.Core().read_model(Path(folder) / "m.xml"))]


def _halved(ov: Any, halves: bool) -> Any:
    weights = np.linspace(0, 1, 64, dtype=F).reshape(8, 8)
    parameter = x(ov, (1, 8))
    model = ov.Model([ov.opset13.matmul(parameter, weights, False, False)], [parameter], "m")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.xml"
        ov.save_model(model, path, compress_to_fp16=halves)
        again = ov.Core().read_model(path)
        size = path.with_suffix(".bin").stat().st_size
        return [size, sorted(node.get_type_name() for node in again.get_ops()), again.output().element_type]


CHECKS: dict[str, Check] = {f"edit, {name}": check for name, check in EDIT.items()}

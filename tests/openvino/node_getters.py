"""Checks of calls on nodes: getters of attributes, variables, bodies, symbols, and models of IR version 10."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.nets import Net
from tests.openvino.comparing import Check, plain
from tests.openvino.graphs import F, x
from tests.openvino.models import counter


def _variable(ov: Any, name: str = "total") -> Any:
    info = ov.op.util.VariableInfo()
    info.data_shape, info.data_type, info.variable_id = ov.PartialShape([1, 2]), ov.Type.f32, name
    return ov.op.util.Variable(info)


def _stateful(ov: Any, by_name: bool = False) -> Any:
    parameter, variable = x(ov, (1, 2)), _variable(ov)
    read = ov.op.read_value(ov.opset13.constant(np.zeros((1, 2), F)), variable)
    total = ov.opset13.add(read, parameter)
    write = ov.op.assign(total, "total" if by_name else variable)
    ends = [variable] if not by_name else []
    results = [ov.op.Result(total.output(0))]
    return ov.Model(results, [write], [parameter], *([ends] if ends else []), "stateful")


def _twice(ov: Any, model: Any) -> Any:
    compiled, ones = ov.compile_model(model, "CPU"), np.ones((1, 2), F)
    return [compiled(ones)[0], compiled(ones)[0]]


def _iterator(ov: Any, describe: bool = False) -> Any:
    inner, outer = x(ov, (1, 2), "inner"), x(ov, (3, 2), "outer")
    body = ov.Model([ov.op.Result(ov.opset13.relu(inner).output(0))], [inner], "body")
    node = ov.op.tensor_iterator()
    node.set_body(body)
    if describe:
        util = ov.op.util
        node.set_arguments([outer.output(0)])
        node.set_input_descriptions([util.SliceInputDescription(0, 0, 0, 1, 1, -1, 0)])
        node.set_output_descriptions([util.ConcatOutputDescription(0, 0, 0, 1, 1, -1, 0)])
        node.validate_and_infer_types()
        return node, outer
    node.set_sliced_input(body.get_parameters()[0], outer.output(0), 0, 1, 1, -1, 0)
    node.get_concatenated_slices(body.results[0].output(0), 0, 1, 1, -1, 0)
    return node, outer


def _described(item: Any) -> Any:
    fields = ("input_index", "body_parameter_index", "body_value_index", "output_index", "axis", "start", "end")
    return [type(item).__name__, str(item.get_type_info().name), [getattr(item, name, None) for name in fields]]


def _getters(ov: Any) -> Any:
    node = ov.opset13.convolution(
        x(ov, (1, 3, 8, 8)), np.zeros((4, 3, 3, 3), F), [1, 1], [0, 0], [0, 0], [1, 1], name="c"
    )
    found = [list(node.get_strides()), list(node.get_pads_begin()), node.get_auto_pad()]
    node.set_strides([2, 2])
    node.validate_and_infer_types()
    return [*found, node.shape]


def _loop(ov: Any) -> Any:
    inner = x(ov, (1, 2), "inner")
    again = ov.opset13.constant(True)
    body = ov.Model([ov.op.Result(ov.opset13.add(inner, F(1)).output(0)), ov.op.Result(again.output(0))], [inner], "b")
    node = ov.op.loop(ov.opset13.constant(np.int64(3)).output(0), ov.opset13.constant(True).output(0))
    outer = x(ov, (1, 2), "outer")
    node.set_function(body)
    node.set_special_body_ports([-1, 1])
    node.set_merged_input(body.get_parameters()[0], outer.output(0), body.results[0].output(0))
    out = node.get_iter_value(body.results[0].output(0), -1)
    descriptions = [_described(item) for item in (*node.get_input_descriptions(), *node.get_output_descriptions())]
    model = ov.Model([ov.op.Result(out)], [outer], "m")
    return [descriptions, ov.compile_model(model, "CPU")(np.zeros((1, 2), F))[0], node.get_special_body_ports()]


def _old(ov: Any, type: str = "f16") -> Any:
    """Return a model of IR version 10: ``s = |(|x|)|``."""
    net = Net("small", "10")
    at = net.parameter("x_t", "1,3", type)
    for name in "as":
        at = net.layer("Abs", [at], name=name, tensor=f"{name}_t")
    net.result(at, name="r")
    return ov.Core().read_model(net.ir.text.encode(), b"")


def _ports(model: Any) -> Any:
    return [(sorted(port.names), port.element_type) for port in (*model.inputs, *model.outputs)]


def _added(ov: Any, type: str) -> Any:
    model = _old(ov, type)
    model.add_outputs("a_t")
    values = np.array([[1, -2, 3]], np.int64 if type == "i64" else F)
    results = ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(values)
    return [_ports(model), [results[0], results[1]]]


def _renamed_old(ov: Any) -> Any:
    model = _old(ov)
    model.input().set_names({"new"})
    model.output().set_names({"out"})
    compiled = ov.compile_model(model, "CPU")
    values = np.array([[1, -2, 3]], F)
    return [_ports(model), compiled({"new": values})["out"], compiled({"x": values})[0]]


def _saved_old(ov: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        ov.save_model(_old(ov), Path(folder) / "m.xml")
        return _ports(ov.Core().read_model(Path(folder) / "m.xml"))


def _with_symbol(ov: Any) -> Any:
    size, symbol = ov.Dimension(), ov.Symbol()
    size.set_symbol(symbol)
    return [size.has_symbol(), size.get_symbol() == symbol, ov.Dimension().has_symbol(), bool(symbol)]


def _symbols(ov: Any) -> Any:
    same, other = ov.Symbol(), ov.Symbol()

    def size(symbol: Any, *bounds: int) -> Any:
        made = ov.Dimension(*bounds)
        made.set_symbol(symbol)
        return made

    ops = ov.opset13
    first = ops.parameter(ov.PartialShape([size(same), 3, size(other, 1, 9)]), F, name="first")
    second = ops.parameter([size(same), 3, -1], F, name="second")
    results = {
        "transposed": ops.transpose(first, np.array([2, 1, 0])),
        "joined": ops.concat([first, first], 1),
        "added": ops.add(first, ops.parameter([size(same), 1, size(other, 1, 9)], F, name="third")),
        "product": ops.matmul(first, ops.parameter([size(same), size(other), 4], F, name="fourth"), False, False),
    }
    nodes = {"first": first, "second": second, **results}

    def marks(shape: Any) -> list[Any]:
        named = [(dim.get_symbol(), dim.has_symbol()) for dim in shape]
        return [("same" if it == same else "other" if it == other else "?") if has else "" for it, has in named]

    found = {name: marks(node.get_output_partial_shape(0)) for name, node in nodes.items()}
    model = ov.Model([ops.result(ops.relu(second)), ops.result(results["joined"])], [first, second])
    read = [[marks(port.partial_shape) for port in ports] for ports in (model.inputs, model.outputs)]
    model.reshape({0: ov.PartialShape([size(other), 3, 2]), 1: [-1, 3, 5]})
    read.append([marks(port.partial_shape) for port in (*model.inputs, *model.outputs)])
    copied = model.clone()
    read.append([marks(port.partial_shape) for port in (*copied.inputs, *copied.outputs)])
    return [found, read]


def _contradicted(ov: Any) -> Any:
    same = ov.Symbol()
    sizes = [ov.Dimension(), ov.Dimension()]
    for item in sizes:
        item.set_symbol(same)
    first, second = (ov.opset13.parameter([item], F) for item in sizes)
    compiled = ov.compile_model(ov.Model([ov.opset13.concat([first, second], 0)], [first, second]), "CPU")
    return compiled([np.array([1, 2], F), np.array([3, 4, 5], F)])[0].tolist()


def _from_file(ov: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.bin"
        path.write_bytes(b"\1\2\3")
        return [plain(ov.tensor_from_file(str(path)).data), ov.tensor_from_file(str(path)).element_type]


NODES: dict[str, Check] = {
    "getters of attributes": _getters,
    "getter of axis": lambda ov: ov.opset13.softmax(x(ov, (1, 2)), 1).get_axis(),
    "getter of type": lambda ov: ov.opset13.convert(x(ov), "i32").get_destination_type(),
    "unknown getter": lambda ov: ov.opset13.relu(x(ov)).get_axis(),
    "attribute without getter": lambda ov: ov.opset13.softmax(x(ov, (1, 2)), 1).axis,
    "setter of wrong kind": lambda ov: ov.opset13.softmax(x(ov, (1, 2)), 1).set_axis("x"),
    "variable": lambda ov: [_variable(ov).info.variable_id, _variable(ov).get_info().data_shape],
    "stateful model": lambda ov: _twice(ov, _stateful(ov)),
    "stateful model by name": lambda ov: _twice(ov, _stateful(ov, True)),
    "variables of model": lambda ov: [
        [item.info.variable_id, item.info.data_type] for item in _stateful(ov).get_variables()
    ],
    "classes of read nodes": lambda ov: sorted(
        type(node).__name__.lower().replace("_", "").replace("readvalue", "readvalue")
        for node in _stateful(ov).get_ops()
        if node.get_type_name() in ("ReadValue", "Assign")
    ),
    "read value alone": lambda ov: ov.op.read_value(_variable(ov)).get_output_shape(0),
    "builder of read value": lambda ov: ov.opset13.read_value(np.zeros((1, 2), F), "w").get_variable_id(),
    "no such variable": lambda ov: counter(ov).get_variable_by_id("none"),
    "descriptions of iterator": lambda ov: [
        _described(item)
        for item in (*_iterator(ov)[0].get_input_descriptions(), *_iterator(ov)[0].get_output_descriptions())
    ],
    "iterator by descriptions": lambda ov: (
        lambda node, outer: ov.compile_model(ov.Model([ov.op.Result(node.output(0))], [outer], "m"), "CPU")(
            np.array([[1, -1], [2, -2], [3, -3]], F)
        )[0]
    )(*_iterator(ov, True)),
    "body of iterator": lambda ov: [node.get_type_name() for node in _iterator(ov)[0].get_function().get_ordered_ops()],
    "loop": _loop,
    "copy of description": lambda ov: ov.op.util.InvariantInputDescription(1, 2).copy().body_parameter_index,
    "output that is added to version 10": lambda ov: _added(ov, "f16"),
    "integers added to version 10": lambda ov: _added(ov, "i64"),
    "ports of version 10": lambda ov: _ports(_old(ov)),
    "layers of version 10": lambda ov: [
        node.get_type_name() for node in _old(ov).get_ordered_ops() if node.get_type_name() != "Parameter"
    ],
    "name of output layer of version 10": lambda ov: (
        _old(ov).output().get_node().input_value(0).get_node().friendly_name
    ),
    "renamed ends of version 10": _renamed_old,
    "saved version 10": _saved_old,
    "symbol": _with_symbol,
    "symbols of shapes": _symbols,
    "symbols that inputs contradict": _contradicted,
    "tensor of file": _from_file,
    "tensor of missing file": lambda ov: ov.tensor_from_file("nothing.bin"),
    "shutdown": lambda ov: callable(ov.shutdown),
    "type info": lambda ov: [x(ov).get_type_info().name, x(ov).get_type_info() == x(ov).get_type_info()],
    "read onnx": lambda ov: ov.Core().read_model("missing.onnx"),
}

CHECKS: dict[str, Check] = {f"node, {name}": check for name, check in NODES.items()}

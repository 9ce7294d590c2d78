"""Checks of nodes and their ports."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.models import pair, small


def _relu(ov: Any) -> Any:
    return next(node for node in small(ov).get_ops() if node.get_type_name() == "Relu")


def _op(ov: Any, name: str) -> Any:
    model = small(ov)
    return next(node for node in model.get_ops() if node.friendly_name == name)


def _node(name: str, ask: Any) -> Check:
    def check(ov: Any) -> Any:
        model = small(ov)
        return ask(next(node for node in model.get_ops() if node.friendly_name == name))

    return check


NODES: dict[str, Check] = {
    "port names": lambda ov: [
        sorted(small(ov).output().names),
        small(ov).output().get_names() == {"y", "yy"},
        small(ov).output().any_name,
        small(ov).output().get_any_name(),
    ],
    "port shapes": lambda ov: [
        small(ov).input().shape,
        small(ov).input().get_shape(),
        small(ov).input().partial_shape,
        small(ov).input().get_partial_shape(),
    ],
    "port dynamic shape": lambda ov: small(ov, "-1,3").input().shape,
    "port types": lambda ov: [small(ov).input().element_type, small(ov).input().get_element_type()],
    "port index": lambda ov: [pair(ov).input(1).index, pair(ov).output(1).get_index()],
    "port node": lambda ov: [
        small(ov).input().get_node().get_type_name(),
        small(ov).input().node.friendly_name,
        small(ov).output().node.get_type_name(),
    ],
    "port targets": lambda ov: _targets(small(ov), pair(ov)),
    "port repr": lambda ov: [repr(small(ov).input()), repr(small(ov).output()), repr(small(ov, "-1,3").input())],
    "port equality": lambda ov: _equal_ports(small(ov)),
    "port hash": lambda ov: _port_keys(small(ov)),
    "port tensor": lambda ov: [
        small(ov).input().get_tensor().get_names(),
        small(ov).input().tensor.shape,
        small(ov).input().get_tensor().element_type,
        small(ov).input().tensor.any_name,
    ],
    "port rt info": lambda ov: [len(small(ov).input().rt_info), len(small(ov).input().get_rt_info())],
    "port set names": lambda ov: _port_named(small(ov), "set"),
    "port add names": lambda ov: _port_named(small(ov), "add"),
    "port without name": lambda ov: _op(ov, "c").output(0).any_name,
    "node names": _node("relu_layer", lambda n: [n.friendly_name, n.get_friendly_name()]),
    "node rename": _node("relu_layer", lambda n: [n.set_friendly_name("q"), n.friendly_name]),
    "node rename by property": lambda ov: _node_renamed(small(ov)),
    "node types": _node("relu_layer", lambda n: [n.get_type_name(), n.type_info.name, n.get_type_info().version_id]),
    "node type of result": _node("result", lambda n: [n.get_type_name(), n.type_info.version_id]),
    "node type of constant": _node("c", lambda n: [n.get_type_name(), n.type_info.name, n.type_info.version_id]),
    "node type of add": _node("sum_layer", lambda n: [n.get_type_name(), n.type_info.version_id]),
    "node sizes": _node("sum_layer", lambda n: [n.get_input_size(), n.get_output_size()]),
    "node shapes": _node(
        "sum_layer",
        lambda n: [
            n.get_output_shape(0),
            n.get_output_partial_shape(0),
            n.shape,
            n.get_input_shape(1),
            n.get_input_partial_shape(0),
        ],
    ),
    "node element types": _node(
        "sum_layer", lambda n: [n.get_element_type(), n.get_output_element_type(0), n.get_input_element_type(1)]
    ),
    "node no such output": _node("sum_layer", lambda n: n.get_output_shape(3)),
    "node output": _node(
        "sum_layer", lambda n: [n.output(0).any_name, len(n.outputs()), n.output(0).get_node().friendly_name]
    ),
    "node output beyond": _node("sum_layer", lambda n: n.output(2)),
    "node inputs": _node(
        "sum_layer",
        lambda n: [len(n.inputs()), n.input(0).get_source_output().get_node().friendly_name, n.input(1).get_index()],
    ),
    "node input beyond": _node("sum_layer", lambda n: n.input(2)),
    "node input values": _node(
        "sum_layer",
        lambda n: [[v.get_node().friendly_name for v in n.input_values()], n.input_value(1).get_node().friendly_name],
    ),
    "node input port": _node(
        "sum_layer",
        lambda n: [
            n.input(1).get_shape(),
            n.input(0).get_partial_shape(),
            n.input(0).get_element_type(),
            n.input(0).get_node().friendly_name,
        ],
    ),
    "node input tensor": _node(
        "sum_layer", lambda n: [n.get_input_tensor(0).get_names(), n.get_output_tensor(0).get_names()]
    ),
    "node attributes of add": _node("sum_layer", lambda n: n.get_attributes()),
    "node attributes of parameter": _node(
        "x", lambda n: {k: str(v) for k, v in n.get_attributes().items() if k != "shape"}
    ),
    "node attributes of relu": _node("relu_layer", lambda n: n.get_attributes()),
    "node equality": lambda ov: _equal_nodes(small(ov)),
    "node rt info": _node(
        "relu_layer", lambda n: [isinstance(len(n.get_rt_info()), int), isinstance(len(n.rt_info), int)]
    ),
    "node set rt info": lambda ov: _node_rt_info(small(ov)),
    "node repr": _node("relu_layer", lambda n: repr(n)),
    "node repr of constant": _node("c", lambda n: repr(n)),
    "node repr of parameter": _node("x", lambda n: repr(n)),
    "constant data": _node("c", lambda n: [n.data, n.get_vector(), n.get_data()]),
    "constant shape": _node("c", lambda n: [n.get_output_shape(0), n.get_element_type(), n.get_byte_size()]),
    "constant class": lambda ov: isinstance(_op(ov, "c"), ov.op.Constant),
    "parameter class": lambda ov: [
        isinstance(_op(ov, "x"), ov.op.Parameter),
        isinstance(_op(ov, "x"), ov.Node),
        isinstance(_op(ov, "relu_layer"), ov.op.Constant),
    ],
    "parameter layout": lambda ov: [_op(ov, "x").layout.empty, _op(ov, "x").get_layout()],
    "parameter set layout": lambda ov: _laid_out(ov),
    "parameter shape": _node(
        "x", lambda n: [n.partial_shape, n.element_type, n.get_partial_shape(), n.get_element_type()]
    ),
    "parameter set shape": lambda ov: _parameter_set(ov),
    "parameter set type": lambda ov: _parameter_type(ov),
    "walk to the source": lambda ov: (
        small(ov).output().get_node().input_value(0).get_node().input_value(0).get_node().friendly_name
    ),
    "walk to the consumers": lambda ov: _consumers(small(ov)),
    "node evaluate": lambda ov: _node_evaluated(ov),
    "node next to it": lambda ov: small(ov).get_ordered_ops()[0].get_friendly_name() in ("x", "c"),
    "op count by type": lambda ov: sorted({node.get_type_name() for node in pair(ov).get_ops()}),
}


def _targets(one: Any, two: Any) -> Any:
    return [[t.get_node().friendly_name for t in one.input().get_target_inputs()], len(two.input(0).target_inputs)]


def _consumers(model: Any) -> Any:
    return [
        (t.get_node().get_type_name(), t.get_index()) for t in model.input().get_node().output(0).get_target_inputs()
    ]


def _equal_ports(model: Any) -> Any:
    return [model.input(0) == model.input("x"), model.input(0) == model.inputs[0], model.input() == model.output()]


def _port_keys(model: Any) -> Any:
    table = {model.input(0): 1, model.output(0): 2}
    return [table[model.input("x")], table[model.outputs[0]], len(table)]


def _port_named(model: Any, how: str) -> Any:
    port = model.output()
    port.set_names({"new"}) if how == "set" else port.add_names({"new"})
    return sorted(model.output().names)


def _node_renamed(model: Any) -> Any:
    model.get_parameters()[0].friendly_name = "renamed"
    return [model.get_parameters()[0].friendly_name, model.input().get_node().friendly_name]


def _equal_nodes(model: Any) -> Any:
    a, b = model.get_parameters()[0], model.input().get_node()
    return [a == b, a.get_name() == b.get_name(), a == model.get_results()[0], len({a.get_name(), b.get_name()})]


def _node_rt_info(model: Any) -> Any:
    node = model.get_parameters()[0]
    node.rt_info["key"] = "value"
    return [node.rt_info["key"].value, "key" in list(node.get_rt_info().keys())]


def _laid_out(ov: Any) -> Any:
    node = _op(ov, "x")
    node.layout = ov.Layout("NC")
    first = node.layout
    node.set_layout(ov.Layout("CN"))
    return [first, node.get_layout()]


def _parameter_set(ov: Any) -> Any:
    model = small(ov)
    model.get_parameters()[0].set_partial_shape(ov.PartialShape([5, 3]))
    model.validate_nodes_and_infer_types()
    return [model.input().shape, model.output().shape]


def _parameter_type(ov: Any) -> Any:
    model = pair(ov)
    for node in model.get_parameters():
        node.set_element_type(ov.Type.i32)
    model.validate_nodes_and_infer_types()
    return [model.input(0).element_type, model.output(0).element_type]


def _node_evaluated(ov: Any) -> Any:
    out = [ov.Tensor(ov.Type.f32, ov.Shape([1, 3]))]
    done = _relu(ov).evaluate(out, [ov.Tensor(np.array([[1, -2, 3]], np.float32))])
    return [done, out[0].data]


CHECKS = {**NODES}

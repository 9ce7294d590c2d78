"""Checks of Core, Model, ports and nodes."""

from __future__ import annotations

import copy
import io
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.api import nets
from tests.api.comparing import Check


def small(ov: Any, dims: str = "1,3") -> Any:
    return ov.Core().read_model(nets.small(dims).encode(), nets.SMALL_WEIGHTS)


def pair(ov: Any) -> Any:
    return ov.Core().read_model(nets.pair().encode(), b"")


def counter(ov: Any) -> Any:
    return ov.Core().read_model(nets.counter().encode(), nets.COUNTER_WEIGHTS)


def _file(ov: Any, form: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.xml"
        path.write_text(nets.small())
        path.with_suffix(".bin").write_bytes(nets.SMALL_WEIGHTS)
        core = ov.Core()
        if form == "path":
            return len(core.read_model(path).get_ops())
        if form == "text":
            return len(core.read_model(str(path)).get_ops())
        if form == "named":
            return len(core.read_model(model=str(path), weights=str(path.with_suffix(".bin"))).get_ops())
        if form == "weights path":
            return len(core.read_model(path, path.with_suffix(".bin")).get_ops())
        if form == "compile":
            return core.compile_model(str(path), "CPU")(np.ones((1, 3), np.float32))[0]
        if form == "module compile":
            return ov.compile_model(path)(np.ones((1, 3), np.float32))[0]
        path.with_suffix(".bin").unlink()
        return len(core.read_model(path).get_ops())


def _run(ov: Any, model: Any) -> Any:
    return ov.Core().compile_model(model, "CPU")(np.array([[1, 2, 3]], np.float32))[0]


_XML = nets.small
_BIN = nets.SMALL_WEIGHTS

CORE: dict[str, Check] = {
    "read path": lambda ov: _file(ov, "path"),
    "read text path": lambda ov: _file(ov, "text"),
    "read named": lambda ov: _file(ov, "named"),
    "read with weights path": lambda ov: _file(ov, "weights path"),
    "read without weights": lambda ov: _file(ov, "no weights"),
    "compile path": lambda ov: _file(ov, "compile"),
    "compile path by module": lambda ov: _file(ov, "module compile"),
    "read bytes": lambda ov: _run(ov, ov.Core().read_model(_XML().encode(), _BIN)),
    "read xml text": lambda ov: _run(ov, ov.Core().read_model(_XML(), ov.Tensor(np.frombuffer(_BIN, np.uint8)))),
    "read BytesIO": lambda ov: _run(ov, ov.Core().read_model(io.BytesIO(_XML().encode()), io.BytesIO(_BIN))),
    "read bytes and tensor": lambda ov: _run(
        ov, ov.Core().read_model(_XML().encode(), ov.Tensor(np.frombuffer(_BIN, np.uint8)))
    ),
    "read bytes and array": lambda ov: ov.Core().read_model(_XML().encode(), np.frombuffer(_BIN, np.uint8)),
    "read bytes only": lambda ov: ov.Core().read_model(nets.pair().encode()),
    "read no file": lambda ov: ov.Core().read_model("/none/there.xml"),
    "read no model": lambda ov: ov.Core().read_model(b"nothing", b""),
    "read a number": lambda ov: ov.Core().read_model(5),
    "read with config": lambda ov: ov.Core().read_model(nets.pair().encode(), b"").get_friendly_name(),
    "devices": lambda ov: ["CPU" in ov.Core().available_devices, isinstance(ov.Core().available_devices, list)],
    "get devices": lambda ov: "CPU" in ov.Core().get_available_devices(),
    "compile default device": lambda ov: len(ov.Core().compile_model(small(ov)).outputs),
    "compile CPU": lambda ov: len(ov.Core().compile_model(small(ov), "CPU").outputs),
    "compile AUTO": lambda ov: len(ov.Core().compile_model(small(ov), "AUTO").outputs),
    "compile named": lambda ov: len(ov.Core().compile_model(model=small(ov), device_name="CPU", config={}).outputs),
    "compile config second": lambda ov: len(
        ov.Core().compile_model(small(ov), {"PERFORMANCE_HINT": "LATENCY"}).outputs
    ),
    "compile unknown device": lambda ov: ov.Core().compile_model(small(ov), "XPU"),
    "compile unknown property": lambda ov: ov.Core().compile_model(small(ov), "CPU", {"NO_SUCH": 1}),
    "compile bad value": lambda ov: ov.Core().compile_model(small(ov), "CPU", {"INFERENCE_NUM_THREADS": "many"}),
    "compile bad hint": lambda ov: ov.Core().compile_model(small(ov), "CPU", {"PERFORMANCE_HINT": "FASTEST"}),
    "compile threads": lambda ov: (
        ov.Core().compile_model(small(ov), "CPU", {"INFERENCE_NUM_THREADS": 1}).get_property("INFERENCE_NUM_THREADS")
    ),
    "compile text": lambda ov: (
        ov.Core().compile_model(_XML(), ov.Tensor(np.frombuffer(_BIN, np.uint8)), {}).outputs[0].any_name
    ),
    "compile bytes": lambda ov: ov.Core().compile_model(_XML().encode(), _BIN, "CPU").outputs[0].any_name,
    "compile nothing": lambda ov: ov.Core().compile_model(),
    "set property": lambda ov: ov.Core().set_property("CPU", {"INFERENCE_NUM_THREADS": 1}),
    "set and get property": lambda ov: _set_get(ov, "INFERENCE_NUM_THREADS", 2),
    "set and get hint": lambda ov: _set_get(ov, "PERFORMANCE_HINT", "THROUGHPUT"),
    "set property without device": lambda ov: ov.Core().set_property({"CACHE_DIR": ""}),
    "set unknown property": lambda ov: ov.Core().set_property("CPU", {"NO_SUCH": 1}),
    "get unknown property": lambda ov: ov.Core().get_property("CPU", "NO_SUCH"),
    "get property of unknown device": lambda ov: ov.Core().get_property("XPU", "FULL_DEVICE_NAME"),
    "full device name": lambda ov: isinstance(ov.Core().get_property("CPU", "FULL_DEVICE_NAME"), str),
    "device property of list": lambda ov: isinstance(ov.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"), list),
    "supported properties": lambda ov: "PERFORMANCE_HINT" in ov.Core().get_property("CPU", "SUPPORTED_PROPERTIES"),
    "range property": lambda ov: len(ov.Core().get_property("CPU", "RANGE_FOR_STREAMS")),
    "property object": lambda ov: ov.properties.hint.performance_mode(ov.properties.hint.PerformanceMode.LATENCY)[0],
    "property object as key": lambda ov: (
        ov.Core()
        .compile_model(
            small(ov), "CPU", {ov.properties.hint.performance_mode: ov.properties.hint.PerformanceMode.LATENCY}
        )
        .get_property(ov.properties.inference_num_threads)
        >= 0
    ),
    "property names": lambda ov: [
        ov.properties.inference_num_threads(),
        ov.properties.hint.performance_mode(),
        ov.properties.cache_dir(),
        ov.properties.hint.inference_precision(),
        ov.properties.enable_profiling(),
        ov.properties.num_streams(),
    ],
    "query model": lambda ov: ov.Core().query_model(small(ov), "CPU"),
    "query unknown device": lambda ov: ov.Core().query_model(small(ov), "XPU"),
    "versions": lambda ov: list(ov.Core().get_versions("CPU")),
    "version": lambda ov: [isinstance(ov.get_version(), str), isinstance(ov.__version__, str)],
    "export and import": lambda ov: _exported(ov, False),
    "export to a stream": lambda ov: _exported(ov, True),
    "import nothing": lambda ov: ov.Core().import_model(b"", "CPU"),
    "import rubbish": lambda ov: ov.Core().import_model(b"rubbish", "CPU"),
    "cache dir": lambda ov: ov.Core().set_property({"CACHE_DIR": "", "ENABLE_MMAP": True}),
    "inference precision": lambda ov: len(
        ov.Core().compile_model(small(ov), "CPU", {"INFERENCE_PRECISION_HINT": ov.Type.f32}).inputs
    ),
    "inference precision text": lambda ov: len(
        ov.Core().compile_model(small(ov), "CPU", {"INFERENCE_PRECISION_HINT": "f32"}).inputs
    ),
}


def _set_get(ov: Any, name: str, value: Any) -> Any:
    core = ov.Core()
    core.set_property("CPU", {name: value})
    found = core.get_property("CPU", name)
    return getattr(found, "name", found)


def _exported(ov: Any, as_stream: bool) -> Any:
    core = ov.Core()
    compiled = core.compile_model(small(ov), "CPU")
    if as_stream:
        stream = io.BytesIO()
        compiled.export_model(stream)
        stream.seek(0)
        again = core.import_model(stream, "CPU")
    else:
        again = core.import_model(compiled.export_model(), "CPU")
    return again(np.array([[1, 2, 3]], np.float32))[0]


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
        _run(ov, model),
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

CHECKS = {**CORE, **MODEL, **RESHAPE, **NODES, **EDITS}

"""Checks of calls that set properties, compile, and keep compiled models."""

from __future__ import annotations

import copy
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino import nets
from tests.openvino.comparing import Check
from tests.openvino.models import small
from tests.openvino.running import X, compiled, two

F = np.float32


def _value(value: Any) -> Any:
    """Return the plain form of a property."""
    return getattr(value, "name", value)


def prop(name: str, config: Any = None) -> Check:
    return lambda ov: _value(
        ov.Core().compile_model(small(ov), "CPU", (config or (lambda ov: {}))(ov)).get_property(name)
    )


def core_prop(name: str) -> Check:
    return lambda ov: _value(ov.Core().get_property("CPU", name))


PROPERTIES: dict[str, Check] = {
    "default hint": prop("PERFORMANCE_HINT"),
    "latency hint": prop("PERFORMANCE_HINT", lambda ov: {"PERFORMANCE_HINT": "LATENCY"}),
    "throughput hint": prop("PERFORMANCE_HINT", lambda ov: {"PERFORMANCE_HINT": "THROUGHPUT"}),
    "throughput by enum": prop(
        "PERFORMANCE_HINT",
        lambda ov: {ov.properties.hint.performance_mode: ov.properties.hint.PerformanceMode.THROUGHPUT},
    ),
    "throughput by pair": lambda ov: _value(
        ov.Core()
        .compile_model(
            small(ov),
            "CPU",
            dict([ov.properties.hint.performance_mode(ov.properties.hint.PerformanceMode.THROUGHPUT)]),
        )
        .get_property(ov.properties.hint.performance_mode)
    ),
    "requests of latency": prop("OPTIMAL_NUMBER_OF_INFER_REQUESTS", lambda ov: {"PERFORMANCE_HINT": "LATENCY"}),
    "requests of two streams": prop("OPTIMAL_NUMBER_OF_INFER_REQUESTS", lambda ov: {"NUM_STREAMS": 2}),
    "requests of default": prop("OPTIMAL_NUMBER_OF_INFER_REQUESTS"),
    "streams": prop("NUM_STREAMS"),
    "two streams": prop("NUM_STREAMS", lambda ov: {"NUM_STREAMS": 2}),
    "streams as text": prop("NUM_STREAMS", lambda ov: {"NUM_STREAMS": "2"}),
    "streams by property": prop("NUM_STREAMS", lambda ov: {ov.properties.num_streams(): 2}),
    "bad streams": prop("NUM_STREAMS", lambda ov: {"NUM_STREAMS": "many"}),
    "threads": prop("INFERENCE_NUM_THREADS", lambda ov: {"INFERENCE_NUM_THREADS": 2}),
    "threads as text": prop("INFERENCE_NUM_THREADS", lambda ov: {"INFERENCE_NUM_THREADS": "1"}),
    "negative threads": prop("INFERENCE_NUM_THREADS", lambda ov: {"INFERENCE_NUM_THREADS": -1}),
    "precision f32": lambda ov: (
        ov.Core()
        .compile_model(small(ov), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        .get_property(ov.properties.hint.inference_precision)
    ),
    "bad precision": prop("INFERENCE_PRECISION_HINT", lambda ov: {"INFERENCE_PRECISION_HINT": "f31"}),
    "execution mode": prop("EXECUTION_MODE_HINT", lambda ov: {"EXECUTION_MODE_HINT": "ACCURACY"}),
    "execution mode by enum": prop(
        "EXECUTION_MODE_HINT",
        lambda ov: {ov.properties.hint.execution_mode: ov.properties.hint.ExecutionMode.ACCURACY},
    ),
    "bad execution mode": prop("EXECUTION_MODE_HINT", lambda ov: {"EXECUTION_MODE_HINT": "FAST"}),
    "profiling on": prop("PERF_COUNT", lambda ov: {"PERF_COUNT": True}),
    "profiling text": prop("PERF_COUNT", lambda ov: {"PERF_COUNT": "YES"}),
    "profiling by property": prop("PERF_COUNT", lambda ov: {ov.properties.enable_profiling(): True}),
    "profiling default": prop("PERF_COUNT"),
    "bad profiling": prop("PERF_COUNT", lambda ov: {"PERF_COUNT": "PERHAPS"}),
    "pinning": prop("ENABLE_CPU_PINNING", lambda ov: {"ENABLE_CPU_PINNING": False}),
    "hyper threading": prop("ENABLE_HYPER_THREADING", lambda ov: {"ENABLE_HYPER_THREADING": False}),
    "hint requests": prop("PERFORMANCE_HINT_NUM_REQUESTS", lambda ov: {"PERFORMANCE_HINT_NUM_REQUESTS": 4}),
    "execution devices": prop("EXECUTION_DEVICES"),
    "network name": prop("NETWORK_NAME"),
    "from cache": prop("LOADED_FROM_CACHE"),
    "scheduling core": prop("SCHEDULING_CORE_TYPE"),
    "log level": lambda ov: _value(_set(ov, {"LOG_LEVEL": "LOG_NONE"}).get_property("CPU", "LOG_LEVEL")),
    "log level by enum": lambda ov: _set(ov, {ov.properties.log.level: ov.properties.log.Level.ERR}) is not None,
    "set several": lambda ov: _value(
        _set(ov, {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1}).get_property("CPU", "NUM_STREAMS")
    ),
    "set by property": lambda ov: _set(ov, {ov.properties.num_streams: 2}).get_property(
        "CPU", ov.properties.num_streams
    ),
    "set then compile": lambda ov: (
        _set(ov, {"NUM_STREAMS": 2}).compile_model(small(ov), "CPU").get_property("NUM_STREAMS")
    ),
    "set bad type": lambda ov: _set(ov, 5),
    "device name": lambda ov: len(ov.Core().get_property("CPU", ov.properties.device.full_name)) > 0,
    "device type": lambda ov: _value(ov.Core().get_property("CPU", ov.properties.device.type)),
    "capabilities": lambda ov: "FP32" in ov.Core().get_property("CPU", ov.properties.device.capabilities),
    "supported properties": lambda ov: isinstance(ov.Core().get_property("CPU", "SUPPORTED_PROPERTIES"), dict),
    "supported with mode": lambda ov: ov.Core().get_property("CPU", "SUPPORTED_PROPERTIES")["NUM_STREAMS"],
    "supported of compiled": lambda ov: compiled(ov).get_property("SUPPORTED_PROPERTIES")["NETWORK_NAME"],
    "range of streams": lambda ov: ov.Core().get_property("CPU", "RANGE_FOR_STREAMS")[0],
    "range of requests": core_prop("RANGE_FOR_ASYNC_INFER_REQUESTS"),
    "available devices property": core_prop("AVAILABLE_DEVICES"),
    "max batch": core_prop("MAX_BATCH_SIZE"),
    "optimal batch": core_prop("OPTIMAL_BATCH_SIZE"),
    "cache dir default": core_prop("CACHE_DIR"),
    "mmap default": core_prop("ENABLE_MMAP"),
    "core hint default": core_prop("PERFORMANCE_HINT"),
    "core streams default": core_prop("NUM_STREAMS"),
    "core threads default": core_prop("INFERENCE_NUM_THREADS"),
    "core requests default": core_prop("PERFORMANCE_HINT_NUM_REQUESTS"),
    "core execution devices": core_prop("EXECUTION_DEVICES"),
    "loop over properties": lambda ov: _all_readable(ov.Core()),
    "loop over compiled properties": lambda ov: _all_readable(compiled(ov), False),
    "properties of streams": lambda ov: _value(ov.properties.streams.num()),
    "auto streams": lambda ov: isinstance(
        ov.Core()
        .compile_model(small(ov), "CPU", {ov.properties.num_streams: ov.properties.streams.Num.AUTO})
        .get_property("NUM_STREAMS"),
        int,
    ),
    "enum names": lambda ov: [
        item.name
        for item in (
            ov.properties.hint.PerformanceMode.CUMULATIVE_THROUGHPUT,
            ov.properties.hint.Priority.HIGH,
            ov.properties.CacheMode.OPTIMIZE_SPEED,
            ov.properties.WorkloadType.DEFAULT,
            ov.properties.device.Type.INTEGRATED,
        )
    ],
    "versions of CPU": lambda ov: type(ov.Core().get_versions("CPU")["CPU"].build_number).__name__,
    "unknown version": lambda ov: ov.Core().get_versions("XPU"),
    "query by config": lambda ov: sorted(ov.Core().query_model(model=small(ov), device_name="CPU", config={})),
    "devices in core": lambda ov: [type(item).__name__ for item in ov.Core().available_devices[:1]],
    "unload plugin": lambda ov: (lambda core: [core.compile_model(small(ov), "CPU"), core.unload_plugin("CPU")][1])(
        ov.Core()
    ),
    "register plugin": lambda ov: ov.Core().register_plugin("nothing", "MINE"),
    "create context": lambda ov: ov.Core().create_context("CPU", {}),
    "default context": lambda ov: ov.Core().get_default_context("CPU"),
}


def _set(ov: Any, properties: Any) -> Any:
    core = ov.Core()
    core.set_property("CPU", properties)
    return core


def _all_readable(holder: Any, is_core: bool = True) -> Any:
    names = holder.get_property(*(("CPU",) if is_core else ()), "SUPPORTED_PROPERTIES")
    for name in names:
        if name == "COMPATIBILITY_CHECK":  # OpenVINO's value has no Python type
            continue
        holder.get_property(*(("CPU",) if is_core else ()), name)
    return "NUM_STREAMS" in names


def _files(use: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.xml"
        path.write_text(nets.small())
        path.with_suffix(".bin").write_bytes(nets.SMALL_WEIGHTS)
        return use(path)


def _cached(ov: Any, path: Path) -> Any:
    core = ov.Core()
    core.set_property({"CACHE_DIR": str(path.parent / "cache")})
    first = core.compile_model(path, "CPU")(X)[0]
    return [first, core.compile_model(path, "CPU")(X)[0]]


def _exported(ov: Any, path: Path) -> Any:
    file = path.parent / "blob"
    file.write_bytes(compiled(ov).export_model().getvalue())
    with file.open("rb") as stream:
        again = ov.Core().import_model(stream.read(), "CPU")
    return [again(X)[0], again.input().any_name, sorted(again.output().names), again.get_property("NETWORK_NAME")]


COMPILE: dict[str, Check] = {
    "one line": lambda ov: ov.Core().compile_model(small(ov), "CPU")(X)[0],
    "by module": lambda ov: ov.compile_model(small(ov))(X)[0],
    "by module and device": lambda ov: ov.compile_model(small(ov), device_name="CPU", config={})(X)[0],
    "by module of path": lambda ov: _files(lambda path: ov.compile_model(str(path), "CPU")(X)[0]),
    "path and config": lambda ov: _files(
        lambda path: ov.Core().compile_model(model=path, device_name="CPU", config={"NUM_STREAMS": "1"})(X)[0]
    ),
    "read by module": lambda ov: _files(lambda path: len(ov.Core().read_model(model=path).inputs)),
    "AUTO device": lambda ov: ov.Core().compile_model(small(ov), "AUTO")(X)[0],
    "HETERO device": lambda ov: ov.Core().compile_model(small(ov), "HETERO:CPU")(X)[0],
    "AUTO of CPU": lambda ov: ov.Core().compile_model(small(ov), "AUTO:CPU")(X)[0],
    "MULTI of CPU": lambda ov: ov.Core().compile_model(small(ov), "MULTI:CPU")(X)[0],
    "GPU device": lambda ov: ov.Core().compile_model(small(ov), "GPU"),
    "lower device": lambda ov: ov.Core().compile_model(small(ov), "cpu"),
    "device with number": lambda ov: ov.Core().compile_model(small(ov), "CPU.0")(X)[0],
    "device of None": lambda ov: ov.Core().compile_model(small(ov), None)(X)[0],
    "device of number": lambda ov: ov.Core().compile_model(small(ov), 5),
    "config of list": lambda ov: ov.Core().compile_model(small(ov), "CPU", [1]),
    "model of number": lambda ov: ov.Core().compile_model(5, "CPU"),
    "cache": lambda ov: _files(lambda path: _cached(ov, path)),
    "export to file": lambda ov: _files(lambda path: _exported(ov, path)),
    "import with config": lambda ov: ov.Core().import_model(compiled(ov).export_model(), "CPU", {"NUM_STREAMS": 1})(X)[
        0
    ],
    "import of tensor": lambda ov: ov.Core().import_model(
        ov.Tensor(np.frombuffer(compiled(ov).export_model().getvalue(), np.uint8)), "CPU"
    )(X)[0],
    "import for unknown device": lambda ov: ov.Core().import_model(compiled(ov).export_model(), "XPU"),
    "import of text": lambda ov: ov.Core().import_model("text", "CPU"),
    "compiled pickled": lambda ov: pickle.loads(pickle.dumps(compiled(ov))),
    "compiled copied": lambda ov: copy.copy(compiled(ov)),
    "compiled context": lambda ov: _with(compiled(ov)),
    "read of missing": lambda ov: ov.Core().read_model("nothing.xml"),
    "read of folder": lambda ov: _files(lambda path: ov.Core().read_model(path.parent)),
    "read of onnx": lambda ov: ov.Core().read_model("nothing.onnx"),
    "read of bad bytes": lambda ov: ov.Core().read_model(b"\x00\x01", b""),
    "read of None": lambda ov: ov.Core().read_model(None),
    "extension of missing file": lambda ov: ov.Core().add_extension("nothing.so"),
    "compiled property of list": lambda ov: compiled(ov).get_property(["a"]),
    "compiled outputs names": lambda ov: [output.get_any_name() for output in two(ov).outputs],
    "compiled inputs shapes": lambda ov: [list(port.shape) for port in two(ov).inputs],
    "compiled dynamic port": lambda ov: [
        compiled(ov, "-1,3").input().partial_shape,
        compiled(ov, "-1,3").output(0).get_partial_shape(),
    ],
    "compiled dynamic shape": lambda ov: compiled(ov, "-1,3").input(0).shape,
    "compiled port index": lambda ov: [two(ov).input("b").get_index(), two(ov).input("b").index],
    "compiled port equal": lambda ov: (lambda net: [net.output(0) == net.outputs[0], net.input(0) in net.inputs])(
        two(ov)
    ),
    "compiled port tensor": lambda ov: two(ov).input(0).get_tensor().get_names(),
    "compiled port rt info": lambda ov: len(two(ov).input(0).get_rt_info()),
    "compiled port set names": lambda ov: two(ov).input(0).set_names({"n"}),
    "runtime model ops": lambda ov: {
        type(node.get_rt_info()).__name__ for node in compiled(ov).get_runtime_model().get_ordered_ops()
    },
    "runtime model inputs": lambda ov: compiled(ov).get_runtime_model().inputs[0].node.friendly_name,
}


def _with(net: Any) -> Any:
    with net as inside:
        return inside(X)[0]


CHECKS: dict[str, Check] = {f"setting, {name}": check for name, check in {**PROPERTIES, **COMPILE}.items()}

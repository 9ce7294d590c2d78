"""Checks of Core: reading, compiling, properties, export."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino import nets
from tests.openvino.comparing import Check
from tests.openvino.models import run_once, small


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
    "read bytes": lambda ov: run_once(ov, ov.Core().read_model(_XML().encode(), _BIN)),
    "read xml text": lambda ov: run_once(ov, ov.Core().read_model(_XML(), ov.Tensor(np.frombuffer(_BIN, np.uint8)))),
    "read BytesIO": lambda ov: run_once(ov, ov.Core().read_model(io.BytesIO(_XML().encode()), io.BytesIO(_BIN))),
    "read bytes and tensor": lambda ov: run_once(
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


CHECKS = {**CORE}

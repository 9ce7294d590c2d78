"""Converts ONNX's own test models to IR, each in a forked process: ``worker.py FOLDER EVERY``.

EVERY is 1 for all cases, 2 for every second one. Each case gets a folder ``KIND/NAME`` with ``case.json``: the reason
for not converting it, the tolerance, the types of the outputs. A converted case also gets ``model.xml``, ``inputs.npz``
and ``expected.npz``, the arrays that ONNX publishes, in the carriers of their types.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np
import onnx
import openvino as ov
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from irrun.tensor import Array, ElementType
from tests.lab import oracle
from tests.lab.onnx_suite.judging import KINDS
from tests.lab.oracle.forked import forked

NAMES = {
    "bfloat16": "bf16",
    "bool": "boolean",
    "float16": "f16",
    "float32": "f32",
    "float4_e2m1fn": "f4e2m1",
    "float64": "f64",
    "float8_e4m3fn": "f8e4m3",
    "float8_e5m2": "f8e5m2",
    "float8_e8m0fnu": "f8e8m0",
    "object": "string",
}
"""OpenVINO's element types by NumPy's names, without integers: int8 is always i8, uint8 u8, and so on."""


def main() -> None:
    warnings.simplefilter("ignore")
    root, every = Path(sys.argv[1]), int(sys.argv[2])
    core = ov.Core()
    cases = {f"{kind}/{case.name}": case for kind in KINDS for case in load_model_tests(kind=kind)}
    for name in sorted(cases)[::every]:
        folder = root / name
        if not (folder / "case.json").exists():
            folder.mkdir(parents=True, exist_ok=True)
            refused = forked(partial(convert, core, cases[name], folder))
            if refused:
                write(folder, cases[name], refused=refused)


def write(folder: Path, case: Any, *, types: Iterable[str] = (), refused: str = "") -> None:
    record = {"rtol": case.rtol, "atol": case.atol, "types": list(types), "refused": refused}
    (folder / "case.json").write_text(json.dumps(record), encoding="utf-8")


def convert(core: ov.Core, case: Any, folder: Path) -> None:
    """Write the model and the data of one case; RuntimeError if OpenVINO does not convert it."""
    proto, inputs, outputs = loaded(case)
    model = core.read_model(proto.SerializeToString(), b"")
    if any(not isinstance(value, np.ndarray | np.generic) for value in (*inputs, *outputs)):
        raise RuntimeError("the inputs or the outputs are sequences or optional")
    names = [port.name for port in fed_inputs(proto)]
    fed = [source(names, index, parameter) for index, parameter in enumerate(model.get_parameters())]
    oracle.save(folder / "inputs.npz", [carried(inputs[index]) for index in fed])
    oracle.save(folder / "expected.npz", map(carried, outputs))
    ov.serialize(model, folder / "model.xml")
    write(folder, case, types=map(element_type, outputs))


def source(names: list[str], index: int, parameter: Any) -> int:
    """Return the input of the ONNX model that a Parameter stands for.

    OpenVINO names an unused Parameter after an output; its index counts then.
    """
    name = parameter.get_friendly_name()
    return names.index(name) if name in names else index


def loaded(case: Any) -> tuple[onnx.ModelProto, list[Any], list[Any]]:
    """Return the model of a case, with the inputs and the outputs of its first set of data."""
    if case.model is not None:
        inputs, outputs = case.data_sets[0]
        return case.model, [value(item) for item in inputs], [value(item) for item in outputs]
    if case.model_dir is None:
        return light(Path(onnx.__file__).parents[1] / case.url)
    data = Path(case.model_dir) / "test_data_set_0"
    model = onnx.load(Path(case.model_dir) / "model.onnx")
    return model, list(files(data, "input", fed_inputs(model))), list(files(data, "output", model.graph.output))


def light(path: Path) -> tuple[onnx.ModelProto, list[Any], list[Any]]:
    """Return a model with computed weights; its inputs are those of ONNX's own runner."""
    model = onnx.load(path)
    inputs = [Runner.generate_dummy_data(port) for port in fed_inputs(model)]
    return model, inputs, [tensor(path.with_name(f"{path.stem}_output_0.pb"))]


def fed_inputs(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    constant = {item.name for item in model.graph.initializer}
    return [port for port in model.graph.input if port.name not in constant]


def files(folder: Path, name: str, ports: Iterable[Any]) -> Iterator[Any]:
    """Yield the values of the ports that have files; None for a value that is not a tensor."""
    for index, port in enumerate(ports):
        path = folder / f"{name}_{index}.pb"
        if path.exists():
            yield tensor(path) if port.type.HasField("tensor_type") else None


def tensor(path: Path) -> Array:
    found = onnx.TensorProto()
    found.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(found)


def value(of: Any) -> Any:
    return numpy_helper.to_array(of) if isinstance(of, onnx.TensorProto) else of


def element_type(of: Array) -> str:
    name = of.dtype.name
    return NAMES.get(name) or name.replace("uint", "u").replace("int", "i")


def carried(of: Array) -> Array:
    """Return the values in the carrier of their element type."""
    return np.asarray(of).astype(ElementType.named(element_type(of)).dtype)


if __name__ == "__main__":
    main()

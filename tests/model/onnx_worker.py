"""Converts ONNX's own test models to IR and runs them in OpenVINO: ``onnx_worker.py FOLDER SEED COUNT``.

A folder for each model gets ``model.xml``, ``inputs.npz``, ``expected.npz`` (the outputs that ONNX publishes) and
``native.npz`` where the plugin runs the model. Models that OpenVINO does not convert, and those whose inputs or outputs
are no plain arrays, are left out.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import openvino as ov
from onnx import numpy_helper

CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
KINDS = ("node", "pytorch-converted", "pytorch-operator", "simple")
PLAIN = "biuf"


def sample(seed: int, count: int) -> Iterator[Any]:
    """``count`` test cases of each kind, fewer where there are not that many."""
    from onnx.backend.test.loader import load_model_tests

    chance = random.Random(seed)
    for kind in KINDS:
        cases = sorted(load_model_tests(kind=kind), key=lambda case: str(case.name))
        yield from chance.sample(cases, min(count, len(cases)))


def loaded(case: Any) -> tuple[onnx.ModelProto, list[Any], list[Any]]:
    """The model of a test case, with the inputs and the outputs of its first set of data."""
    if case.model is not None:
        inputs, outputs = case.data_sets[0]
        return case.model, _arrays(inputs), _arrays(outputs)
    folder = Path(case.model_dir)
    data = folder / "test_data_set_0"
    model = onnx.load(str(folder / "model.onnx"))
    inputs = [_tensor(data / f"input_{index}.pb") for index in range(len(list(data.glob("input_*.pb"))))]
    outputs = [_tensor(data / f"output_{index}.pb") for index in range(len(list(data.glob("output_*.pb"))))]
    return model, _arrays(inputs), _arrays(outputs)


def _tensor(path: Path) -> onnx.TensorProto:
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return tensor


def _arrays(values: Iterable[Any]) -> list[Any]:
    return [numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value for value in values]


def is_plain(values: Iterable[Any]) -> bool:
    return all(isinstance(value, np.ndarray | np.generic) and value.dtype.kind in PLAIN for value in values)


def work(core: ov.Core, case: Any, folder: Path) -> None:
    proto, inputs, outputs = loaded(case)
    if not is_plain(inputs) or not is_plain(outputs):
        return
    try:
        model = core.read_model(proto.SerializeToString(), b"")
    except RuntimeError:
        return
    if len(model.inputs) != len(inputs) or len(model.outputs) != len(outputs):
        return
    folder.mkdir()
    np.savez(folder / "inputs.npz", *inputs)
    np.savez(folder / "expected.npz", *outputs)
    ov.serialize(model, folder / "model.xml")
    try:
        results = core.compile_model(core.read_model(folder / "model.xml"), "CPU", CONFIG)(inputs)
    except RuntimeError:
        return
    np.savez(folder / "native.npz", *(np.array(value) for value in results.values()))


def main() -> None:
    warnings.simplefilter("ignore")
    root, seed, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    core = ov.Core()
    for case in sample(seed, count):
        done = root / f"{case.name}.done"
        if not done.exists():
            done.touch()
            work(core, case, root / case.name)


if __name__ == "__main__":
    main()

"""Runs models on OpenVINO's CPU plugin: standard input names their folders.

Each runs in a forked process, or, with the argument ``shared``, all run in one, as far as they do not crash it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np
import openvino as ov

from irrun.tensor import Array
from irrun.tensor.packing import unpack
from irrun.tensor.storing import pack
from tests.lab import oracle
from tests.lab.oracle.forked import MEMORY, SECONDS, forked, in_one_line, limit_this_process

SHARED: Final = (3 << 30, 10)
"""The limits of a model in a shared process: bytes of address space, and seconds of processor time."""
CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def main() -> None:
    core = ov.Core()
    core.get_property("CPU", "FULL_DEVICE_NAME")
    waiting = [Path(name) for name in sys.stdin.read().splitlines()]
    while waiting:
        together = waiting if "shared" in sys.argv else waiting[:1]
        ended = forked(partial(_run_each, core, together))
        waiting = [folder for folder in waiting if not (folder / "answer.json").exists()]
        # A single model may also crash after its answer, when its memory is freed.
        crashed = (together if len(together) == 1 else waiting)[:1] if ended else []
        for folder in crashed:
            oracle.write(folder, oracle.Answer(refused=ended))
        waiting = [folder for folder in waiting if folder not in crashed]


def _run_each(core: ov.Core, folders: Sequence[Path]) -> None:
    """Run models in this process until one crashes."""
    memory, seconds = SHARED if len(folders) > 1 else (MEMORY, SECONDS)
    for folder in folders:
        limit_this_process(memory, seconds)
        try:
            run(core, folder)
        except (RuntimeError, MemoryError) as error:
            oracle.write(folder, oracle.Answer(refused=in_one_line(error)))


def run(core: ov.Core, folder: Path) -> None:
    """Run one model and write its answer; RuntimeError if OpenVINO refuses it."""
    model = core.read_model(folder / "model.xml")
    if (folder / "rewrite").exists():
        ov.serialize(model, folder / "written.xml")
    compiled = core.compile_model(model, "CPU", CONFIG)
    request = compiled.create_infer_request()
    inputs = oracle.load(folder / "inputs.npz")
    for index, (port, array) in enumerate(zip(compiled.inputs, inputs, strict=True)):
        request.set_input_tensor(index, as_tensor(array, port.element_type))
    runs = folder / "runs"
    for _ in range(int(runs.read_text()) if runs.exists() else 1):
        request.infer()
    outputs = [request.get_output_tensor(index) for index in range(len(compiled.outputs))]
    types = [item.element_type.get_type_name() for item in outputs]
    oracle.write(folder, oracle.Answer([as_array(item) for item in outputs], types))


def as_tensor(values: Array, type: Any) -> Any:
    """Return a tensor of an element type from values in the carrier of the type."""
    if type == ov.Type.string:
        return ov.Tensor(values.astype("U"))
    filled = ov.Tensor(type, ov.Shape(values.shape))
    packed = np.frombuffer(pack(values, type.get_type_name()), np.uint8)
    filled.data.reshape(-1).view(np.uint8)[...] = packed
    return filled


def as_array(of: Any) -> Array:
    """Return the values of a tensor, in the carrier of its element type."""
    if of.element_type == ov.Type.string:
        return np.array(of.str_data, dtype=object).reshape(tuple(of.shape))
    shape = tuple(of.shape)
    count = int(np.prod(shape, dtype=np.int64))
    return unpack(of.data.reshape(-1).view(np.uint8).tobytes(), of.element_type.get_type_name(), count).reshape(shape)


if __name__ == "__main__":
    main()

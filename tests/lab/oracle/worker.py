"""Runs models on OpenVINO's CPU plugin: standard input names their folders.

Each runs in a forked process, or, with the argument ``shared``, all run in one, as far as they do not crash it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import openvino as ov

from irrun.evaluation.handing import from_openvino, to_openvino
from irrun.tensor.element_type import BY_NAME
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
        request.set_input_tensor(index, to_openvino(ov, array, port.element_type))
    runs = folder / "runs"
    for _ in range(int(runs.read_text()) if runs.exists() else 1):
        request.infer()
    outputs = [request.get_output_tensor(index) for index in range(len(compiled.outputs))]
    types = [item.element_type.get_type_name() for item in outputs]
    carried = [from_openvino(item).astype(BY_NAME[type].dtype) for item, type in zip(outputs, types, strict=True)]
    oracle.write(folder, oracle.Answer(carried, types))


if __name__ == "__main__":
    main()

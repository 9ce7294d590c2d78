"""Runs models through OpenVINO: a request a line on stdin, an answer a line on stdout, arrays in files.

A request names a folder with model.xml and inputs.npz, and the number of inferences. The answer is written, too, as
``written.xml``, what OpenVINO serializes, and ``outputs.npz`` with an array for each inference and output.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np
import openvino as ov

from irrun.evaluation.handing import from_openvino, to_openvino

CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    core = ov.Core()
    core.get_property("CPU", "FULL_DEVICE_NAME")
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = run(core, Path(request["folder"]), request["runs"])
        except RuntimeError as error:
            answer = {"refused": str(error).strip()}
        print(json.dumps(answer), file=answers, flush=True)


def run(core: ov.Core, folder: Path, runs: int) -> dict[str, Any]:
    model = core.read_model(folder / "model.xml")
    ov.serialize(model, folder / "written.xml", folder / "written.bin")
    shapes = [port.partial_shape.to_string() for port in model.outputs]
    compiled = core.compile_model(model, "CPU", CONFIG)
    request = compiled.create_infer_request()
    with np.load(folder / "inputs.npz") as data:
        arrays = [data[f"input_{index}"] for index in range(len(data.files))]
    inputs = {index: to_openvino(ov, array, compiled.input(index).element_type) for index, array in enumerate(arrays)}
    found = {}
    for number in range(runs):
        request.infer(inputs)
        for index in range(len(compiled.outputs)):
            array = from_openvino(request.get_output_tensor(index))
            found[f"{number}_{index}"] = array.astype(str) if array.dtype == object else array.copy()
    np.savez(folder / "outputs.npz", **found)
    return {"shapes": shapes, "types": [port.element_type.to_string() for port in compiled.outputs]}


if __name__ == "__main__":
    main()

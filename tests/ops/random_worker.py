"""Runs folders of models through OpenVINO and writes each model as it would: model.xml, inputs.npz and types.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov

CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def main() -> None:
    core = ov.Core()
    for name in sys.argv[1:]:
        folder = Path(name)
        if (folder / "outputs.npz").exists() or (folder / "refused.json").exists():
            continue
        (folder / "begun").touch()
        try:
            model = core.read_model(folder / "model.xml")
            ov.serialize(model, folder / "written.xml", folder / "written.bin")
            compiled = core.compile_model(model, "CPU", CONFIG)
            with np.load(folder / "inputs.npz") as data:
                inputs = {key: tensor(data[key], compiled.input(key).element_type) for key in data.files}
            results = compiled(inputs)
            values = [array(compiled.output(i), results[i]) for i in range(len(compiled.outputs))]
            np.savez(folder / "outputs.npz", **{f"out{i}": value for i, value in enumerate(values)})
        except RuntimeError as error:
            (folder / "refused.json").write_text(json.dumps(str(error).strip().splitlines()[-1]))


def tensor(values: Any, type: ov.Type) -> ov.Tensor:
    """A tensor of the type; bf16 is cut from float32."""
    if type != ov.Type.bf16:
        return ov.Tensor(np.ascontiguousarray(values).reshape(values.shape))
    result = ov.Tensor(type, list(values.shape))
    result.data.view(np.uint16)[...] = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return result


def array(port: Any, value: Any) -> Any:
    """The values; bf16 as float32."""
    if port.element_type != ov.Type.bf16:
        return np.array(value)
    return (np.array(value).view(np.uint16).astype(np.uint32) << 16).view(np.float32)


if __name__ == "__main__":
    main()

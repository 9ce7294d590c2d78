"""Runs models through OpenVINO: one folder after the other, each with model.xml and inputs.npz."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import openvino as ov

CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def main() -> None:
    core = ov.Core()
    for name in sys.argv[1:]:
        folder = Path(name)
        if (folder / "outputs.npz").exists() or (folder / "refused.json").exists():
            continue
        try:
            compiled = core.compile_model(core.read_model(folder / "model.xml"), "CPU", CONFIG)
            with np.load(folder / "inputs.npz") as data:
                results = compiled({key: data[key] for key in data.files})
            np.savez(folder / "outputs.npz", **{f"out{i}": np.array(v) for i, v in enumerate(results.values())})
        except RuntimeError as error:
            (folder / "refused.json").write_text(json.dumps(str(error).strip().splitlines()[-1]))


if __name__ == "__main__":
    main()

"""Reads models, saves them, and compares the results of the copies in irrun and in OpenVINO.

``python -m tests.openvino.roundtrip MODEL.xml …`` prints a line for each model: the largest difference, relative to the
largest value, between irrun on the model and irrun on the copy, and between OpenVINO on the model and on the copy.
A copy of the copy that OpenVINO wrote takes the way back. The exit status is 1 where one differs.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import openvino

import irrun

MOST = 1e-4


def inputs(model: Any) -> list[Any]:
    """Return random inputs of the smallest shape; sizes without a lower bound are 1."""
    rng, found = np.random.default_rng(0), []
    for port in model.inputs:
        sizes = [max(dim.get_min_length(), 1) for dim in port.partial_shape]
        dtype = port.element_type.to_dtype()
        found.append((rng.random(sizes) if np.dtype(dtype).kind == "f" else rng.integers(0, 2, sizes)).astype(dtype))
    return found


def results(module: Any, path: Path, arrays: list[Any]) -> list[Any]:
    compiled = module.compile_model(
        module.Core().read_model(path), "CPU", {"INFERENCE_PRECISION_HINT": "f32"} if module is openvino else {}
    )
    run = compiled(arrays)
    return [np.asarray(run[index], np.float64) for index in range(len(compiled.outputs))]


def difference(one: list[Any], other: list[Any]) -> float:
    """Return the largest difference relative to the largest value; infinity where shapes or NaNs differ."""
    worst = 0.0
    for a, b in zip(one, other, strict=True):
        if a.shape != b.shape or (np.isfinite(a) != np.isfinite(b)).any():
            return float("inf")
        finite = np.isfinite(a)
        a, b = a[finite], b[finite]
        if a.size:
            worst = max(worst, float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-30)))
    return worst


def compare(path: Path, folder: Path) -> dict[str, float]:
    """Return the differences between a model and its copies by name."""
    copy, back = folder / "copy.xml", folder / "back.xml"
    model = irrun.Core().read_model(path)
    arrays = inputs(model)
    irrun.save_model(model, copy, compress_to_fp16=False)
    openvino.save_model(openvino.Core().read_model(copy), back, compress_to_fp16=False)
    ours, theirs = results(irrun, path, arrays), results(openvino, path, arrays)
    return {
        "irrun on its copy": difference(ours, results(irrun, copy, arrays)),
        "OpenVINO on irrun's copy": difference(theirs, results(openvino, copy, arrays)),
        "irrun on OpenVINO's copy of it": difference(ours, results(irrun, back, arrays)),
    }


def main(paths: list[str]) -> int:
    failed = 0
    for path in map(Path, paths):
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = compare(path, Path(folder))
            except RuntimeError as error:
                failed += 1
                print(f"{path}: {str(error).splitlines()[0]}", flush=True)
                continue
        failed += any(value > MOST for value in found.values())
        print(f"{path}: " + ", ".join(f"{name} {value:.1e}" for name, value in found.items()), flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""Models in which an engine's own time shows: little arithmetic, or very many layers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

import numpy as np
from workload import Workload

DIGITS: Final = Path(__file__).resolve().parents[2] / "examples" / "digits"


def digits(stem: Path) -> None:
    """The example of this repository."""
    for suffix in (".xml", ".bin"):
        shutil.copyfile(DIGITS / f"model{suffix}", stem.with_suffix(suffix))
    image = np.load(DIGITS / "seven.npy").reshape(1, 1, 8, 8).astype(np.float32)
    Workload([{"image": image}]).save(stem.with_suffix(".npz"))


def elementwise(stem: Path, count: int = 100, width: int = 256) -> None:
    """Multiply, Add, ReLU or Maximum, and Tanh in turn, none of which undoes another."""
    from openvino import Model, save_model
    from openvino import opset13 as ops

    random = np.random.default_rng(9)
    data = ops.parameter([1, width], np.float32, name="data")
    data.output(0).tensor.set_names({"data"})
    x: Any = data
    for index in range(count):
        match index % 4:
            case 0:
                x = ops.multiply(x, ops.constant(random.uniform(0.8, 1.2, (1, width)).astype(np.float32)))
            case 1:
                x = ops.add(x, ops.constant(0.1 * random.standard_normal((1, width), np.float32)))
            case 2:
                x = ops.relu(x) if index % 8 == 2 else ops.maximum(x, ops.constant(np.float32(-0.5)))
            case _:
                x = ops.tanh(x)
    save_model(Model([x], [data], stem.name), stem.with_suffix(".xml"), compress_to_fp16=False)
    Workload([{"data": random.standard_normal((1, width), np.float32)}]).save(stem.with_suffix(".npz"))


def deep(stem: Path, layers: int = 20_000) -> None:
    """For reading and planning: eight operations in a row take five constants."""
    elementwise(stem, (layers - 2) * 8 // 13, 4)

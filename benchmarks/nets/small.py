"""Models in which an engine's own time shows: little arithmetic, or very many layers."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops
from workload import Workload

from nets.build import Value, Weights, parameter, save

DIGITS = Path(__file__).resolve().parents[2] / "examples" / "digits"


def digits(stem: Path) -> None:
    """The example of this repository."""
    for suffix in (".xml", ".bin"):
        shutil.copyfile(DIGITS / f"model{suffix}", stem.with_suffix(suffix))
    image = np.load(DIGITS / "seven.npy").reshape(1, 1, 8, 8).astype(np.float32)
    Workload([{"image": image}]).save(stem.with_suffix(".npz"))


def elementwise(stem: Path, count: int = 100, width: int = 256) -> None:
    _chain(stem, count, width)


def deep(stem: Path, layers: int = 20_000) -> None:
    """For reading and planning: eight operations in a row take five constants."""
    _chain(stem, (layers - 2) * 8 // 13, 4)


def _chain(stem: Path, count: int, width: int) -> None:
    """Multiply, Add, ReLU and Tanh in turn, none of which undoes another."""
    weights = Weights(9)
    data = parameter("data", (1, width))
    x: Value = data
    for index in range(count):
        match index % 4:
            case 0:
                x = ops.multiply(x, ops.constant(weights.around_one(width).reshape(1, width)))
            case 1:
                x = ops.add(x, ops.constant(weights.normal((1, width), 0.1)))
            case 2:
                x = ops.relu(x) if index % 8 == 2 else ops.maximum(x, ops.constant(np.float32(-0.5)))
            case _:
                x = ops.tanh(x)
    save(stem, ov.Model([x], [data], stem.name), {"data": weights.normal((1, width), 1.0)})

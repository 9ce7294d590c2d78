"""The light set of the onnx package: real graphs whose weights are constants, here seeded values of a sane scale."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import openvino as ov
from onnx import numpy_helper
from workload import Workload

from nets.build import Array, Weights

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
NORMALIZATION = ("", "scale", "bias", "mean", "variance")


def resnet50(stem: Path) -> None:
    _make(stem, "resnet50")


def vgg19(stem: Path) -> None:
    _make(stem, "vgg19")


def densenet121(stem: Path) -> None:
    _make(stem, "densenet121")


def inception_v1(stem: Path) -> None:
    _make(stem, "inception_v1")


def squeezenet(stem: Path) -> None:
    _make(stem, "squeezenet")


def shufflenet(stem: Path) -> None:
    _make(stem, "shufflenet")


def _make(stem: Path, name: str) -> None:
    model = onnx.load(LIGHT / f"light_{name}.onnx")
    _seed(model.graph)
    onnx.save(model, f"{stem}.onnx")
    ov.save_model(ov.convert_model(f"{stem}.onnx"), f"{stem}.xml", compress_to_fp16=False)
    random = np.random.default_rng(1)
    shapes = {item.name: [dim.dim_value for dim in item.type.tensor_type.shape.dim] for item in model.graph.input}
    inputs = {name: random.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}
    Workload([inputs]).save(stem.with_suffix(".npz"))


def _seed(graph: Any) -> None:
    """Turn every float constant into an initializer with values that suit its role; inputs are data alone."""
    weights = Weights(0)
    roles = dict(_roles(graph))
    residual = any(node.op_type == "Sum" for node in graph.node)
    constants = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    shapes = {name: value.shape for name, value in constants.items() if value.dtype == np.float32}
    filled = [node for node in graph.node if node.op_type == "ConstantOfShape"]
    shapes |= {node.output[0]: tuple(constants[node.input[0]].tolist()) for node in filled}
    for node in filled:
        graph.node.remove(node)
    read = {name for node in graph.node for name in node.input}
    values = {name: _values(weights, roles.get(name, "bias"), shape, residual) for name, shape in shapes.items()}
    kept = [value for name, value in constants.items() if name in read and name not in values]
    names = [name for name in constants if name in read and name not in values]
    del graph.initializer[:]
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in values.items() if name in read)
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in zip(names, kept, strict=True))
    data = [item for item in graph.input if item.name in read and item.name not in values and item.name not in names]
    del graph.input[:]
    graph.input.extend(data)


def _roles(graph: Any) -> Iterator[tuple[str, str]]:
    """Return the role of each constant for its consumer; a constant that is unsqueezed has the role of the result."""
    unsqueezed = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Unsqueeze"}
    for node in graph.node:
        for index, name in enumerate(node.input):
            source = unsqueezed.get(name, name)
            while source in unsqueezed:
                source = unsqueezed[source]
            if node.op_type in ("Conv", "Gemm") and index == 1:
                yield source, "weights"
            elif node.op_type == "BatchNormalization" and index > 0:
                yield source, NORMALIZATION[index]
            elif node.op_type == "Mul":
                yield source, "scale"


def _values(weights: Weights, role: str, shape: tuple[int, ...], residual: bool) -> Array:
    """Branches that are added to a trunk are damped, so that the trunk does not grow without end."""
    if role == "weights":
        return weights.fan_in(shape, math.prod(shape[1:]), 2.0)
    if role in ("scale", "variance"):
        low, high = (0.4, 0.6) if residual and role == "scale" else (0.8, 1.2)
        return weights.random.uniform(low, high, shape).astype(np.float32)
    return weights.normal(shape, 0.05)

"""Helpers for building models: seeded weights, common layers, writing the files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import opset13 as ops
from workload import Inputs, Workload

Array = npt.NDArray[Any]
Value = Any
"""An output of a node of OpenVINO's graph."""


class Weights:
    """Seeded values, scaled so that activations keep their size from layer to layer."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def normal(self, shape: Sequence[int], deviation: float) -> Array:
        return self.random.standard_normal(shape, dtype=np.float32) * np.float32(deviation)

    def fan_in(self, shape: Sequence[int], inputs: int, gain: float = 1.0) -> Array:
        """Normal values of variance gain / inputs."""
        return self.normal(shape, math.sqrt(gain / inputs))

    def around_one(self, size: int) -> Array:
        return self.random.uniform(0.8, 1.2, size).astype(np.float32)


def integers(*values: int) -> Value:
    return ops.constant(np.array(values, np.int64))


def reshape(x: Value, *shape: int) -> Value:
    return ops.reshape(x, integers(*shape), special_zero=False)


def transpose(x: Value, *order: int) -> Value:
    return ops.transpose(x, integers(*order))


def depthwise(weights: Weights, x: Value, width: int, kernel: int, stride: int = 1) -> Value:
    """A convolution of each channel by itself, with bias, that keeps the size (divided by the stride); kernel odd."""
    filters = ops.constant(weights.fan_in((width, 1, 1, kernel, kernel), kernel**2, 2.0))
    pad = [kernel // 2] * 2
    y = ops.group_convolution(x, filters, [stride] * 2, pad, pad, [1, 1])
    return ops.add(y, ops.constant(weights.normal((1, width, 1, 1), 0.02)))


def mean_of_image(x: Value, width: int) -> Value:
    """The mean of each channel: [1, 1, width]."""
    return reshape(ops.reduce_mean(x, integers(2, 3), True), 1, 1, width)


def linear(weights: Weights, x: Value, inputs: int, outputs: int, bias: bool = True) -> Value:
    """``x @ W.T + b``, the weights held as [outputs, inputs]."""
    y = ops.matmul(x, ops.constant(weights.fan_in((outputs, inputs), inputs)), False, True)
    return ops.add(y, ops.constant(weights.normal((1, 1, outputs), 0.02))) if bias else y


def layer_norm(weights: Weights, x: Value, size: int, eps: float = 1e-5) -> Value:
    normal = ops.mvn(x, integers(-1), True, eps, "inside_sqrt")
    scaled = ops.multiply(normal, ops.constant(weights.around_one(size).reshape(1, 1, size)))
    return ops.add(scaled, ops.constant(weights.normal((1, 1, size), 0.02)))


def convolution(
    weights: Weights, x: Value, inputs: int, outputs: int, kernel: int, stride: int = 1, gain: float = 2.0
) -> Value:
    """A convolution with bias that keeps the size (divided by the stride); kernel odd."""
    values = weights.fan_in((outputs, inputs, kernel, kernel), inputs * kernel**2, gain)
    pad = [kernel // 2] * 2
    y = ops.convolution(x, ops.constant(values), [stride] * 2, pad, pad, [1, 1])
    return ops.add(y, ops.constant(weights.normal((1, outputs, 1, 1), 0.02)))


def save(stem: Path, model: ov.Model, inputs: Inputs) -> None:
    """Write the IR in f32 as it is, and values for its inputs, which are named like its parameters."""
    ov.save_model(model, f"{stem}.xml", compress_to_fp16=False)
    Workload([inputs]).save(stem.with_suffix(".npz"))


def parameter(name: str, shape: Sequence[int], type: Any = np.float32) -> Value:
    node = ops.parameter(list(shape), type, name=name)
    node.output(0).tensor.set_names({name})
    return node

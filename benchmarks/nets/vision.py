"""Image models built layer by layer at real size, as a converter writes them: batch norm already in the weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from nets.build import Value, Weights, convolution, depthwise, linear, mean_of_image, parameter, reshape, save

MOBILENET_V2 = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Expansion, width, repetitions, stride (table 2 of the paper, arXiv 1801.04381)."""


def mobilenet_v2(stem: Path) -> None:
    weights = Weights(2)
    image = parameter("image", (1, 3, 224, 224))
    x = ops.clamp(convolution(weights, image, 3, 32, 3, 2), 0.0, 6.0)
    width = 32
    for expansion, outputs, count, stride in MOBILENET_V2:
        for index in range(count):
            x = _inverted_residual(weights, x, width, outputs, expansion, stride if index == 0 else 1)
            width = outputs
    x = ops.clamp(convolution(weights, x, width, 1280, 1), 0.0, 6.0)
    logits = reshape(linear(weights, mean_of_image(x, 1280), 1280, 1000), 1, 1000)
    model = ov.Model([ops.softmax(logits, 1)], [image], "mobilenet-v2")
    save(stem, model, {"image": weights.normal((1, 3, 224, 224), 1.0)})


def _inverted_residual(weights: Weights, x: Value, inputs: int, outputs: int, expansion: int, stride: int) -> Value:
    inner = inputs * expansion
    y = ops.clamp(convolution(weights, x, inputs, inner, 1), 0.0, 6.0) if expansion != 1 else x
    y = ops.clamp(depthwise(weights, y, inner, 3, stride), 0.0, 6.0)
    y = convolution(weights, y, inner, outputs, 1, gain=0.5)
    return ops.add(x, y) if stride == 1 and inputs == outputs else y


def unet(stem: Path, width: int = 32, size: int = 256) -> None:
    """Four levels down and up, transposed convolutions of 2x2, skips by concatenation (arXiv 1505.04597)."""
    weights = Weights(3)
    image = parameter("image", (1, 3, size, size))
    widths = [width * 2**level for level in range(5)]
    x, inputs = image, 3
    skips: list[Value] = []
    for outputs in widths[:-1]:
        x = _double(weights, x, inputs, outputs)
        skips.append(x)
        x = ops.max_pool(x, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2], "floor", "explicit", "i64", 0).output(0)
        inputs = outputs
    x = _double(weights, x, inputs, widths[-1])
    for outputs, skip in zip(widths[-2::-1], reversed(skips), strict=True):
        filters = ops.constant(weights.fan_in((2 * outputs, outputs, 2, 2), 2 * outputs))
        x = ops.convolution_backprop_data(x, filters, [2, 2], None, [0, 0], [0, 0], [1, 1])
        x = ops.add(x, ops.constant(weights.normal((1, outputs, 1, 1), 0.02)))
        x = _double(weights, ops.concat([skip, x], 1), 2 * outputs, outputs)
    masks = ops.sigmoid(convolution(weights, x, width, 2, 1, gain=1.0))
    model = ov.Model([masks], [image], "unet")
    save(stem, model, {"image": weights.random.standard_normal((1, 3, size, size), dtype=np.float32)})


def _double(weights: Weights, x: Value, inputs: int, outputs: int) -> Value:
    x = ops.relu(convolution(weights, x, inputs, outputs, 3))
    return ops.relu(convolution(weights, x, outputs, outputs, 3))

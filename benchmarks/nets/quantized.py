"""ResNet-50 in eight bits, as quantisation after training writes it: FakeQuantize before each convolution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from nets.build import Value, Weights, linear, mean_of_image, parameter, save

STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))
"""Width and number of blocks of each stage (table 1 of the paper, arXiv 1512.03385)."""
LEVELS = 256


def resnet50_int8(stem: Path) -> None:
    weights = Weights(12)
    image = parameter("image", (1, 3, 224, 224))
    x = ops.relu(_convolution(weights, image, 3, 64, 7, 2, signed=True))
    x = ops.max_pool(x, [2, 2], [1, 1], [1, 1], [1, 1], [3, 3], "floor", "explicit", "i64", 0).output(0)
    inputs = 64
    for stage, (width, count) in enumerate(STAGES):
        for index in range(count):
            x = _block(weights, x, inputs, width, 2 if stage and index == 0 else 1)
            inputs = 4 * width
    model = ov.Model([linear(weights, mean_of_image(x, inputs), inputs, 1000)], [image], "resnet50-int8")
    save(stem, model, {"image": weights.normal((1, 3, 224, 224), 1.0)})


def _block(weights: Weights, x: Value, inputs: int, width: int, stride: int) -> Value:
    y = ops.relu(_convolution(weights, x, inputs, width, 1))
    y = ops.relu(_convolution(weights, y, width, width, 3, stride))
    y = _convolution(weights, y, width, 4 * width, 1)
    if inputs != 4 * width:
        x = _convolution(weights, x, inputs, 4 * width, 1, stride)
    return ops.relu(ops.add(y, x))


def _convolution(
    weights: Weights, x: Value, inputs: int, outputs: int, kernel: int, stride: int = 1, *, signed: bool = False
) -> Value:
    """Quantised activations times i8 weights with a scale for each output channel, and a bias."""
    low, high = (-4.0, 4.0 * 127 / 128) if signed else (0.0, 6.0)
    limits = [ops.constant(np.float32(value)) for value in (low, high, low, high)]
    stored = np.clip(np.rint(weights.normal((outputs, inputs, kernel, kernel), 42.0)), -127, 127).astype(np.int8)
    scale = weights.around_one(outputs).reshape(outputs, 1, 1, 1) * np.sqrt(
        1.0 / (inputs * kernel**2), dtype=np.float32
    )
    filters = ops.multiply(ops.convert(ops.constant(stored), "f32"), ops.constant(scale / np.float32(42)))
    pad = [kernel // 2] * 2
    y = ops.convolution(ops.fake_quantize(x, *limits, LEVELS), filters, [stride] * 2, pad, pad, [1, 1])
    return ops.add(y, ops.constant(weights.normal((1, outputs, 1, 1), 0.02)))

"""Networks in eight bits, as quantisation after training writes them: FakeQuantize before each convolution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from nets.build import Value, Weights, linear, mean_of_image, parameter, reshape, save
from nets.vision import MOBILENET_V2

STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))
"""Width and number of blocks of each stage (table 1 of the paper, arXiv 1512.03385)."""
LEVELS = 256
SIGNED, UNSIGNED = (-4.0, 4.0 * 127 / 128), (0.0, 6.0)


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
    return _product(weights, _quantized(x, SIGNED if signed else UNSIGNED), inputs, outputs, kernel, stride)


def _quantized(x: Value, limits: tuple[float, float]) -> Value:
    return ops.fake_quantize(x, *[ops.constant(np.float32(value)) for value in (*limits, *limits)], LEVELS)


def _product(
    weights: Weights, x: Value, inputs: int, outputs: int, kernel: int, stride: int = 1, gain: float = 1.0
) -> Value:
    shape = (outputs, inputs, kernel, kernel)
    filters = _filters(weights, shape, gain / (inputs * kernel**2))
    pad = [kernel // 2] * 2
    y = ops.convolution(x, filters, [stride] * 2, pad, pad, [1, 1])
    return ops.add(y, ops.constant(weights.normal((1, outputs, 1, 1), 0.02)))


def _filters(weights: Weights, shape: tuple[int, ...], variance: float) -> Value:
    """Integers of eight bits, and a scale for each element of the first axis."""
    stored = np.clip(np.rint(weights.normal(shape, 42.0)), -127, 127).astype(np.int8)
    scale = weights.around_one(shape[0]).reshape(-1, *(1,) * (len(shape) - 1)) * np.sqrt(variance, dtype=np.float32)
    return ops.multiply(ops.convert(ops.constant(stored), "f32"), ops.constant(scale / np.float32(42)))


def mobilenet_v2_int8(stem: Path) -> None:
    """Both summands of a residual are quantised, as well as their sum."""
    weights = Weights(22)
    image = parameter("image", (1, 3, 224, 224))
    x = _quantized(ops.clamp(_product(weights, _quantized(image, SIGNED), 3, 32, 3, 2, 2.0), 0.0, 6.0), UNSIGNED)
    width = 32
    for expansion, outputs, count, stride in MOBILENET_V2:
        for index in range(count):
            x = _inverted_residual(weights, x, width, outputs, expansion, stride if index == 0 else 1)
            width = outputs
    x = ops.clamp(_product(weights, x, width, 1280, 1, 1, 2.0), 0.0, 6.0)
    logits = reshape(linear(weights, mean_of_image(x, 1280), 1280, 1000), 1, 1000)
    model = ov.Model([ops.softmax(logits, 1)], [image], "mobilenet-v2-int8")
    save(stem, model, {"image": weights.normal((1, 3, 224, 224), 1.0)})


def _inverted_residual(weights: Weights, x: Value, inputs: int, outputs: int, expansion: int, stride: int) -> Value:
    inner = inputs * expansion
    y = x
    if expansion != 1:
        y = _quantized(ops.clamp(_product(weights, x, inputs, inner, 1, 1, 2.0), 0.0, 6.0), UNSIGNED)
    pad = [1, 1]
    y = ops.group_convolution(y, _filters(weights, (inner, 1, 1, 3, 3), 2 / 9), [stride] * 2, pad, pad, [1, 1])
    y = ops.add(y, ops.constant(weights.normal((1, inner, 1, 1), 0.02)))
    y = _quantized(ops.clamp(y, 0.0, 6.0), UNSIGNED)
    y = _quantized(_product(weights, y, inner, outputs, 1, 1, 0.5), SIGNED)
    return _quantized(ops.add(x, y), SIGNED) if stride == 1 and inputs == outputs else y

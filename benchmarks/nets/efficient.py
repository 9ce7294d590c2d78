"""EfficientNet-B0 and ConvNeXt-T at real size: depthwise convolutions between products."""

from __future__ import annotations

from pathlib import Path

import openvino as ov
from openvino import opset13 as ops

from nets.build import (
    Value,
    Weights,
    convolution,
    depthwise,
    integers,
    linear,
    mean_of_image,
    parameter,
    save,
    transpose,
)

EFFICIENTNET_B0 = (
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 40, 2, 2, 5),
    (6, 80, 3, 2, 3),
    (6, 112, 3, 1, 5),
    (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
)
"""Expansion, width, repetitions, stride, kernel (table 1 of the paper, arXiv 1905.11946)."""

CONVNEXT_T = ((96, 3), (192, 3), (384, 9), (768, 3))
"""Width and number of blocks of each stage (section 2.2 of the paper, arXiv 2201.03545)."""


def efficientnet_b0(stem: Path) -> None:
    weights = Weights(8)
    image = parameter("image", (1, 3, 224, 224))
    x = ops.swish(convolution(weights, image, 3, 32, 3, 2))
    width = 32
    for expansion, outputs, count, stride, kernel in EFFICIENTNET_B0:
        for index in range(count):
            x = _inverted_residual(weights, x, width, outputs, expansion, stride if index == 0 else 1, kernel)
            width = outputs
    x = ops.swish(convolution(weights, x, width, 1280, 1))
    model = ov.Model([linear(weights, mean_of_image(x, 1280), 1280, 1000)], [image], "efficientnet-b0")
    save(stem, model, {"image": weights.normal((1, 3, 224, 224), 1.0)})


def _inverted_residual(
    weights: Weights, x: Value, inputs: int, outputs: int, expansion: int, stride: int, kernel: int
) -> Value:
    inner = inputs * expansion
    y = ops.swish(convolution(weights, x, inputs, inner, 1)) if expansion != 1 else x
    y = ops.swish(depthwise(weights, y, inner, kernel, stride))
    squeezed = ops.swish(convolution(weights, ops.reduce_mean(y, integers(2, 3), True), inner, inputs // 4, 1))
    y = ops.multiply(y, ops.sigmoid(convolution(weights, squeezed, inputs // 4, inner, 1, gain=1.0)))
    y = convolution(weights, y, inner, outputs, 1, gain=2.0)
    return ops.add(x, y) if stride == 1 and inputs == outputs else y


def convnext_t(stem: Path) -> None:
    """Each block normalizes and multiplies with the channels last, as PyTorch's model does."""
    weights = Weights(9)
    image = parameter("image", (1, 3, 224, 224))
    x = image
    inputs = 3
    for stage, (width, count) in enumerate(CONVNEXT_T):
        if stage:
            x = _normalized(weights, x, inputs)
        step = 4 if stage == 0 else 2
        filters = ops.constant(weights.fan_in((width, inputs, step, step), inputs * step**2))
        x = ops.convolution(x, filters, [step] * 2, [0, 0], [0, 0], [1, 1])
        x = ops.add(x, ops.constant(weights.normal((1, width, 1, 1), 0.02)))
        x = _normalized(weights, x, width) if stage == 0 else x
        for _ in range(count):
            x = _block(weights, x, width)
        inputs = width
    pooled = _layer_norm(weights, mean_of_image(x, inputs), inputs)
    model = ov.Model([linear(weights, pooled, inputs, 1000)], [image], "convnext-t")
    save(stem, model, {"image": weights.normal((1, 3, 224, 224), 1.0)})


def _block(weights: Weights, x: Value, width: int) -> Value:
    y = transpose(depthwise(weights, x, width, 7), 0, 2, 3, 1)
    y = ops.gelu(linear(weights, _layer_norm(weights, y, width), width, 4 * width), "erf")
    y = ops.multiply(linear(weights, y, 4 * width, width), ops.constant(weights.around_one(width)))
    return ops.add(x, transpose(y, 0, 3, 1, 2))


def _normalized(weights: Weights, x: Value, width: int) -> Value:
    """Layer normalization over the channels of an image."""
    return transpose(_layer_norm(weights, transpose(x, 0, 2, 3, 1), width), 0, 3, 1, 2)


def _layer_norm(weights: Weights, x: Value, width: int) -> Value:
    normal = ops.mvn(x, integers(-1), True, 1e-6, "inside_sqrt")
    scaled = ops.multiply(normal, ops.constant(weights.around_one(width)))
    return ops.add(scaled, ops.constant(weights.normal((width,), 0.02)))

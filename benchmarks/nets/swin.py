"""Swin-T at real size (arXiv 2103.14030), in the operations that PyTorch's model is converted to."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from nets.build import Array, Value, Weights, integers, layer_norm, linear, parameter, reshape, save, transpose

STAGES = ((96, 2, 3), (192, 2, 6), (384, 6, 12), (768, 2, 24))
"""Width, blocks and heads of each stage."""
WINDOW = 7
POINTS = WINDOW**2


def swin_t(stem: Path, size: int = 224) -> None:
    weights = Weights(10)
    image = parameter("image", (1, 3, size, size))
    filters = ops.constant(weights.fan_in((96, 3, 4, 4), 48))
    x = ops.convolution(image, filters, [4, 4], [0, 0], [0, 0], [1, 1])
    x = ops.add(x, ops.constant(weights.normal((1, 96, 1, 1), 0.02)))
    side = size // 4
    x = layer_norm(weights, transpose(reshape(x, 1, 96, side * side), 0, 2, 1), 96)
    for stage, (width, count, heads) in enumerate(STAGES):
        if stage:
            x = _merged(weights, x, side, width // 2)
            side //= 2
        for index in range(count):
            shift = WINDOW // 2 if index % 2 and side > WINDOW else 0
            x = _block(weights, x, side, width, heads, shift)
    width = STAGES[-1][0]
    pooled = ops.reduce_mean(layer_norm(weights, x, width), integers(1), True)
    model = ov.Model([linear(weights, pooled, width, 1000)], [image], "swin-t")
    save(stem, model, {"image": weights.normal((1, 3, size, size), 1.0)})


def _block(weights: Weights, x: Value, side: int, width: int, heads: int, shift: int) -> Value:
    y = reshape(layer_norm(weights, x, width), 1, side, side, width)
    y = ops.roll(y, integers(-shift, -shift), integers(1, 2)) if shift else y
    count = side // WINDOW
    y = transpose(reshape(y, count, WINDOW, count, WINDOW, width), 0, 2, 1, 3, 4)
    y = _attention(weights, reshape(y, count**2, POINTS, width), count, width, heads, shift)
    y = reshape(transpose(reshape(y, count, count, WINDOW, WINDOW, width), 0, 2, 1, 3, 4), 1, side, side, width)
    y = ops.roll(y, integers(shift, shift), integers(1, 2)) if shift else y
    x = ops.add(x, reshape(y, 1, side * side, width))
    inner = ops.gelu(linear(weights, layer_norm(weights, x, width), width, 4 * width), "erf")
    return ops.add(x, linear(weights, inner, 4 * width, width))


def _attention(weights: Weights, x: Value, count: int, width: int, heads: int, shift: int) -> Value:
    """Attention inside each of count² windows, with a bias by relative position."""
    size = width // heads
    joint = transpose(reshape(linear(weights, x, width, 3 * width), -1, POINTS, 3, heads, size), 2, 0, 3, 1, 4)
    query, key, value = (ops.gather(joint, ops.constant(np.int64(i)), ops.constant(np.int64(0))) for i in range(3))
    scores = ops.matmul(ops.multiply(query, ops.constant(np.float32(1 / math.sqrt(size)))), key, False, True)
    scores = ops.add(scores, ops.constant(weights.normal((1, heads, POINTS, POINTS), 0.02)))
    if shift:
        mask = ops.constant(_mask(count, shift).reshape(1, count**2, 1, POINTS, POINTS))
        masked = ops.add(reshape(scores, 1, count**2, heads, POINTS, POINTS), mask)
        scores = reshape(masked, count**2, heads, POINTS, POINTS)
    attended = transpose(ops.matmul(ops.softmax(scores, -1), value, False, False), 0, 2, 1, 3)
    return linear(weights, reshape(attended, count**2, POINTS, width), width, width)


def _mask(count: int, shift: int) -> Array:
    """-100 between points of one window that are no neighbours in the image, 0 elsewhere: [count², points, points]."""
    region = np.repeat([0, 1, 2], [count * WINDOW - WINDOW, WINDOW - shift, shift])
    regions = (3 * region[:, None] + region[None, :]).reshape(count, WINDOW, count, WINDOW)
    regions = regions.transpose(0, 2, 1, 3).reshape(count**2, POINTS)
    return np.where(regions[:, :, None] == regions[:, None, :], 0, -100).astype(np.float32)


def _merged(weights: Weights, x: Value, side: int, width: int) -> Value:
    """Four neighbouring points become one of twice the width."""
    y = transpose(reshape(x, 1, side // 2, 2, side // 2, 2, width), 0, 1, 3, 4, 2, 5)
    y = layer_norm(weights, reshape(y, 1, side**2 // 4, 4 * width), 4 * width)
    return linear(weights, y, 4 * width, 2 * width, bias=False)

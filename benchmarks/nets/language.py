"""Small decoders whose weights are 8- or 4-bit integers, decompressed in the graph as weight compression writes it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from nets.build import Array, Value, Weights, integers, parameter, reshape, save, transpose

WIDTH = 768
INNER = 2048
HEADS = 12
HEAD = WIDTH // HEADS
LAYERS = 12
VOCABULARY = 32000
LENGTH = 32
GROUP = 64

Matrix = Callable[[Weights, int, int], Value]


def int8(stem: Path) -> None:
    _decoder(stem, _eight_bits)


def int4(stem: Path) -> None:
    """The embedding and the head stay in eight bits."""
    _decoder(stem, _four_bits)


def _decoder(stem: Path, matrix: Matrix) -> None:
    """RMS norm, rotary positions, gated MLP; every intermediate operation written out."""
    weights = Weights(7)
    ids = parameter("input_ids", (1, LENGTH), np.int64)
    x = ops.gather(_eight_bits(weights, VOCABULARY, WIDTH), ids, ops.constant(np.int64(0)))
    angles = np.outer(np.arange(LENGTH), 10000.0 ** (-np.arange(0, HEAD, 2) / HEAD))
    angles = np.concatenate([angles, angles], 1).reshape(1, 1, LENGTH, HEAD)
    cos, sin = (ops.constant(values.astype(np.float32)) for values in (np.cos(angles), np.sin(angles)))
    future = np.triu(np.full((LENGTH, LENGTH), np.finfo(np.float32).min, np.float32), 1)
    mask = ops.constant(future.reshape(1, 1, LENGTH, LENGTH))

    def projected(value: Value, inputs: int, outputs: int) -> Value:
        return ops.matmul(value, matrix(weights, outputs, inputs), False, True)

    for _ in range(LAYERS):
        y = _rms_norm(weights, x)
        query, key, value = (_heads(projected(y, WIDTH, WIDTH)) for _ in range(3))
        query, key = _rotated(query, cos, sin), _rotated(key, cos, sin)
        attended = ops.scaled_dot_product_attention(query, key, value, mask, causal=False)
        x = ops.add(x, projected(reshape(transpose(attended, 0, 2, 1, 3), 1, LENGTH, WIDTH), WIDTH, WIDTH))
        y = _rms_norm(weights, x)
        gated = ops.multiply(ops.swish(projected(y, WIDTH, INNER)), projected(y, WIDTH, INNER))
        x = ops.add(x, projected(gated, INNER, WIDTH))
    logits = ops.matmul(_rms_norm(weights, x), _eight_bits(weights, VOCABULARY, WIDTH), False, True)
    model = ov.Model([logits], [ids], stem.name)
    save(stem, model, {"input_ids": weights.random.integers(0, VOCABULARY, (1, LENGTH))})


def _eight_bits(weights: Weights, outputs: int, inputs: int) -> Value:
    """u8 with a zero point and an f16 scale for each output channel, decompressed in f16, then f32."""
    stored = np.clip(np.rint(weights.normal((outputs, inputs), 40.0) + 128), 0, 255).astype(np.uint8)
    zero = weights.random.integers(124, 133, (outputs, 1)).astype(np.uint8)
    return ops.convert(_scaled(ops.constant(stored), ops.constant(zero), _scales((outputs, 1), 40, inputs)), "f32")


def _four_bits(weights: Weights, outputs: int, inputs: int) -> Value:
    """u4 in groups along the inputs, each with a zero point and a scale; the groups are joined before use."""
    shape = (outputs, inputs // GROUP, GROUP)
    stored = np.clip(np.rint(weights.normal(shape, 2.6) + 8), 0, 15).astype(np.uint8)
    zero = weights.random.integers(7, 10, (*shape[:2], 1)).astype(np.uint8)
    scaled = _scaled(_packed(stored), _packed(zero), _scales((*shape[:2], 1), 2.6, inputs))
    return ops.convert(reshape(scaled, outputs, inputs), "f32")


def _scaled(stored: Value, zero: Value, scale: Array) -> Value:
    centred = ops.subtract(ops.convert(stored, "f16"), ops.convert(zero, "f16"))
    return ops.multiply(centred, ops.constant(scale))


def _scales(shape: tuple[int, ...], deviation: float, inputs: int) -> Array:
    return np.full(shape, 0.7 / (deviation * math.sqrt(inputs)), np.float16)


def _packed(values: Array) -> Value:
    """A u4 constant: two values in a byte, the first in the low half."""
    flat = values.reshape(-1)
    flat = np.append(flat, np.zeros(flat.size % 2, np.uint8))
    tensor = ov.Tensor(ov.Type.u4, ov.Shape(list(values.shape)))
    tensor.data.reshape(-1).view(np.uint8)[:] = flat[0::2] | flat[1::2] << 4
    return ops.constant(tensor)


def _rms_norm(weights: Weights, x: Value) -> Value:
    mean = ops.reduce_mean(ops.power(x, ops.constant(np.float32(2))), integers(-1), True)
    root = ops.sqrt(ops.add(mean, ops.constant(np.float32(1e-5))))
    normal = ops.multiply(x, ops.divide(ops.constant(np.float32(1)), root))
    return ops.multiply(normal, ops.constant(weights.around_one(WIDTH).reshape(1, 1, WIDTH)))


def _heads(x: Value) -> Value:
    return transpose(reshape(x, 1, LENGTH, HEADS, HEAD), 0, 2, 1, 3)


def _rotated(x: Value, cos: Value, sin: Value) -> Value:
    halves = ops.split(x, ops.constant(np.int64(-1)), 2)
    turned = ops.concat([ops.multiply(halves.output(1), ops.constant(np.float32(-1))), halves.output(0)], -1)
    return ops.add(ops.multiply(x, cos), ops.multiply(turned, sin))

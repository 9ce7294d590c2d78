"""BERT-base, GPT-2 and ViT-base at real size with seeded weights, in the operations that converters write."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from nets.build import Value, Weights, integers, layer_norm, linear, parameter, reshape, save, transpose

WIDTH = 768
HEADS = 12
LAYERS = 12
HEAD = WIDTH // HEADS


def bert_base(stem: Path, length: int = 128, vocabulary: int = 30522) -> None:
    """Attention written out as matrix products and softmax, with an additive mask."""
    weights = Weights(4)
    names = ("input_ids", "attention_mask", "token_type_ids")
    ids, mask, kinds = (parameter(name, (1, length), np.int64) for name in names)
    x = ops.add(_embedded(weights, ids, vocabulary), _embedded(weights, kinds, 2))
    x = ops.add(x, ops.constant(weights.normal((1, length, WIDTH), 0.02)))
    x = layer_norm(weights, x, WIDTH, 1e-12)
    kept = ops.convert(ops.unsqueeze(mask, integers(1, 2)), "f32")
    hidden = ops.multiply(ops.subtract(ops.constant(np.float32(1)), kept), ops.constant(np.float32(-10000)))
    for _ in range(LAYERS):
        query, key, value = (_heads(linear(weights, x, WIDTH, WIDTH), length) for _ in range(3))
        scores = ops.multiply(ops.matmul(query, key, False, True), ops.constant(np.float32(1 / math.sqrt(HEAD))))
        attended = ops.matmul(ops.softmax(ops.add(scores, hidden), -1), value, False, False)
        x = layer_norm(weights, ops.add(linear(weights, _joined(attended, length), WIDTH, WIDTH), x), WIDTH, 1e-12)
        inner = ops.gelu(linear(weights, x, WIDTH, 4 * WIDTH), "erf")
        x = layer_norm(weights, ops.add(linear(weights, inner, 4 * WIDTH, WIDTH), x), WIDTH, 1e-12)
    first = ops.gather(x, integers(0), ops.constant(np.int64(1)))
    pooled = ops.tanh(linear(weights, first, WIDTH, WIDTH))
    model = ov.Model([x, pooled], [ids, mask, kinds], "bert-base")
    valid = np.ones((1, length), np.int64)
    valid[:, length - 8 :] = 0
    values = weights.random.integers(0, vocabulary, (1, length))
    save(stem, model, dict(zip(names, (values, valid, np.zeros_like(values)), strict=True)))


def gpt2(stem: Path, length: int = 64, vocabulary: int = 50257) -> None:
    """Attention as one operation; the embedding is the head as well."""
    weights = Weights(5)
    ids = parameter("input_ids", (1, length), np.int64)
    table = ops.constant(weights.normal((vocabulary, WIDTH), 0.02))
    x = ops.add(
        ops.gather(table, ids, ops.constant(np.int64(0))), ops.constant(weights.normal((1, length, WIDTH), 0.01))
    )
    for _ in range(LAYERS):
        x = ops.add(x, _attention(weights, layer_norm(weights, x, WIDTH), length, causal=True))
        inner = ops.gelu(_columns(weights, layer_norm(weights, x, WIDTH), WIDTH, 4 * WIDTH), "tanh")
        x = ops.add(x, _columns(weights, inner, 4 * WIDTH, WIDTH))
    logits = ops.matmul(layer_norm(weights, x, WIDTH), table, False, True)
    model = ov.Model([logits], [ids], "gpt2")
    save(stem, model, {"input_ids": weights.random.integers(0, vocabulary, (1, length))})


def vit_base(stem: Path, size: int = 224, patch: int = 16) -> None:
    weights = Weights(6)
    image = parameter("image", (1, 3, size, size))
    count = (size // patch) ** 2
    filters = ops.constant(weights.fan_in((WIDTH, 3, patch, patch), 3 * patch**2))
    patches = ops.convolution(image, filters, [patch] * 2, [0, 0], [0, 0], [1, 1])
    patches = ops.add(patches, ops.constant(weights.normal((1, WIDTH, 1, 1), 0.02)))
    tokens = transpose(reshape(patches, 1, WIDTH, count), 0, 2, 1)
    x = ops.concat([ops.constant(weights.normal((1, 1, WIDTH), 0.02)), tokens], 1)
    length = count + 1
    x = ops.add(x, ops.constant(weights.normal((1, length, WIDTH), 0.02)))
    for _ in range(LAYERS):
        x = ops.add(x, _attention(weights, layer_norm(weights, x, WIDTH, 1e-6), length, causal=False))
        inner = ops.gelu(linear(weights, layer_norm(weights, x, WIDTH, 1e-6), WIDTH, 4 * WIDTH), "erf")
        x = ops.add(x, linear(weights, inner, 4 * WIDTH, WIDTH))
    first = ops.gather(layer_norm(weights, x, WIDTH, 1e-6), integers(0), ops.constant(np.int64(1)))
    model = ov.Model([linear(weights, first, WIDTH, 1000)], [image], "vit-base")
    save(stem, model, {"image": weights.normal((1, 3, size, size), 1.0)})


def _embedded(weights: Weights, ids: Value, count: int) -> Value:
    table = ops.constant(weights.normal((count, WIDTH), 0.02))
    return ops.gather(table, ids, ops.constant(np.int64(0)))


def _columns(weights: Weights, x: Value, inputs: int, outputs: int) -> Value:
    """``x @ W + b``, the weights held as [inputs, outputs]."""
    y = ops.matmul(x, ops.constant(weights.fan_in((inputs, outputs), inputs)), False, False)
    return ops.add(y, ops.constant(weights.normal((1, 1, outputs), 0.02)))


def _attention(weights: Weights, x: Value, length: int, causal: bool) -> Value:
    joint = _columns(weights, x, WIDTH, 3 * WIDTH)
    parts = ops.split(joint, ops.constant(np.int64(2)), 3)
    query, key, value = (_heads(parts.output(index), length) for index in range(3))
    attended = ops.scaled_dot_product_attention(query, key, value, causal=causal)
    return _columns(weights, _joined(attended, length), WIDTH, WIDTH)


def _heads(x: Value, length: int) -> Value:
    return transpose(reshape(x, 1, length, HEADS, HEAD), 0, 2, 1, 3)


def _joined(x: Value, length: int) -> Value:
    return reshape(transpose(x, 0, 2, 1, 3), 1, length, WIDTH)

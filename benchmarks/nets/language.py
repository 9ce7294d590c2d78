"""A stateful decoder of 135 M parameters in f32, int8 and int4, as exporters of language models write it.

The architecture of SmolLM-135M with random weights: RMS norm, rotary positions, grouped keys and values kept in
variables that grow by one position for each token, and a gated MLP. The embedding is the head as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops
from openvino.op.util import Variable, VariableInfo
from workload import Inputs, Workload

from nets.build import Array, Value, Weights, integers, parameter, reshape, transpose

WIDTH = 576
INNER = 1536
HEADS = 9
GROUPS = 3
"""The number of heads of keys and values; each serves HEADS / GROUPS heads of queries."""
HEAD = WIDTH // HEADS
LAYERS = 30
VOCABULARY = 49152
GROUP = 64
"""The number of int4 weights that share a scale."""
TOKENS = 64

Matrix = Callable[[Weights, int, int], Value]


def f32(stem: Path) -> None:
    _decoder(stem, _floats, _floats)


def int8(stem: Path) -> None:
    _decoder(stem, _eight_bits, _eight_bits)


def int4(stem: Path) -> None:
    """The embedding stays in eight bits, as weight compression leaves it."""
    _decoder(stem, _four_bits, _eight_bits)


def prefill(length: int) -> Workload:
    """Return the inference of a prompt of ``length`` tokens."""
    return Workload([_inputs(0, length)])


def tokens() -> Workload:
    """Single tokens behind a prompt of 32."""
    return Workload([_inputs(0, 32), *(_inputs(32 + index, 1) for index in range(TOKENS))], untimed=1)


def _inputs(past: int, length: int) -> Inputs:
    random = np.random.default_rng(past)
    return {
        "input_ids": random.integers(0, VOCABULARY, (1, length)),
        "attention_mask": np.ones((1, past + length), np.int64),
        "position_ids": np.arange(past, past + length)[None],
        "beam_idx": np.zeros(1, np.int32),
    }


class _Model:
    """The inputs, and what every layer derives from them once."""

    def __init__(self) -> None:
        self.ids = parameter("input_ids", (-1, -1), np.int64)
        self.mask = parameter("attention_mask", (-1, -1), np.int64)
        self.positions = parameter("position_ids", (-1, -1), np.int64)
        self.beams = parameter("beam_idx", (-1,), np.int32)
        self.batch = ops.gather(ops.shape_of(self.ids), integers(0), _axis(0))
        self.length = ops.gather(ops.shape_of(self.ids), integers(1), _axis(0))
        self.bias = self._bias()
        self.cos, self.sin = self._rotations()
        self.sinks: list[Value] = []

    def _bias(self) -> Value:
        """0 where a query may see a key and the lowest float elsewhere: [batch, 1, queries, keys]."""
        zero, one = (ops.constant(np.int64(number)) for number in (0, 1))
        total = ops.gather(ops.shape_of(self.mask), one, _axis(0))
        keys = ops.unsqueeze(ops.range(zero, total, one, "i64"), integers(0))
        seen = ops.less_equal(ops.unsqueeze(keys, integers(0)), ops.unsqueeze(self.positions, integers(2)))
        kept = ops.logical_and(seen, ops.unsqueeze(ops.convert(self.mask, "boolean"), integers(1)))
        lowest = ops.constant(np.finfo(np.float32).min)
        return ops.unsqueeze(ops.select(kept, ops.constant(np.float32(0)), lowest), integers(1))

    def _rotations(self) -> tuple[Value, Value]:
        frequencies = ops.constant((10000.0 ** (-np.arange(0, HEAD, 2) / HEAD)).astype(np.float32).reshape(1, 1, -1))
        angles = ops.multiply(ops.convert(ops.unsqueeze(self.positions, integers(2)), "f32"), frequencies)
        angles = ops.unsqueeze(ops.concat([angles, angles], -1), integers(1))
        return ops.cos(angles), ops.sin(angles)

    def remembered(self, name: str, new: Value) -> Value:
        """Append ``new`` to a variable and return its value [batch, groups, positions, HEAD]."""
        shape = ops.concat([self.batch, integers(GROUPS, 0, HEAD)], 0)
        empty = ops.broadcast(ops.constant(np.float32(0)), shape)
        info = VariableInfo()
        info.data_shape = ov.PartialShape([-1, GROUPS, -1, HEAD])
        info.data_type = ov.Type.f32
        info.variable_id = name
        variable = Variable(info)
        past = ops.gather(ops.read_value(empty, variable), self.beams, _axis(0))
        whole = ops.concat([past, new], 2)
        self.sinks.append(ops.assign(whole, variable))
        return whole

    def repeated(self, x: Value) -> Value:
        """Each head of keys or values for all the queries that it serves."""
        count = HEADS // GROUPS
        wide = ops.broadcast(ops.unsqueeze(x, integers(2)), integers(1, 1, count, 1, 1), None, "BIDIRECTIONAL")
        return ops.reshape(wide, integers(0, HEADS, -1, HEAD), special_zero=True)

    def heads(self, x: Value, count: int) -> Value:
        return transpose(ops.reshape(x, integers(0, 0, count, HEAD), special_zero=True), 0, 2, 1, 3)

    def rotated(self, x: Value) -> Value:
        halves = ops.split(x, _axis(-1), 2)
        turned = ops.concat([ops.multiply(halves.output(1), ops.constant(np.float32(-1))), halves.output(0)], -1)
        return ops.add(ops.multiply(x, self.cos), ops.multiply(turned, self.sin))


def _decoder(stem: Path, matrix: Matrix, table: Matrix) -> None:
    weights = Weights(7)
    model = _Model()
    embedding = table(weights, VOCABULARY, WIDTH)

    def projected(value: Value, inputs: int, outputs: int) -> Value:
        return ops.matmul(value, matrix(weights, outputs, inputs), False, True)

    x = ops.gather(embedding, model.ids, _axis(0))
    for layer in range(LAYERS):
        y = _rms_norm(weights, x)
        query = model.rotated(model.heads(projected(y, WIDTH, WIDTH), HEADS))
        key = model.rotated(model.heads(projected(y, WIDTH, GROUPS * HEAD), GROUPS))
        value = model.heads(projected(y, WIDTH, GROUPS * HEAD), GROUPS)
        key, value = (model.remembered(f"{kind}.{layer}", new) for kind, new in (("key", key), ("value", value)))
        attended = ops.scaled_dot_product_attention(
            query, model.repeated(key), model.repeated(value), model.bias, causal=False
        )
        joined = ops.reshape(transpose(attended, 0, 2, 1, 3), integers(0, 0, WIDTH), special_zero=True)
        x = ops.add(x, projected(joined, WIDTH, WIDTH))
        y = _rms_norm(weights, x)
        gated = ops.multiply(ops.swish(projected(y, WIDTH, INNER)), projected(y, WIDTH, INNER))
        x = ops.add(x, projected(gated, INNER, WIDTH))
    logits = ops.matmul(_rms_norm(weights, x), embedding, False, True)
    logits.output(0).tensor.set_names({"logits"})
    inputs = [model.ids, model.mask, model.positions, model.beams]
    ov.save_model(ov.Model([ops.result(logits)], model.sinks, inputs, stem.name), f"{stem}.xml", compress_to_fp16=False)


def _axis(number: int) -> Value:
    return ops.constant(np.int64(number))


def _floats(weights: Weights, outputs: int, inputs: int) -> Value:
    return ops.constant(weights.fan_in((outputs, inputs), inputs, 0.5))


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

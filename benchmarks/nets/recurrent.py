"""A stack of bidirectional LSTM layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from nets.build import Value, Weights, parameter, reshape, save, transpose


def bilstm(stem: Path, length: int = 100, inputs: int = 128, hidden: int = 256, layers: int = 2) -> None:
    weights = Weights(8)
    frames = parameter("frames", (1, length, inputs))
    x, width = frames, inputs
    for _ in range(layers):
        x = _layer(weights, x, width, hidden, length)
        width = 2 * hidden
    model = ov.Model([x], [frames], "bilstm")
    save(stem, model, {"frames": weights.normal((1, length, inputs), 1.0)})


def _layer(weights: Weights, x: Value, inputs: int, hidden: int, length: int) -> Value:
    nothing = ops.constant(np.zeros((1, 2, hidden), np.float32))
    lengths = ops.constant(np.array([length], np.int64))
    values = (
        weights.fan_in((2, 4 * hidden, inputs), inputs),
        weights.fan_in((2, 4 * hidden, hidden), hidden),
        weights.normal((2, 4 * hidden), 0.05),
    )
    constants = [ops.constant(value) for value in values]
    sequence = ops.lstm_sequence(x, nothing, nothing, lengths, *constants, hidden, "bidirectional")
    return reshape(transpose(sequence.output(0), 0, 2, 1, 3), 1, length, 2 * hidden)

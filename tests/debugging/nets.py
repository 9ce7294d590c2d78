"""Small networks of ten kinds, with seeded weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

import irrun as ov
from irrun.tensor import Array
from tests.nets import Net

ops: Any = ov.opset13
EXAMPLE: Final = Path(__file__).resolve().parents[2] / "examples" / "digits" / "model.xml"


class Weights:
    """Seeded constants."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def __call__(self, *shape: int, scale: float | None = None) -> Array:
        fan = int(np.prod(shape[1:])) or 1
        values = self._random.standard_normal(shape) * (fan**-0.5 if scale is None else scale)
        return values.astype(np.float32)


def conv(x: Any, w: Array, *, stride: int = 1, pad: int = 1, name: str = "") -> Any:
    made = ops.convolution(x, w, [stride] * 2, [pad] * 2, [pad] * 2, [1, 1], name=name)
    bias = np.linspace(-0.1, 0.1, w.shape[0], dtype=np.float32).reshape(1, -1, 1, 1)
    return ops.add(made, bias, name=f"{name}/bias")


def linear(x: Any, w: Array, name: str) -> Any:
    made = ops.matmul(x, w, False, False, name=name)
    return ops.add(made, np.linspace(-0.1, 0.1, w.shape[1], dtype=np.float32), name=f"{name}/bias")


def image(size: int = 12, channels: int = 3) -> Any:
    return ops.parameter([1, channels, size, size], ov.Type.f32, name="image")


def resnet() -> Any:
    x, w = image(), Weights(1)
    y = ops.relu(conv(x, w(8, 3, 3, 3), name="stem"), name="stem/relu")
    for block in range(2):
        z = ops.relu(conv(y, w(8, 8, 3, 3), name=f"block{block}/a"), name=f"block{block}/relu")
        y = ops.relu(ops.add(conv(z, w(8, 8, 3, 3), name=f"block{block}/b"), y, name=f"block{block}/sum"))
    y = ops.reduce_mean(y, [2, 3], keep_dims=False, name="pool")
    return [linear(y, w(8, 8), "head")], [x]


def mobilenet() -> Any:
    x, w = image(), Weights(2)
    y = ops.clamp(conv(x, w(8, 3, 3, 3), stride=2, name="stem"), 0, 6, name="stem/relu6")
    deep = ops.group_convolution(y, w(8, 1, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1], name="depthwise")
    y = ops.clamp(ops.multiply(deep, 1 + w(1, 8, 1, 1), name="scale"), 0, 6, name="relu6")
    y = ops.add(conv(y, w(8, 8, 1, 1), pad=0, name="pointwise"), y, name="sum")
    return [ops.softmax(ops.reduce_mean(y, [2, 3], keep_dims=False, name="pool"), 1, name="softmax")], [x]


def mlp() -> Any:
    x, w = ops.parameter([4, 16], ov.Type.f32, name="x"), Weights(3)
    y = x
    for index in range(3):
        y = ops.gelu(linear(y, w(16, 16), f"layer{index}"), "erf", name=f"gelu{index}")
    return [ops.multiply(y, 1 + w(16), name="scale")], [x]


def norm(x: Any, w: Weights, name: str) -> Any:
    made = ops.mvn(x, [-1], True, 1e-5, "INSIDE_SQRT", name=name)
    return ops.add(ops.multiply(made, 1 + w(16, scale=0.1), name=f"{name}/scale"), w(16, scale=0.1), name=f"{name}/add")


def transformer() -> Any:
    x, w = ops.parameter([1, 8, 16], ov.Type.f32, name="x"), Weights(4)
    y = norm(x, w, "norm1")
    heads = []
    for name in ("query", "key", "value"):
        split = ops.reshape(linear(y, w(16, 16), name), [1, 8, 4, 4], False, name=f"{name}/heads")
        heads.append(ops.transpose(split, [0, 2, 1, 3], name=f"{name}/transpose"))
    query, key, value = heads
    scores = ops.multiply(ops.matmul(query, key, False, True, name="scores"), np.float32(0.5), name="scores/scale")
    mixed = ops.matmul(ops.softmax(scores, -1, name="attention"), value, False, False, name="mixed")
    joined = ops.reshape(ops.transpose(mixed, [0, 2, 1, 3], name="mixed/transpose"), [1, 8, 16], False, name="joined")
    y = ops.add(linear(joined, w(16, 16), "project"), x, name="residual")
    z = ops.gelu(linear(norm(y, w, "norm2"), w(16, 32), "up"), "tanh", name="gelu")
    return [ops.add(linear(z, w(32, 16), "down"), y, name="sum")], [x]


def recurrent() -> Any:
    x, w = ops.parameter([1, 6, 8], ov.Type.f32, name="x"), Weights(5)
    zero = np.zeros((1, 1, 8), np.float32)
    lengths = np.array([6], np.int32)
    made = ops.lstm_sequence(x, zero, zero, lengths, w(1, 32, 8), w(1, 32, 8), w(1, 32), 8, "forward", name="lstm")
    last = ops.squeeze(made.output(0), [1], name="squeeze")
    return [linear(ops.tanh(last, name="tanh"), w(8, 8), "head")], [x]


def unet() -> Any:
    x, w = image(8), Weights(6)
    top = ops.relu(conv(x, w(8, 3, 3, 3), name="down1"), name="down1/relu")
    low = ops.max_pool(top, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2], name="pool").output(0)
    low = ops.relu(conv(low, w(8, 8, 3, 3), name="down2"), name="down2/relu")
    up = ops.convolution_backprop_data(low, w(8, 8, 2, 2), [2, 2], name="up")
    both = ops.concat([up, top], 1, name="both")
    return [ops.sigmoid(conv(both, w(4, 16, 1, 1), pad=0, name="head"), name="mask")], [x]


def squeeze_excite() -> Any:
    x, w = image(8, 8), Weights(7)
    y = ops.relu(conv(x, w(8, 8, 3, 3), name="conv"), name="relu")
    gate = ops.reduce_mean(y, [2, 3], keep_dims=True, name="squeeze")
    gate = ops.relu(conv(gate, w(4, 8, 1, 1), pad=0, name="reduce"), name="reduce/relu")
    gate = ops.sigmoid(conv(gate, w(8, 4, 1, 1), pad=0, name="expand"), name="gate")
    return [conv(ops.multiply(y, gate, name="excite"), w(8, 8, 3, 3), name="last")], [x]


def sound() -> Any:
    x, w = ops.parameter([1, 64], ov.Type.f32, name="x"), Weights(8)
    frames = ops.reshape(x, [1, 8, 8], False, name="frames")
    power = ops.power(ops.matmul(frames, w(8, 8), False, False, name="spectrum"), np.float32(2), name="power")
    level = ops.log(ops.add(power, np.float32(1e-3), name="floor"), name="log")
    part = ops.slice(level, [1], [7], [1], [1], name="part")
    mean = ops.subtract(part, ops.reduce_mean(part, [1], keep_dims=True, name="mean"), name="centred")
    return [ops.multiply(mean, 1 + w(8), name="scale")], [x]


def detector() -> Any:
    x, w = image(8), Weights(9)
    y = ops.relu(conv(x, w(12, 3, 3, 3), stride=2, name="backbone"), name="backbone/relu")
    y = ops.transpose(ops.reshape(y, [1, 12, 16], False, name="cells"), [0, 2, 1], name="cells/last")
    centre = ops.sigmoid(ops.slice(y, [0], [4], [1], [2], name="centre"), name="centre/sigmoid")
    size = ops.exp(ops.slice(y, [4], [8], [1], [2], name="size"), name="size/exp")
    score = ops.softmax(ops.slice(y, [8], [12], [1], [2], name="score"), 2, name="score/softmax")
    both = ops.concat([ops.multiply(centre, 1 + w(4), name="centre/scale"), size, score], 2, name="boxes")
    return [linear(both, w(12, 12), "head")], [x]


NETS: Final[dict[str, Callable[[], Any]]] = {
    made.__name__: made
    for made in (resnet, mobilenet, mlp, transformer, recurrent, unet, squeeze_excite, sound, detector)
}


def written(name: str, folder: Path) -> Path:
    """Write a network; the example of the repository is called ``digits``."""
    if name == "digits":
        return EXAMPLE
    path = folder / f"{name}.xml"
    outputs, inputs = NETS[name]()
    ov.save_model(ov.Model(outputs, inputs, name), path, compress_to_fp16=False)
    return path


ALL: Final = ("digits", *NETS)


def overflow(path: Path, type: str = "f32") -> Path:
    """Write (300 x)² / 999: the square of 900 is beyond the range of f16."""
    net = Net()
    at = net.layer("Multiply", [net.parameter("x", "1,4", type), net.constant([300], type)], name="large")
    at = net.layer("Multiply", [at, at], name="square")
    net.result(net.layer("Divide", [at, net.constant([999], type)], name="small", tensor="y"))
    return net.save(path)

"""YOLOv8n at real size: the backbone, the neck and the decoded boxes, without non-maximum suppression."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from nets.build import Value, Weights, convolution, integers, parameter, reshape, save, transpose

WIDTHS = (16, 32, 64, 128, 256)
CLASSES = 80
BINS = 16
"""The number of positions over which the distance of each side is distributed."""


def yolov8n(stem: Path, size: int = 640) -> None:
    weights = Weights(11)
    image = parameter("images", (1, 3, size, size))
    levels = _backbone(weights, image)
    boxes, scores = _detected(weights, _neck(weights, *levels), size)
    model = ov.Model([ops.concat([boxes, scores], 1)], [image], "yolov8n")
    save(stem, model, {"images": weights.random.uniform(0, 1, (1, 3, size, size)).astype(np.float32)})


def _conv(weights: Weights, x: Value, inputs: int, outputs: int, kernel: int = 1, stride: int = 1) -> Value:
    return ops.swish(convolution(weights, x, inputs, outputs, kernel, stride))


def _backbone(weights: Weights, x: Value) -> tuple[Value, Value, Value]:
    """The features at an eighth, a sixteenth and a thirty-second of the size."""
    x = _conv(weights, x, 3, WIDTHS[0], 3, 2)
    levels = []
    for inputs, outputs, count in zip(WIDTHS, WIDTHS[1:], (1, 2, 2, 1), strict=False):
        x = _c2f(weights, _conv(weights, x, inputs, outputs, 3, 2), outputs, outputs, count, shortcut=True)
        levels.append(x)
    return levels[1], levels[2], _pooled(weights, levels[3], WIDTHS[-1])


def _c2f(weights: Weights, x: Value, inputs: int, outputs: int, count: int, *, shortcut: bool = False) -> Value:
    half = outputs // 2
    split = ops.split(_conv(weights, x, inputs, outputs), ops.constant(np.int64(1)), 2)
    parts = [split.output(0), split.output(1)]
    for _ in range(count):
        y = _conv(weights, _conv(weights, parts[-1], half, half, 3), half, half, 3)
        parts.append(ops.add(parts[-1], y).output(0) if shortcut else y.output(0))
    return _conv(weights, ops.concat(parts, 1), half * len(parts), outputs)


def _pooled(weights: Weights, x: Value, width: int) -> Value:
    parts = [_conv(weights, x, width, width // 2)]
    for _ in range(3):
        pool = ops.max_pool(parts[-1], [1, 1], [1, 1], [2, 2], [2, 2], [5, 5], "floor", "explicit", "i64", 0)
        parts.append(pool.output(0))
    return _conv(weights, ops.concat(parts, 1), 2 * width, width)


def _neck(weights: Weights, fine: Value, middle: Value, coarse: Value) -> list[Value]:
    _, _, low, mid, high = WIDTHS
    up_middle = _c2f(weights, ops.concat([_doubled(coarse), middle], 1), high + mid, mid, 1)
    up_fine = _c2f(weights, ops.concat([_doubled(up_middle), fine], 1), mid + low, low, 1)
    down = _conv(weights, up_fine, low, low, 3, 2)
    middle = _c2f(weights, ops.concat([down, up_middle], 1), low + mid, mid, 1)
    down = _conv(weights, middle, mid, mid, 3, 2)
    return [up_fine, middle, _c2f(weights, ops.concat([down, coarse], 1), mid + high, high, 1)]


def _doubled(x: Value) -> Value:
    scales = ops.constant(np.array([2, 2], np.float32))
    return ops.interpolate(x, scales, "nearest", "scales", axes=integers(2, 3), nearest_mode="floor",
                           coordinate_transformation_mode="asymmetric")  # fmt: skip


def _detected(weights: Weights, levels: Sequence[Value], size: int) -> tuple[Value, Value]:
    """Boxes as centre and size in pixels, [1, 4, points], and scores, [1, classes, points]."""
    boxes, scores, centres, strides = [], [], [], []
    for level, (x, width) in enumerate(zip(levels, WIDTHS[2:], strict=True)):
        stride = 8 << level
        side = size // stride
        box = _conv(weights, _conv(weights, x, width, 64, 3), 64, 64, 3)
        boxes.append(reshape(convolution(weights, box, 64, 4 * BINS, 1, gain=1.0), 1, 4 * BINS, side**2))
        score = _conv(weights, _conv(weights, x, width, CLASSES, 3), CLASSES, CLASSES, 3)
        scores.append(reshape(convolution(weights, score, CLASSES, CLASSES, 1, gain=1.0), 1, CLASSES, side**2))
        rows, columns = np.mgrid[:side, :side].reshape(2, -1) + np.float32(0.5)
        centres.append(np.stack([columns, rows]))
        strides.append(np.full(side**2, stride, np.float32))
    points = sum(len(item) for item in strides)
    likely = ops.softmax(transpose(reshape(ops.concat(boxes, 2), 1, 4, BINS, points), 0, 2, 1, 3), 1)
    positions = ops.constant(np.arange(BINS, dtype=np.float32).reshape(1, BINS, 1, 1))
    sides = reshape(ops.convolution(likely, positions, [1, 1], [0, 0], [0, 0], [1, 1]), 1, 4, points)
    near, far = ops.split(sides, ops.constant(np.int64(1)), 2).outputs()
    centre = ops.constant(np.concatenate(centres, 1)[None].astype(np.float32))
    begin, end = ops.subtract(centre, near), ops.add(centre, far)
    middle = ops.divide(ops.add(begin, end), ops.constant(np.float32(2)))
    box = ops.concat([middle, ops.subtract(end, begin)], 1)
    return ops.multiply(box, ops.constant(np.concatenate(strides))), ops.sigmoid(ops.concat(scores, 2))

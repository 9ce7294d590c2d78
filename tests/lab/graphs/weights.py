"""Constant weights as they are stored: whole, compressed, quantized."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.ops.calling import conform
from irrun.tensor import ElementType
from irrun.tensor.element_type import F16, F32
from tests.lab.graphs.adapt import converted, ints
from tests.lab.graphs.grow import Grower, Tensor

STORED: Final = ("u8", "u8", "i8", "u4", "i4", "nf4", "f8e4m3", "f8e5m2", "f16", "bf16")
"""Types in which weights are stored."""


def weights(grower: Grower, like: Tensor, shape: tuple[int, ...], *, groups: bool = False, axis: int = 0) -> Tensor:
    """Constant weights of the type of another tensor, as they are, or compressed."""
    if like.type in (F32, F16) and grower.draw.chance(0.5):
        return decompressed(grower, like.type, shape, groups=groups, axis=axis)
    return grower.fresh([like.type], shape, -1, 1, 1)


def decompressed(
    grower: Grower, kind: ElementType, shape: tuple[int, ...], *, groups: bool = False, axis: int = 0
) -> Tensor:
    """Convert(stored) - Convert(zero point), times a scale for each row, or with ``groups`` for each half of a row.

    ``axis`` is that of the output channels: OpenVINO takes scales along any other one for scales along this one.
    """
    draw = grower.draw
    stored = ElementType.named(draw.pick(STORED))
    grouped = groups and shape[1] % 2 == 0 and draw.chance(0.5)
    full = (shape[0], 2, shape[1] // 2) if grouped else shape
    each = (*full[:-1], 1) if grouped else tuple(size if index == axis else 1 for index, size in enumerate(full))
    inner = F16 if kind is F16 or draw.chance(0.4) else F32
    whole = converted(grower, _stored(grower, stored, full), inner)
    if stored.is_integer and draw.chance(0.6):
        point = _stored(grower, stored, each if draw.chance(0.7) else ())
        whole = grower.one("Subtract", 1, whole, converted(grower, point, inner))
    if stored.bits < 16 or draw.chance(0.2):
        span = {"u8": 128, "i8": 128, "u4": 8, "i4": 8, "f8e5m2": 4, "f8e4m3": 4}.get(stored.name, 1)
        scale = draw.source.uniform(0.2, 1, each) / span
        whole = grower.one("Multiply", 1, whole, grower.constant(inner, conform(scale.astype(np.float32), inner)))
    if grouped:
        whole = grower.one("Reshape", 1, whole, ints(grower, shape), special_zero=False)
    return converted(grower, whole, kind)


def _stored(grower: Grower, stored: ElementType, shape: tuple[int, ...]) -> Tensor:
    draw = grower.draw
    if not stored.is_integer:
        return grower.constant(stored, conform(draw.source.uniform(-1, 1, shape).astype(np.float32), stored))
    low = -(1 << (stored.bits - 1)) if stored.kind == "int" else 0
    return grower.constant(stored, draw.source.integers(low, low + (1 << stored.bits), shape).astype(stored.dtype))


def fake_quantized(grower: Grower, data: Tensor, shape: tuple[int, ...], bound: float, levels: int) -> Tensor:
    high = grower.fresh([F32], shape, bound / 2, bound, 1)
    low = grower.constant(F32, -high.array)
    return grower.one("FakeQuantize", 1, data, low, high, low, high, levels=levels)

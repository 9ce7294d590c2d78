"""Layers as quantisation after training writes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irrun.document.writer import Handle
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import F32, I8, U8
from tests.nets import Net

SIGNED = (-2.0, 2.0 * 127 / 128, 256)
UNSIGNED = (0.0, 2.5, 256)
NARROW = (-1.5, 1.5, 255)
SHIFTED = (-0.5, -0.5 + 255 * 0.5 / 37, 256)
RANGES = (SIGNED, UNSIGNED, NARROW, SHIFTED)
"""Limits and numbers of levels: symmetric, from zero on, of an odd number, and with zero somewhere between."""

Range = tuple[float, float, int]


def text(*sizes: int) -> str:
    return ",".join(map(str, sizes))


def fake_quantize(net: Net, data: Handle, shape: str, range: Range = UNSIGNED) -> Handle:
    low, high, levels = range
    limits = [net.constant(np.full((1, 1, 1, 1)[: shape.count(",") + 1], value)) for value in (low, high, low, high)]
    return net.layer("FakeQuantize", [data, *limits], shape, levels=levels)


def filters(
    net: Net,
    shape: Sequence[int],
    kind: ElementType = I8,
    scale: Array | None = None,
    values: Array | None = None,
    zero: int | None = None,
) -> Handle:
    """Add weights of 8 bits and the layers that decompress them, with a scale for each element of the first axis."""
    low, high = (-127, 128) if kind is I8 else (0, 256)
    codes = net.random.integers(low, high, shape) if values is None else np.broadcast_to(values, shape)
    wide = (shape[0], *(1,) * (len(shape) - 1))
    factors = net.random.uniform(0.002, 0.02, wide) if scale is None else scale
    made = net.constant(codes.astype(kind.dtype), kind)
    made = net.layers("Convert", [made], [(F32, text(*shape))], destination_type=F32)[0]
    if zero is not None:
        side = net.layers("Convert", [net.constant(np.array(zero, U8.dtype), U8)], [(F32, "")], destination_type=F32)
        made = net.layer("Subtract", [made, side[0]], text(*shape))
    return net.layer("Multiply", [made, net.constant(factors)], text(*shape))


def convolution(
    net: Net,
    data: Handle,
    weights: Handle,
    shape: str,
    *,
    strides: Sequence[int] = (1, 1),
    dilations: Sequence[int] = (1, 1),
    begins: Sequence[int] = (0, 0),
    ends: Sequence[int] = (0, 0),
    groups: bool = False,
) -> Handle:
    return net.layer(
        "GroupConvolution" if groups else "Convolution",
        [data, weights],
        shape,
        strides=text(*strides),
        dilations=text(*dilations),
        pads_begin=text(*begins),
        pads_end=text(*ends),
        auto_pad="explicit",
    )

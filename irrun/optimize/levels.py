"""Proofs that quantised activations and weights are integers, and that sums of their products fit 32 bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from irrun.graph import Node, Outlet
from irrun.kernels.quantize import Levels
from irrun.ops._declared.quantization.fake_quantize import FakeQuantize
from irrun.optimize.packed import MOST_LEVELS, Packed
from irrun.optimize.rewrite import Rewriter
from irrun.tensor import Array
from irrun.tensor.element_type import F32

_NEAR: Final = 2**-8
"""The distance from an integer, in levels, of the zero that surrounds an image: rounding errors of the limits."""


_ROUNDINGS: Final = 2**-21
"""The relative error of a few roundings to f32."""


class IntegerWeights(NamedTuple):
    """Weights codes * scale: i8 in the shape of the weights, and f64 [columns]; ``sums`` are those of each column."""

    codes: Array
    scale: Array
    sums: Array


def levels_of(graph: Rewriter, node: Node) -> Levels | None:
    """Return the levels of a FakeQuantize with one range for the whole tensor, if bytes can hold them."""
    limits = _limits(graph, node)
    if limits is None or any(limit.size != 1 for limit in limits.values):
        return None
    low, high, output_low, output_high = (float(limit.reshape(())) for limit in limits.values)
    made = Levels(low, high, output_low, output_high, limits.most)
    if not all(map(math.isfinite, made)) or not low < high or not output_low < output_high:
        return None
    return made if math.isfinite(made.slope) and math.isfinite(made.zero) else None


def levels_of_channels(graph: Rewriter, node: Node) -> tuple[Levels, Outlet] | None:
    """Return the levels of a FakeQuantize whose ranges of channels are multiples of one range, and these multiples.

    The FakeQuantize of x is that of x / multiples with the levels, times the multiples.
    """
    limits, multiples = _limits(graph, node), graph.sources(node.id)[2]
    if limits is None or multiples is None:
        return None
    low, high, output_low, output_high = limits.values
    if high.size < 2 or not (high > 0).all() or not np.isfinite(high).all():
        return None
    if low.shape != high.shape or not np.array_equal(low, output_low) or not np.array_equal(high, output_high):
        return None
    ratios = low.astype(np.float64) / high
    least, most = float(ratios.min()), float(ratios.max())
    if not math.isfinite(least) or least >= 1 or most - least > abs(most) * _ROUNDINGS:
        return None
    return Levels(least, 1.0, least, 1.0, limits.most), multiples


class _Limits(NamedTuple):
    """The limits of a FakeQuantize and its last level."""

    values: list[Array]
    most: int


def _limits(graph: Rewriter, node: Node) -> _Limits | None:
    """Return the constant limits of a FakeQuantize of f32 whose levels bytes hold; none has more axes than the data."""
    op, sources = node.op, graph.sources(node.id)
    facts = [graph.fact(source) for source in sources]
    if not isinstance(op, FakeQuantize) or op.levels > MOST_LEVELS or op.auto_broadcast != "numpy":
        return None
    if any(fact is None or fact.type is not F32 for fact in facts) or facts[0] is None or facts[0].rank is None:
        return None
    values = [limit for source in sources[1:] if (limit := graph.constant(source)) is not None]
    if len(values) < len(sources) - 1 or any(limit.ndim > facts[0].rank for limit in values):
        return None
    return _Limits(values, op.levels - 1)


def has_zero(levels: Levels) -> bool:
    """Return whether one of the levels stands for 0, which surrounds images."""
    nearest = round(levels.zero)
    return 0 <= nearest <= levels.most and abs(levels.zero - nearest) <= _NEAR


def integer_weights(packed: Packed, columns: int, levels: Levels) -> IntegerWeights | None:
    """Return compressed weights [columns, ...] as i8 with a scale for each column.

    None where they are not integers of 8 bits with sign, where scales vary within a column, and where a sum of their
    products with ``levels`` might not fit 32 bits.
    """
    codes = packed.codes
    if not isinstance(codes, np.ndarray) or codes.dtype.kind == "f" or not codes.size:
        return None
    if packed.zero is not None:
        zero = np.rint(packed.zero)
        if not np.array_equal(zero, packed.zero) or np.abs(zero).max() > 255:
            return None
        codes = codes - zero.astype(np.int16)
    if codes.min() < -128 or codes.max() > 127:
        return None
    scale = _by_column(np.ones(1) if packed.scale is None else packed.scale, codes.shape, columns)
    if scale is None or not np.isfinite(scale).all():
        return None
    small = codes.astype(np.int8, copy=False).reshape(packed.shape)
    rows = small.reshape(columns, -1)
    sums = rows.sum(1, np.int64)
    zero_level = nearest_zero(levels)
    if (levels.most + zero_level) * 128 * rows.shape[1] >= 1 << 31:
        largest = levels.most * np.abs(rows.astype(np.int16)).sum(1, np.int64)
        if (largest + np.abs(zero_level * sums)).max() >= 1 << 31:
            return None
    return IntegerWeights(small, scale.astype(np.float64), sums)


def _by_column(scale: Array, shape: Sequence[int], columns: int) -> Array | None:
    """Return the scale of each column, where ``scale`` broadcasts to the shape; None where scales vary within one."""
    scales = np.broadcast_to(scale, shape)
    while scales.size > columns and scales.strides[-1] == 0 and scales[..., 0].size % columns == 0:
        scales = scales[..., 0]
    scales = scales.reshape(columns, -1)
    return scales[:, 0] if np.array_equal(scales, np.broadcast_to(scales[:, :1], scales.shape)) else None


def rounded_weights(values: Array, columns: int) -> Packed | None:
    """Return f32 weights [columns, ...] that a FakeQuantize rounded as integers with a scale for each column.

    Its limits are the magnitude of the largest weight as a rule, which is level 127 or -128 then. None where weights
    are not multiples of the step that follows, but for roundings to f32.
    """
    rows = values.reshape(columns, -1).astype(np.float64)
    largest = np.abs(rows).max(1, initial=0)
    codes, scale = np.zeros(rows.shape, np.int16), np.ones(columns)
    others = np.flatnonzero(largest)
    for most in (127, 128):
        steps = largest[others] / most
        found = rows[others] / steps[:, None]
        nearest = np.rint(found)
        fits = np.abs(found - nearest).max(1, initial=0) <= most * _ROUNDINGS
        codes[others[fits]], scale[others[fits]] = nearest[fits], steps[fits]
        others = others[~fits]
    return None if len(others) else Packed(codes, None, scale[:, None], values.shape)


def nearest_zero(levels: Levels) -> int:
    """Return the level that is nearest to 0."""
    return min(max(round(levels.zero), 0), levels.most)

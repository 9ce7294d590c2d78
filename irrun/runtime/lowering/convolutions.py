"""Convolutions as products: with the pixels that each tap meets, or by tiles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np

from irrun.kernels.winograd import KERNELS, TILE
from irrun.kernels.winograd import is_worth_tiles as fit_tiles
from irrun.ops._declared.fused.fused_convolution import FEW_CHANNELS, FusedConvolution
from irrun.runtime.at_once import run_at_once
from irrun.runtime.lowering.builder import BF16_BITS, F32, Builder, Unsupported, is_symbolic, lowers, require_f32, share
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.conversions import are_finite, emit_operand, types, weights_for
from irrun.runtime.lowering.elementwise import epilogue
from irrun.runtime.lowering.geometry import (
    Part,
    as_images,
    emit_channels_last,
    emit_padding,
    hull,
    images_of,
    parts_of,
    taps_as_channels,
    window_geometry,
)
from irrun.runtime.lowering.images import emit_depthwise
from irrun.runtime.lowering.matrices import emit_row_product
from irrun.runtime.lowering.products import (
    Operands,
    alone,
    emit_product,
    form_of,
    of_windows,
    pack_made,
    placed_epilogue,
)
from irrun.runtime.view import Operand
from irrun.tensor import Array
from irrun_kernels.epilogue import Epilogue
from irrun_kernels.pixels import Images, ImageWindows
from irrun_kernels.product import Product, product
from irrun_kernels.tiling import padded_columns, tiling
from irrun_kernels.winograd import TransformData, TransformResult, transform_data, transform_result

Algorithm = Literal["depthwise", "Winograd", "product by rows of taps", "product by taps"]
"""Channel by channel; tiles of 4 x 4 results; a product with all taps of a row at a time, or with each tap."""


_TILED: Final = 1 << 19
"""Elements of transformed data and of products that are worked on at a time."""

_LEAST_TILES: Final = 64
"""Tiles that are worked on at a time at least: for fewer, the weights are read too often."""


@lowers(FusedConvolution)
def lower_convolution(op: FusedConvolution, builder: Builder, data: Operand, summand: Operand | None = None) -> Any:
    """A convolution as a product, by tiles, or channel by channel."""
    end = epilogue(op.activation)
    groups, filters, depth, *kernel = op.weights.shape
    require_f32(summand, op.weights)
    if data.ndim not in (3, 4, 5):
        raise Unsupported(f"images of {data.ndim} axes")
    if data.shape[1] != groups * depth:
        raise Unsupported("channels that do not fit the weights")
    geometry, counts = window_geometry(op.source.windows(data.ndim - 2), kernel, data)
    has_few = has_few_channels(groups, depth, geometry)
    parts = parts_of(geometry, as_images(data), counts, is_cut=not has_few and not op.is_depthwise)
    all_taps = tuple(slice(0, taps) for taps in geometry.taps[3 - len(counts) :])
    is_whole = all(part.taps == all_taps for part in parts)
    if (op.is_depthwise or not is_whole) and not are_finite(op):
        raise Unsupported("weights that are not finite, of which padding leaves out some")

    shape = (data.shape[0], groups * filters, *counts)
    may_tile = is_whole and groups == 1 and not op.accurate
    algorithm = algorithm_of(
        is_depthwise=op.is_depthwise,
        has_few=has_few and data.dtype != BF16_BITS,
        has_tiles=may_tile and is_worth_tiles(geometry, shape, depth) and are_finite(op),
    )
    builder.algorithm = algorithm

    x = emit_operand(op, builder, data)
    weights = weights_for(op, x)
    is_copied = algorithm == "product by rows of taps" and op.least is None
    x = as_images(x) if is_copied else emit_channels_last(builder, as_images(x))
    added = None if summand is None else emit_channels_last(builder, as_images(summand))
    if op.least is not None:
        e = Expression(builder)
        x = e.emit_into(e("maximum", e.read(x), e.read(op.least.reshape(-1, 1, 1))), builder.images(x.shape))
    outs = [builder.result_images(shape, dtype) for dtype in types(op)]
    given = Operands(x, outs, added, end, geometry)
    if algorithm == "depthwise":
        taps = _of_taps(op.rounded_weights, parts[0].taps)
        emit_depthwise(builder, taps[:, 0, 0], op.bias, _of_part(parts[0], given))
    elif algorithm == "Winograd":
        emit_winograd(op, builder, given)
    elif algorithm == "product by rows of taps":
        windows = _of_part(parts[0], given)
        around = emit_padding(builder, windows.x, outs[0], windows.geometry)
        taps, geometry = taps_as_channels(_of_taps(weights, parts[0].taps), windows.geometry)
        factors = of_windows(("few", *_bounds(parts[0].taps)), taps, weights)
        emit_product(builder, factors, windows._replace(x=around, geometry=geometry), _bias(op), 0)
    else:
        shared = None if form_of(x).is_padded else hull([part.taps[0] for part in parts])
        for part in parts:
            _emit_part(op, builder, weights, part, shared or part.taps[0], _of_part(part, given))
    return alone([out[:, :, 0] if data.ndim == 3 else out for out in outs])


def has_few_channels(groups: int, depth: int, geometry: ImageWindows) -> bool:
    """Return whether a product sums too few channels at a time, and may sum those of all taps of a row."""
    return groups == 1 and depth < FEW_CHANNELS and geometry.taps[2] > 1 and geometry.dilations[2] == 1


def algorithm_of(*, is_depthwise: bool, has_few: bool, has_tiles: bool = False) -> Algorithm:
    """Choose how a convolution is computed, of what is possible."""
    if is_depthwise:
        return "depthwise"
    if has_tiles:
        return "Winograd"
    return "product by rows of taps" if has_few else "product by taps"


def _of_part(part: Part, given: Operands) -> Operands:
    """The operands of a part of the results."""
    geometry, x = part.of(given.geometry, given.x)
    here: Any = (..., *part.results)
    summand = None if given.summand is None else given.summand[here]
    outs = [out[here] for out in given.outs]
    return given._replace(x=x, outs=outs, summand=summand, geometry=geometry)


def _of_taps(weights: Array, taps: Sequence[slice]) -> Array:
    """The weights [G, O, I, *K] of some taps."""
    here: Any = (..., *taps[3 - weights.ndim :])
    found: Array = weights[here]
    return found


def _emit_part(
    op: FusedConvolution, builder: Builder, weights: Array, part: Part, rows: slice, given: Operands
) -> None:
    """Multiply a part of the pixels; all parts with the same taps along other axes share the weights of ``rows``."""
    taps = (rows, *part.taps[1:])
    row = math.prod(each.stop - each.start for each in taps[1:])
    factors = of_windows(("taps", *_bounds(taps)), _of_taps(weights, taps), weights)
    before, after = (part.taps[0].start - rows.start) * row, (rows.stop - part.taps[0].stop) * row
    emit_product(builder, factors._replace(before=before, after=after), given, _bias(op), 0)


def _bounds(taps: Sequence[slice]) -> tuple[tuple[int, int], ...]:
    return tuple((each.start, each.stop) for each in taps)


def _bias(op: FusedConvolution) -> Array | None:
    return None if op.bias is None else op.bias.reshape(-1)


def is_worth_tiles(geometry: ImageWindows, shape: tuple[int, ...], depth: int) -> bool:
    """Return whether a convolution is faster by tiles, whose weights are four times as large."""
    batch, filters, *sizes = shape
    if len(sizes) > 2 or is_symbolic(*shape, depth) or geometry[:3] != ((1, 3, 3), (1, 1, 1), (1, 1, 1)):
        return False
    return fit_tiles(sizes, batch, filters, depth)


def emit_winograd(op: FusedConvolution, builder: Builder, given: Operands) -> None:
    """Some tiles after the others, so that what is between two calls stays in the caches."""
    x, (out,), summand, *_ = given
    batch, filters, height, width = out.shape
    depth = x.shape[1]
    across = -(-width // TILE)
    whole = -(-height // TILE) * across
    parts = max(1, min(round(whole * 36 * (depth + filters) / _TILED), whole // _LEAST_TILES))
    most = -(-whole // parts)
    data, products = builder.empty((36, most, depth)), builder.empty((36, most, filters))
    zeros = builder.constant(np.zeros(depth, np.float32))
    bias = builder.constant(None if op.bias is None else op.bias.reshape(-1))
    cut = tiling(most, 1, depth, filters, 36)

    def transformed(part: slice) -> Array:
        taps = op.weights[0, part].reshape(-1, 9).T
        made = np.empty((36, taps.shape[1]), F32)
        once = Builder()
        emit_row_product(once, taps, KERNELS, [made])
        run_at_once(once)
        return made.reshape(36, 1, -1, depth).swapaxes(2, 3)

    panels = builder.packed(
        "tiles",
        op.weights,
        cut.vectors,
        lambda: pack_made(transformed, (36, 1, depth, filters), F32, cut.vectors),
    )
    for image, first in itertools.product(range(batch), range(0, whole, most)):
        tiles = min(most, whole - first)
        each, tasks = share(tiles, 10.0 * tiles * depth)
        source, target = x[image : image + 1], out[image : image + 1]
        added = None if summand is None else summand[image : image + 1]
        builder.call(
            transform_data,
            TransformData(
                x=images_of(builder, source),
                out=builder.address(data),
                zeros=zeros,
                geometry=given.windows,
                channels=depth,
                first=first,
                tiles=tiles,
                across=across,
                tiles_per_task=each,
            ),
            tasks,
            4 * 36 * depth,
        )
        cut = tiling(tiles, 1, depth, filters, 36)._replace(vectors=cut.vectors)
        arguments = Product(
            x=Images(builder.address(data), pixel=4 * depth),
            panels=panels,
            geometry=ImageWindows(counts=(1, 1, tiles), sizes=(1, 1, tiles)),
            cut=cut,
            depth=depth,
            panel_depth=depth,
            filters=filters,
            epilogue=Epilogue(out=Images(builder.address(products), pixel=4 * filters)),
            next_x=4 * tiles * depth,
            next_panels=4 * depth * padded_columns(filters),
            next_out=tiles * filters,
        )
        builder.call(product, arguments, 36 * cut.tasks, cut.workspace)
        each, tasks = share(tiles, 8.0 * tiles * filters)
        builder.call(
            transform_result,
            TransformResult(
                products=builder.address(products),
                geometry=given.windows,
                channels=filters,
                first=first,
                tiles=tiles,
                across=across,
                tiles_per_task=each,
                epilogue=placed_epilogue(builder, given._replace(outs=[target], summand=added), 0, bias),
                misfit=builder.failure,
            ),
            tasks,
            4 * 28 * filters,
        )

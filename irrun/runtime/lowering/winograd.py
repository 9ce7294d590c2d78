"""Convolutions with kernels of 3 x 3 by tiles of 4 x 4 results: transforms, and 36 products between them."""

from __future__ import annotations

import itertools
from typing import Final

import numpy as np

from irrun.kernels.winograd import KERNELS, TILE
from irrun.ops._declared.fused.fused_products import FusedConvolution
from irrun.runtime.lowering.builder import F32, Builder, share
from irrun.runtime.lowering.products import Operands, images_of, placed_epilogue
from irrun.runtime.packing import multiply, pack
from irrun.tensor import Array
from irrun_kernels.product import plain_product, product
from irrun_kernels.tiling import padded_columns, panel_vectors, tiling
from irrun_kernels.winograd import TileRange, TransformData, TransformResult, transform_data, transform_result

_TILED: Final = 1 << 19
"""Elements of transformed data and of products that are worked on at a time."""

_LEAST_TILES: Final = 64
"""Tiles that are worked on at a time at least: for fewer, the weights are read too often."""


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
    zeros, bias = builder.constant(np.zeros(depth, np.float32)), builder.constant(op.bias)
    vectors = panel_vectors(filters)

    def transformed(part: slice) -> Array:
        made = multiply(KERNELS, op.weights[0, part].reshape(-1, 9).T)
        return made.reshape(36, 1, -1, depth).swapaxes(2, 3)

    panels = builder.packed(
        "tiles", op.weights, vectors, lambda: pack(op.weights, transformed, (36, 1, depth, filters), F32, vectors)
    )
    for image, first in itertools.product(range(batch), range(0, whole, most)):
        count = min(most, whole - first)
        here = slice(image, image + 1)
        added = None if summand is None else summand[here]
        part = given._replace(x=x[here], outs=[out[here]], summand=added)
        tiles = TileRange(part.windows, across, first, count)
        each, tasks = share(count, 10.0 * count * depth)
        arguments = TransformData(images_of(builder, part.x), builder.address(data), zeros, tiles, depth, each)
        builder.call(transform_data, arguments, tasks, 4 * 36 * depth)
        cut = tiling(count, 1, depth, filters, 36)
        addresses = builder.address(data), panels, builder.address(products)
        multiplied = plain_product(*addresses, count, depth, filters, cut)._replace(
            next_x=4 * count * depth, next_panels=4 * depth * padded_columns(filters), next_out=count * filters
        )
        builder.call(product, multiplied, 36 * cut.tasks, cut.workspace)
        each, tasks = share(count, 8.0 * count * filters)
        end = placed_epilogue(builder, part, 0, bias)
        results = TransformResult(builder.address(products), tiles, filters, each, end, builder.failure)
        builder.call(transform_result, results, tasks, 4 * 28 * filters)

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
from irrun_kernels.epilogue import Epilogue
from irrun_kernels.pixels import Images, ImageWindows
from irrun_kernels.product import Product, product
from irrun_kernels.tiling import padded_columns, tiling
from irrun_kernels.winograd import TransformData, TransformResult, transform_data, transform_result

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
    cut = tiling(most, 1, depth, filters, 36)

    def transformed(part: slice) -> Array:
        made = multiply(KERNELS, op.weights[0, part].reshape(-1, 9).T)
        return made.reshape(36, 1, -1, depth).swapaxes(2, 3)

    panels = builder.packed(
        "tiles", op.weights, cut.vectors, lambda: pack(transformed, (36, 1, depth, filters), F32, cut.vectors)
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

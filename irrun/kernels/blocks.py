"""Rearranges blocks of a tensor between its axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.kernels.threads import Array
from irrun.kernels.windows import view


def depth_to_space(data: Array, block: int, *, depth_first: bool) -> Array:
    """Rearrange [N, C, D1, …] into [N, C / block^K, D1 * block, …]."""
    batch, channels, *sizes = data.shape
    rank = len(sizes)
    depth = channels // block**rank
    blocks = (block,) * rank
    split = (batch, depth, *blocks, *sizes) if depth_first else (batch, *blocks, depth, *sizes)
    first_block = 2 if depth_first else 1
    order = [0, 1 if depth_first else rank + 1]
    for axis in range(rank):
        order += [rank + 2 + axis, first_block + axis]
    return data.reshape(split).transpose(order).reshape(batch, depth, *(size * block for size in sizes))


def space_to_depth(data: Array, block: int, *, depth_first: bool) -> Array:
    """Rearrange [N, C, D1, …] into [N, C * block^K, D1 / block, …]."""
    batch, channels, *sizes = data.shape
    split: list[int] = [batch, channels]
    for size in sizes:
        split += [size // block, block]
    grid = [2 + 2 * axis for axis in range(len(sizes))]
    within = [axis + 1 for axis in grid]
    order = [0, 1, *within, *grid] if depth_first else [0, *within, 1, *grid]
    target = (batch, channels * block ** len(sizes), *(size // block for size in sizes))
    return data.reshape(split).transpose(order).reshape(target)


def batch_to_space(data: Array, blocks: Sequence[int], crops_begin: Sequence[int], crops_end: Sequence[int]) -> Array:
    """Rearrange [B, D1, …] into [B / prod(blocks), D1 * blocks[1], …] and crop it; ``blocks[0]`` is 1."""
    _, *sizes = data.shape
    rank = len(sizes)
    batch = data.shape[0] // math.prod(blocks)
    order = [rank]
    for axis in range(rank):
        order += [rank + 1 + axis, axis]
    whole = data.reshape(*blocks[1:], batch, *sizes).transpose(order)
    whole = whole.reshape(batch, *(size * block for size, block in zip(sizes, blocks[1:], strict=True)))
    spans = zip(crops_begin, whole.shape, crops_end, strict=True)
    return whole[tuple(slice(begin, size - end) for begin, size, end in spans)]


def space_to_batch(data: Array, blocks: Sequence[int]) -> Array:
    """Rearrange [B, D1, …] into [B * prod(blocks), D1 / blocks[1], …]; ``blocks[0]`` is 1."""
    batch, *sizes = data.shape
    split: list[int] = [batch]
    for size, block in zip(sizes, blocks[1:], strict=True):
        split += [size // block, block]
    grid = [1 + 2 * axis for axis in range(len(sizes))]
    order = [*(axis + 1 for axis in grid), 0, *grid]
    target = (batch * math.prod(blocks), *(size // block for size, block in zip(sizes, blocks[1:], strict=True)))
    return data.reshape(split).transpose(order).reshape(target)


def sliding_blocks(size: int, kernel: int, stride: int, dilation: int, padding: int) -> int:
    """Return the number of positions of a dilated kernel on a padded axis."""
    return (size + padding - dilation * (kernel - 1) - 1) // stride + 1


def col2im(
    data: Array,
    output_size: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
) -> Array:
    """Sum overlapping blocks [N, C * kh * kw, L] into the image [N, C, H, W]."""
    batch, columns, _ = data.shape
    (height, width), (rows, cols) = output_size, kernel
    channels = columns // (rows * cols)
    padded = [size + begin + end for size, begin, end in zip(output_size, pads_begin, pads_end, strict=True)]
    down, across = (
        sliding_blocks(size, k, stride, dilation, 0)
        for size, k, stride, dilation in zip(padded, kernel, strides, dilations, strict=True)
    )
    blocks = data.reshape(batch, channels, rows, cols, down, across)
    image = np.zeros((batch, channels, *padded), dtype=data.dtype)
    for row in range(rows):
        for col in range(cols):
            part = view(image, (row * dilations[0], col * dilations[1]), strides, (down, across))
            part += blocks[:, :, row, col]
    return image[:, :, pads_begin[0] : pads_begin[0] + height, pads_begin[1] : pads_begin[1] + width]

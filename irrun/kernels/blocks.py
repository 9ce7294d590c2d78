"""Rearranges blocks of a tensor between its axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from irrun.kernels.threads import Array
from irrun.kernels.windows import view


def depth_to_space(data: Array, block: int, *, depth_first: bool) -> Array:
    """Rearrange [N, C, D1, …] into [N, C / block^K, D1 * block, …]."""
    return _joined(by_channel(data, block, depth_first=depth_first), 2)


def space_to_depth(data: Array, block: int, *, depth_first: bool) -> Array:
    """Rearrange [N, C, D1, …] into [N, C * block^K, D1 / block, …]."""
    batch, channels, *sizes = data.shape
    rank = len(sizes)
    parts: Array = split(data, 2, (block,) * rank)
    target = (batch, channels * block**rank, *parts.shape[2 + rank :])
    return (parts if depth_first else np.moveaxis(parts, 1, 1 + rank)).reshape(target)


def batch_to_space(data: Array, blocks: Sequence[int], crops_begin: Sequence[int], crops_end: Sequence[int]) -> Array:
    """Rearrange [B, D1, …] into [B / prod(blocks), D1 * blocks[1], …] and crop it; ``blocks[0]`` is 1."""
    batch = data.shape[0] // math.prod(blocks)
    whole = _joined(np.moveaxis(data.reshape(*blocks[1:], batch, *data.shape[1:]), data.ndim - 1, 0), 1)
    spans = zip(crops_begin, whole.shape, crops_end, strict=True)
    return whole[tuple(slice(begin, size - end) for begin, size, end in spans)]


def space_to_batch(data: Array, blocks: Sequence[int]) -> Array:
    """Rearrange [B, D1, …] into [B * prod(blocks), D1 / blocks[1], …]; ``blocks[0]`` is 1."""
    parts: Array = split(data, 1, blocks[1:])
    return np.moveaxis(parts, 0, data.ndim - 1).reshape(data.shape[0] * math.prod(blocks), *parts.shape[data.ndim :])


def by_channel(data: Any, block: int, *, depth_first: bool) -> Any:
    """Return a view [N, C * block^K, D1, …] as [N, C, *blocks, D1, …]."""
    batch, channels, *sizes = data.shape
    rank = len(sizes)
    depth, blocks = channels // block**rank, (block,) * rank
    if depth_first:
        return data.reshape(batch, depth, *blocks, *sizes)
    order = (0, 1 + rank, *range(1, 1 + rank), *range(2 + rank, 2 + 2 * rank))
    return data.reshape(batch, *blocks, depth, *sizes).transpose(order)


def split(data: Any, lead: int, blocks: Sequence[int]) -> Any:
    """Return a view [*lead, D1, …] as [*lead, *blocks, D1 / blocks[0], …]."""
    pairs = [part for size, block in zip(data.shape[lead:], blocks, strict=True) for part in (size // block, block)]
    grid = [lead + 2 * axis for axis in range(len(blocks))]
    within = [axis + 1 for axis in grid]
    return data.reshape(*data.shape[:lead], *pairs).transpose(*range(lead), *within, *grid)


def _joined(parts: Array, lead: int) -> Array:
    """Return an array [*lead, *blocks, D1, …] as [*lead, D1 * blocks[0], …]."""
    rank = (parts.ndim - lead) // 2
    pairs = [axis for block in range(lead, lead + rank) for axis in (block + rank, block)]
    blocks, sizes = parts.shape[lead : lead + rank], parts.shape[lead + rank :]
    whole = (size * block for size, block in zip(sizes, blocks, strict=True))
    return parts.transpose(*range(lead), *pairs).reshape(*parts.shape[:lead], *whole)


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
    rows, cols = kernel
    channels = columns // (rows * cols)
    padded = [size + begin + end for size, begin, end in zip(output_size, pads_begin, pads_end, strict=True)]
    down, across = (
        sliding_blocks(size, k, stride, dilation, 0)
        for size, k, stride, dilation in zip(padded, kernel, strides, dilations, strict=True)
    )
    blocks = data.reshape(batch, channels, rows, cols, down, across)
    image = np.zeros((batch, channels, *padded), dtype=data.dtype)
    for row, col in np.ndindex(rows, cols):
        part = view(image, (row * dilations[0], col * dilations[1]), strides, (down, across))
        part += blocks[:, :, row, col]
    return view(image, pads_begin, (1, 1), output_size)

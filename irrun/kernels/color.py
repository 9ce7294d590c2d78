"""Colour conversion between RGB and YUV with 2 x 2 subsampled chroma; images are [N, H, W, C]."""

from __future__ import annotations

import numpy as np

from irrun.kernels.threads import Array

F = np.float32


def yuv_to_rgb(y: Array, u: Array, v: Array) -> Array:
    """Convert planes y [N, H, W] and u, v [N, H / 2, W / 2] to RGB [N, H, W, 3] in 0 .. 255; integers are rounded."""
    working = np.result_type(y.dtype, F)
    luma = (y.astype(working) - 16) * working.type(1.164)
    blue, red = _doubled(u.astype(working) - 128), _doubled(v.astype(working) - 128)
    channels = (
        luma + working.type(1.596) * red,
        luma - working.type(0.391) * blue - working.type(0.813) * red,
        luma + working.type(2.018) * blue,
    )
    return _clipped(np.stack(channels, axis=-1), y.dtype)


def rgb_to_yuv(rgb: Array) -> tuple[Array, Array]:
    """Convert RGB to planes y [N, H, W, 1] and uv [N, H / 2, W / 2, 2], clipped to 0 .. 255.

    Chroma is the mean of the four pixels of a block, each converted and clipped separately; integers are rounded.
    """
    working = np.result_type(rgb.dtype, F)
    weights = np.array([[0.257, 0.504, 0.098], [-0.148, -0.291, 0.439], [0.439, -0.368, -0.071]], working)
    offsets = np.array([16, 128, 128], working)
    yuv = _clipped((rgb[..., None, :].astype(working) * weights).sum(axis=-1) + offsets, rgb.dtype)
    batch, height, width, _ = rgb.shape
    blocks = yuv[..., 1:].astype(working).reshape(batch, height // 2, 2, width // 2, 2, 2)
    return yuv[..., :1], _clipped(blocks.mean(axis=(2, 4)), rgb.dtype)


def _doubled(plane: Array) -> Array:
    """Repeat each element of [N, H, W] as a block of 2 x 2."""
    return plane.repeat(2, axis=1).repeat(2, axis=2)


def _clipped(values: Array, dtype: np.dtype[np.generic]) -> Array:
    if dtype.kind != "f":
        values = np.floor(values + values.dtype.type(0.5))
    return np.clip(values, 0, 255).astype(dtype, copy=False)

"""The planes and colours of one image of 2 x 4 pixels, by the formulas of NV12toRGB-8."""

from __future__ import annotations

import numpy as np

from tests.cases import Array

Y = np.array([[16, 50, 100, 150], [200, 235, 255, 0]], np.float32)[None, ..., None]
U = np.array([[128, 200]], np.float32)[None, ..., None]
V = np.array([[128, 90]], np.float32)[None, ..., None]
UV = np.concatenate([U, V], axis=-1)
NV12 = np.concatenate([Y, UV.reshape(1, 1, 4, 1)], axis=1)
I420 = np.concatenate([Y, np.array([128, 200, 128, 90], np.float32).reshape(1, 1, 4, 1)], axis=1)


def _colour(y: float, u: float, v: float) -> list[float]:
    luma = 1.164 * (y - 16)
    colour = (luma + 1.596 * (v - 128), luma - 0.813 * (v - 128) - 0.391 * (u - 128), luma + 2.018 * (u - 128))
    return [min(max(part, 0), 255) for part in colour]


RGB: Array = np.array(
    [[_colour(float(y), *((128, 128) if x < 2 else (200, 90))) for x, y in enumerate(line)] for line in Y[0, ..., 0]],
    np.float32,
)[None]
RGB8: Array = np.floor(RGB + 0.5).astype(np.uint8)

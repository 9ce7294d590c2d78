from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, i32, i64

_QUARTER = np.pi / 2
# The value of a pixel is 10 * row + column, so that a sample inside is 10 * y + x.
_RAMP = f32(np.arange(8)[:, None] * 10 + np.arange(8))[None, None]


def _attributes(height: int = 2, width: int = 2, **others: Any) -> dict[str, Any]:
    return {"pooled_h": height, "pooled_w": width, "sampling_ratio": 1, "spatial_scale": 1.0, **others}


def _wave(*shape: int) -> Array:
    return f32(np.sin(np.arange(np.prod(shape)) * 0.7)).reshape(shape)


CASES = [
    Case(
        "ROIAlignRotated",
        15,
        [_RAMP, f32([[4, 4, 4, 2, 0]]), i64([0])],
        [f32([[[[32.5, 34.5], [42.5, 44.5]]]])],
        _attributes(),
        name="not turned, moved by half a pixel",
    ),
    Case(
        "ROIAlignRotated",
        15,
        [_RAMP, f32([[4, 4, 4, 2, _QUARTER]]), i64([0])],
        [f32([[[[29, 49], [28, 48]]]])],
        _attributes(clockwise_mode=True),
        name="turned clockwise by a quarter",
    ),
    Case(
        "ROIAlignRotated",
        15,
        [_RAMP, f32([[4, 4, 4, 2, _QUARTER]]), i32([0])],
        [f32([[[[48, 28], [49, 29]]]])],
        _attributes(),
        name="turned counterclockwise by a quarter",
    ),
    Case(
        "ROIAlignRotated",
        15,
        [_RAMP, f32([[8, 8, 8, 4, 0]]), i64([0])],
        [f32([[[[32.5, 34.5], [42.5, 44.5]]]])],
        _attributes(spatial_scale=0.5, sampling_ratio=0),
        name="half the scale, adaptive samples",
    ),
    Case(
        "ROIAlignRotated",
        15,
        [_wave(2, 1, 5, 6), f32([[5, 4, 6, 4, 0.5], [6, 6, 3, 5, -1]]), i64([1, 0])],
        [f32([[[[0.53702, 0.49833], [-0.22085, -0.40162]]], [[[0.35263, -0.42047], [0.61917, -0.06702]]]])],
        _attributes(sampling_ratio=2, spatial_scale=0.5, clockwise_mode=True),
        "oracle",
        "two regions",
        atol=1e-5,
    ),
    Case(
        "ROIAlignRotated",
        15,
        [_wave(2, 1, 5, 6), f32([[3, 2, 4, 3, 0.5]]), i64([1])],
        [f32([[[[0.07283, -0.16145], [-0.34174, 0.3524]]]])],
        _attributes(sampling_ratio=0),
        "oracle",
        "counterclockwise",
        atol=1e-5,
    ),
    Case(
        "ROIAlignRotated",
        15,
        [_RAMP, f32(np.zeros((0, 5))), i64([])],
        [f32(np.zeros((0, 1, 2, 2)))],
        _attributes(),
        name="no regions",
    ),
]

INVALID = [
    Invalid(
        "ROIAlignRotated",
        15,
        [_RAMP, "f32[5,4]", "i64[5]"],
        "the last size of rois is 4, expected 5",
        _attributes(),
        input=1,
    ),
    Invalid(
        "ROIAlignRotated",
        15,
        [_RAMP, "f32[5,5]", "i64[6]"],
        "the numbers of rois and of batch_indices must be the same, got 5 and 6",
        _attributes(),
        input=2,
    ),
    Invalid(
        "ROIAlignRotated",
        15,
        [_RAMP, "f32[5,5]", "i64[5]"],
        "pooled_w is -1, expected > 0",
        _attributes(2, -1),
        attribute="pooled_w",
    ),
]

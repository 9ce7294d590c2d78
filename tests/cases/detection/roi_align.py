from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, f64, i32, i64

# The value of a pixel is 10 * row + column, so that a sample inside is 10 * y + x.
_RAMP = f32(np.arange(6)[:, None] * 10 + np.arange(8))[None, None]
_BOTH = np.concatenate([_RAMP, -_RAMP])


def _attributes(height: int = 2, width: int = 2, **others: Any) -> dict[str, Any]:
    return {"pooled_h": height, "pooled_w": width, "sampling_ratio": 1, "spatial_scale": 1.0, "mode": "avg", **others}


def _centers(y: list[float], x: list[float]) -> Array:
    """Return 10 * y + x over a grid."""
    return f32(f32(y)[:, None] * 10 + f32(x))[None, None]


CASES = [
    Case(
        "ROIAlign",
        3,
        [_RAMP, f32([[1, 2, 5, 4]]), i64([0])],
        [_centers([2.5, 3.5], [2, 4])],
        _attributes(),
        name="one sample",
    ),
    Case(
        "ROIAlign",
        3,
        [_RAMP, f32([[1, 2, 5, 4]]), i32([0])],
        [_centers([2.5, 3.5], [2, 4])],
        _attributes(sampling_ratio=3),
        name="the mean of nine samples of a ramp",
    ),
    Case(
        "ROIAlign",
        3,
        [_RAMP, f32([[1, 2, 5, 4]]), i64([0])],
        [_centers([2.75, 3.75], [2.5, 4.5])],
        _attributes(sampling_ratio=2, mode="max"),
        name="max",
    ),
    Case(
        "ROIAlign",
        3,
        [_BOTH, f32([[1, 2, 5, 4], [1, 2, 5, 4]]), i64([1, 0])],
        [np.concatenate([f32(np.zeros((1, 1, 2, 2))), _centers([2.5, 3.5], [2, 4])])],
        _attributes(mode="max"),
        name="max starts from 0",
    ),
    Case(
        "ROIAlign",
        3,
        [_RAMP, f32([[2, 4, 10, 8]]), i64([0])],
        [_centers([2.5, 3.5], [2, 4])],
        _attributes(spatial_scale=0.5, sampling_ratio=0),
        name="half the scale, adaptive samples",
    ),
    Case(
        "ROIAlign",
        3,
        [_RAMP, f32([[3, 3, 2, 1]]), i64([0])],
        [_centers([3.5], [3.25, 3.75])],
        _attributes(1, 2),
        name="a malformed box is 1 x 1",
    ),
    Case(
        "ROIAlign",
        3,
        [_RAMP, f32([[-2, 0, 2, 2]]), i64([0])],
        [f32([[[[10, 11]]]])],
        _attributes(1, 2),
        name="one pixel outside counts as the border",
    ),
    Case(
        "ROIAlign",
        3,
        [_RAMP, f32([[8, 2, 12, 4]]), i64([0])],
        [f32([[[[0]]]])],
        _attributes(1, 1),
        name="further outside is 0",
    ),
    Case(
        "ROIAlign",
        3,
        [np.where(_RAMP[0, 0, 0, 0] == _RAMP, f32(np.nan), _RAMP), f32([[8, 2, 12, 4]]), i64([0])],
        [f32([[[[0]]]])],
        _attributes(1, 1),
        name="outside of a map that begins with NaN",
        departs="beside nan",
    ),
    Case(
        "ROIAlign",
        3,
        [f64(_RAMP), f64([[1, 2, 5, 4]]), i64([0])],
        [f64(_centers([2.5, 3.5], [2, 4]))],
        _attributes(),
        name="f64",
    ),
    Case(
        "ROIAlign",
        3,
        [_RAMP, f32(np.zeros((0, 4))), i64([])],
        [f32(np.zeros((0, 1, 2, 2)))],
        _attributes(),
        name="no regions",
    ),
    Case(
        "ROIAlign",
        9,
        [_RAMP, f32([[1, 2, 5, 4]]), i64([0])],
        [_centers([2.5, 3.5], [2, 4])],
        _attributes(aligned_mode="asymmetric"),
        name="asymmetric",
    ),
    Case(
        "ROIAlign",
        9,
        [_RAMP, f32([[2, 4, 10, 8]]), i64([0])],
        [_centers([2, 3], [1.5, 3.5])],
        _attributes(aligned_mode="half_pixel_for_nn", spatial_scale=0.5),
        name="half_pixel_for_nn",
    ),
    Case(
        "ROIAlign",
        9,
        [_RAMP, f32([[2, 4, 10, 8]]), i64([0])],
        [_centers([2.25, 3.25], [1.75, 3.75])],
        _attributes(aligned_mode="half_pixel", spatial_scale=0.5),
        name="half_pixel",
    ),
    Case(
        "ROIAlign",
        9,
        [_RAMP, f32([[2, 2, 2.5, 2.5]]), i64([0])],
        [_centers([1.75], [1.75])],
        _attributes(1, 1, aligned_mode="half_pixel_for_nn"),
        name="a small box stays small",
    ),
    Case(
        "ROIAlign",
        9,
        [_RAMP, f32([[1, 2, 5, 4]]), i64([0])],
        [_centers([2.25, 3.25], [2, 4])],
        _attributes(aligned_mode="half_pixel_for_nn", sampling_ratio=2, mode="max"),
        name="max",
    ),
]

_OTHERS = [_RAMP, "f32[5,4]", "i64[5]"]

INVALID = [
    Invalid(
        "ROIAlign", 3, [_RAMP, "f32[5,5]", "i64[5]"], "the last size of rois is 5, expected 4", _attributes(), input=1
    ),
    Invalid(
        "ROIAlign",
        9,
        [_RAMP, "f32[5,4]", "i64[4]"],
        "the numbers of rois and of batch_indices must be the same, got 5 and 4",
        _attributes(),
        input=2,
    ),
    Invalid("ROIAlign", 9, [_RAMP, "f32[5,4]", "f32[5]"], "input 2 (batch_indices) is f32", _attributes(), input=2),
    Invalid("ROIAlign", 3, [_RAMP, "f16[5,4]", "i64[5]"], "both must have the same type T", _attributes(), input=1),
    Invalid("ROIAlign", 3, _OTHERS, "pooled_h is 0, expected > 0", _attributes(0), attribute="pooled_h"),
    Invalid("ROIAlign", 3, _OTHERS, "sampling_ratio is -1", _attributes(sampling_ratio=-1), attribute="sampling_ratio"),
    Invalid("ROIAlign", 9, _OTHERS, "spatial_scale is 0.0", _attributes(spatial_scale=0.0), attribute="spatial_scale"),
]

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, f64

# The value of a pixel is 10 * row + column.
_RAMP = f32(np.arange(6)[:, None] * 10 + np.arange(8))[None, None]
_BOTH = np.concatenate([_RAMP, -_RAMP])


def _attributes(height: int = 2, width: int = 2, **others: Any) -> dict[str, Any]:
    return {"pooled_h": height, "pooled_w": width, "spatial_scale": 1.0, **others}


CASES = [
    Case("ROIPooling", 2, [_RAMP, f32([[0, 1, 2, 4, 5]])], [f32([[[[32, 34], [52, 54]]]])], _attributes(), name="max"),
    Case(
        "ROIPooling",
        2,
        [_RAMP, f32([[0, 1, 2, 3, 4]])],
        [f32([[[[32, 33], [42, 43]]]])],
        _attributes(),
        name="bins share the middle of three",
    ),
    Case(
        "ROIPooling",
        2,
        [_RAMP, f32([[0, 2, 4, 9, 11]])],
        [f32([[[[43, 45], [53, 55]]]])],
        _attributes(spatial_scale=0.5, method="max"),
        name="half the scale, halves rounded up",
    ),
    Case(
        "ROIPooling",
        2,
        [_BOTH, f32([[1, 1, 2, 4, 5], [0, 5, 3, 2, 1]])],
        [f32([[[[-21, -23], [-41, -43]]], [[[35, 35], [35, 35]]]])],
        _attributes(),
        name="negative maxima, a malformed box is 1 x 1",
    ),
    Case(
        "ROIPooling",
        2,
        [_RAMP, f32([[0, 6, 4, 9, 7]])],
        [f32([[[[57, 0], [0, 0]]]])],
        _attributes(),
        name="a bin outside is 0",
    ),
    Case(
        "ROIPooling",
        2,
        [_RAMP, f32([[0, 0, 0, 1, 1]])],
        [f32([[[[0, 3.5, 7], [50, 53.5, 57]]]])],
        _attributes(2, 3, method="bilinear"),
        name="bilinear over the whole",
    ),
    Case(
        "ROIPooling",
        2,
        [_RAMP, f32([[0, 0.2, 0.4, 0.6, 0.8]])],
        [f32([[[[32.8]]]])],
        _attributes(1, 1, method="bilinear", spatial_scale=0.25),
        name="bilinear in the middle",
    ),
    Case(
        "ROIPooling",
        2,
        [_RAMP, f32([[0, 0.5, -0.2, 1.2, 0.2]])],
        [f32([[[[0, 0], [13.5, 0]]]])],
        _attributes(method="bilinear"),
        name="bilinear outside is 0",
    ),
    Case(
        "ROIPooling",
        2,
        [_RAMP, f32([[0, 1, 1, 1, 1], [-1, 0, 0, 0, 0], [0, 2, 2, 2, 2]])],
        [f32([[[[11]]], [[[0]]], [[[0]]]])],
        _attributes(1, 1),
        name="a batch of -1 ends the list",
    ),
    Case(
        "ROIPooling",
        2,
        [f64(_RAMP), f64([[0, 1, 2, 4, 5]])],
        [f64([[[[54]]]])],
        _attributes(1, 1, output_size=(1, 1), output_roi=(1, 1)),
        name="f64",
    ),
    Case(
        "ROIPooling", 2, [_RAMP, f32(np.zeros((0, 5)))], [f32(np.zeros((0, 1, 2, 2)))], _attributes(), name="no regions"
    ),
]

INVALID = [
    Invalid("ROIPooling", 2, [_RAMP, "f32[5,4]"], "the last size of rois is 4, expected 5", _attributes(), input=1),
    Invalid("ROIPooling", 2, [_RAMP, "f16[5,5]"], "both must have the same type T", _attributes(), input=1),
    Invalid("ROIPooling", 2, ["f32[1,6,8]", "f32[5,5]"], "has rank 3, expected 4", _attributes(), input=0),
    Invalid("ROIPooling", 2, [_RAMP, "f32[5,5]"], "pooled_h is 0", _attributes(0), attribute="pooled_h"),
    Invalid(
        "ROIPooling",
        2,
        [_RAMP, "f32[5,5]"],
        "spatial_scale is 0.0",
        _attributes(spatial_scale=0.0),
        attribute="spatial_scale",
    ),
]

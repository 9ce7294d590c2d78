from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, f64

# The value of a pixel is 100 * channel + 10 * row + column.
_MAPS = f32(np.arange(8)[:, None, None] * 100 + np.arange(5)[:, None] * 10 + np.arange(6))[None]


def _attributes(dim: int = 1, group: int = 2, **others: Any) -> dict[str, Any]:
    return {"output_dim": dim, "group_size": group, "spatial_scale": 1.0, "mode": "average", **others}


def _wave(*shape: int) -> Array:
    return f32(np.sin(np.arange(np.prod(shape)) * 0.7)).reshape(shape)


CASES = [
    Case(
        "PSROIPooling",
        1,
        [_MAPS[:, :4], f32([[0, 0, 0, 3, 3]])],
        [f32([[[[5.5, 107.5], [225.5, 327.5]]]])],
        _attributes(),
        name="average",
    ),
    Case(
        "PSROIPooling",
        1,
        [_MAPS, f32([[0, 0, 0, 1, 1]])],
        [f32([[[[0, 101], [210, 311]], [[400, 501], [610, 711]]]])],
        _attributes(2),
        name="two output channels",
    ),
    Case(
        "PSROIPooling",
        1,
        [_MAPS[:, :4], f32([[0, 0, 0, 5.5, 6.4]])],
        [f32([[[[5.5, 107], [220.5, 322]]]])],
        _attributes(spatial_scale=0.5),
        name="half the scale, corners rounded",
    ),
    Case(
        "PSROIPooling",
        1,
        [_MAPS[:, :1], f32([[0, 2, 1, 3, 2]])],
        [f32([[[[17.5]]]])],
        _attributes(1, 1),
        name="one bin",
    ),
    Case(
        "PSROIPooling",
        1,
        [_MAPS[:, :4], f32([[0, 4, 3, 7, 6]])],
        [f32([[[[39.5, 0], [0, 0]]]])],
        _attributes(),
        name="bins outside are 0",
    ),
    Case(
        "PSROIPooling",
        1,
        [_MAPS[:, :1], f32([[0, 0, 0, 0, 0], [-1, 0, 0, 0, 0], [0, 0, 0, 0, 0]])],
        [f32([[[[0]]], [[[0]]], [[[0]]]])],
        _attributes(1, 1),
        name="a batch of -1 ends the list",
    ),
    Case(
        "PSROIPooling",
        1,
        [_MAPS[:, :1], f32([[0, 0, 0, 1, 1]])],
        [f32([[[[0, 5], [40, 45]]]])],
        _attributes(mode="bilinear"),
        name="bilinear over the whole",
    ),
    Case(
        "PSROIPooling",
        1,
        [_MAPS[:, :2], f32([[0, 0, 0, 0.8, 0.5]])],
        # The first half of the width is sampled from channel 0, the second from channel 1.
        [f32([[[[50 + 2, 50 + 2], [70 + 2, 70 + 2]]]]) + f32([[-1, 1], [-1, 1]])],
        _attributes(mode="bilinear", spatial_bins_x=2),
        name="bilinear, two bins",
    ),
    Case(
        "PSROIPooling",
        1,
        [_MAPS[:, :1], f32([[0, 0.4, 0.5, 0.8, 1]])],
        [f32([[[[33]]]])],
        _attributes(1, 1, mode="bilinear"),
        name="bilinear in the middle",
    ),
    Case(
        "PSROIPooling",
        1,
        [_wave(1, 4, 5, 6), f32([[0, 0.1, 0.2, 0.8, 0.9]])],
        [f32([[[[-0.60671, -0.40075], [-0.45981, -0.07393]], [[0.17324, 0.65574], [0.32929, 0.44163]]]])],
        _attributes(2, mode="bilinear", spatial_bins_x=2, spatial_bins_y=1),
        "oracle",
        "bilinear waves",
        atol=1e-5,
    ),
    Case(
        "PSROIPooling",
        1,
        [f64(_MAPS[:, :1]), f64(np.zeros((0, 5)))],
        [f64(np.zeros((0, 1, 1, 1)))],
        _attributes(1, 1),
        name="no regions",
    ),
]

INVALID = [
    Invalid(
        "PSROIPooling",
        1,
        ["f32[1,9,6,6]", "f32[5,5]"],
        "input has 9 channels, expected a multiple of 8 (output_dim * group_size * group_size)",
        _attributes(2),
        input=0,
    ),
    Invalid(
        "PSROIPooling",
        1,
        ["f32[1,8,6,6]", "f32[5,5]"],
        "expected a multiple of 6 (output_dim * spatial_bins_x * spatial_bins_y)",
        _attributes(2, mode="bilinear", spatial_bins_x=3),
        input=0,
    ),
    Invalid("PSROIPooling", 1, [_MAPS, "f32[5,4]"], "the last size of coords is 4, expected 5", _attributes(), input=1),
    Invalid("PSROIPooling", 1, [_MAPS, "f32[5,5]"], "output_dim is 0", _attributes(0), attribute="output_dim"),
    Invalid("PSROIPooling", 1, [_MAPS, "f32[5,5]"], "group_size is 0", _attributes(1, 0), attribute="group_size"),
    Invalid(
        "PSROIPooling",
        1,
        [_MAPS, "f32[5,5]"],
        "spatial_bins_y is 0, expected > 0 for mode bilinear",
        _attributes(mode="bilinear", spatial_bins_y=0),
        attribute="spatial_bins_y",
    ),
]

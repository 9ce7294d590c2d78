from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, f64

# The value of a pixel is 100 * channel + 10 * row + column.
_MAPS = f32(np.arange(8)[:, None, None] * 100 + np.arange(6)[:, None] * 10 + np.arange(6))[None]


def _attributes(dim: int = 1, group: int = 2, **others: Any) -> dict[str, Any]:
    return {"output_dim": dim, "group_size": group, "spatial_scale": 1.0, **others}


def _wave(*shape: int) -> Array:
    return f32(np.sin(np.arange(np.prod(shape)) * 0.7)).reshape(shape)


def _spread(*shape: int) -> Array:
    return f32(np.arange(np.prod(shape)) * 5 % np.prod(shape) / np.prod(shape)).reshape(shape)


CASES = [
    Case(
        "DeformablePSROIPooling",
        1,
        [_MAPS[:, :4], f32([[0, 1, 1, 4, 4]]), f32([[[[0.25, 0], [9, 9]], [[9, 9], [9, 9]]]])],
        # Bins begin at y = 0.5 and 2.5, x = 0.5 and 2.5, to which half of 0.25 times the width of 4 is added.
        [f32([[[[6, 108], [226, 328]]]])],
        _attributes(trans_std=0.5),
        name="offsets_of_group_size",
    ),
    Case(
        "DeformablePSROIPooling",
        1,
        [_MAPS[:, :4], f32([[0, 1, 2, 2, 3]])],
        # Bins of 1 x 1 begin at y = 1.5, x = 0.5.
        [f32([[[[15.5, 116.5], [225.5, 326.5]]]])],
        _attributes(),
        name="one sample at the corner of each bin",
    ),
    Case(
        "DeformablePSROIPooling",
        1,
        [_MAPS[:, :4], f32([[0, 1, 2, 2, 3]])],
        [f32([[[[15.5 + 2.75, 116.5 + 2.75], [225.5 + 2.75, 326.5 + 2.75]]]])],
        _attributes(spatial_bins_x=2, spatial_bins_y=2),
        name="four samples",
    ),
    Case(
        "DeformablePSROIPooling",
        1,
        [_MAPS[:, :4], f32([[0, 1, 2, 2, 3]]), f32([[[[0.5]], [[1]]]])],
        # Every bin moves by 0.5 * 0.5 of the width of 2, and by 0.5 of the height of 2.
        [f32([[[[15.5 + 10.5, 116.5 + 10.5], [225.5 + 10.5, 326.5 + 10.5]]]])],
        _attributes(trans_std=0.5),
        name="offsets",
    ),
    Case(
        "DeformablePSROIPooling",
        1,
        [_MAPS[:, :2], f32([[0, 1, 2, 2, 3]]), f32([[[[1]], [[0]], [[0]], [[1]]]])],
        [f32([[[[15.5 + 1]], [[115.5 + 10]]]])],
        _attributes(2, 1, trans_std=0.5),
        name="offsets of each class",
    ),
    Case(
        "DeformablePSROIPooling",
        1,
        [_wave(1, 8, 6, 6), f32([[0, 1, 2, 7, 9], [0, 0, 0, 3, 3]]), _spread(2, 4, 2, 2)],
        [
            f32(
                [
                    [[[-0.09858, -0.26276], [-0.26438, 0.26793]], [[-0.02126, -0.1609], [0.00733, 0.30251]]],
                    [[[-0.00398, 0.51325], [-0.61799, -0.55756]], [[0.21139, 0.61656], [-0.60065, -0.54557]]],
                ]
            )
        ],
        _attributes(2, spatial_scale=0.5, spatial_bins_x=2, spatial_bins_y=3, trans_std=0.2, part_size=2),
        "oracle",
        "offsets of waves",
        atol=1e-5,
    ),
    Case(
        "DeformablePSROIPooling",
        1,
        [_MAPS[:, :1], f32([[0, 0, 0, 0, 0], [0, 9, 9, 9, 9], [-1, 2, 2, 2, 2]])],
        [f32([[[[0]]], [[[0]]], [[[0]]]])],
        _attributes(1, 1),
        name="the border, outside, and the end of the list",
    ),
    Case(
        "DeformablePSROIPooling",
        1,
        [f64(_MAPS[:, :1]), f64(np.zeros((0, 5)))],
        [f64(np.zeros((0, 1, 1, 1)))],
        _attributes(1, 1),
        name="no regions",
    ),
]

INVALID = [
    Invalid(
        "DeformablePSROIPooling",
        1,
        [_MAPS[:, :1], f32([[np.nan, 0, 0, 1, 1]])],
        "batch index nan is outside a batch of 1",
        _attributes(1, 1),
        input=1,
    ),
    Invalid(
        "DeformablePSROIPooling",
        1,
        [_MAPS[:, :1], f32([[0, 0, np.inf, 1, 1]])],
        "a region has the coordinate inf",
        _attributes(1, 1),
        input=1,
    ),
    Invalid(
        "DeformablePSROIPooling",
        1,
        ["f32[1,7,6,6]", "f32[5,5]"],
        "input has 7 channels, expected at least 8 (output_dim * group_size * group_size)",
        _attributes(2),
        input=0,
    ),
    Invalid(
        "DeformablePSROIPooling",
        1,
        [_MAPS, "f32[5,4]"],
        "the last size of coords is 4, expected 5",
        _attributes(),
        input=1,
    ),
    Invalid(
        "DeformablePSROIPooling",
        1,
        [_MAPS, "f32[5,5]", "f32[6,2,1,1]"],
        "the numbers of coords and of offsets must be the same, got 5 and 6",
        _attributes(),
        input=2,
    ),
    Invalid(
        "DeformablePSROIPooling",
        1,
        [_MAPS, "f32[5,5]", "f32[5,2,3,1]"],
        "the height of offsets is 3, expected 1",
        _attributes(),
        input=2,
    ),
    Invalid(
        "DeformablePSROIPooling",
        1,
        [_MAPS, "f32[5,5]"],
        "spatial_bins_x is 0",
        _attributes(spatial_bins_x=0),
        attribute="spatial_bins_x",
    ),
]

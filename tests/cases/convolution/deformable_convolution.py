from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32
from tests.cases.convolution.convolution import plain

IMAGE = f32(np.arange(1, 10).reshape(1, 1, 3, 3))
ONE = f32(np.ones((1, 1, 1, 1)))


def shift(y: float, x: float) -> np.ndarray:
    """Return the same offset for each element of a 3 x 3 output of a 1 x 1 kernel."""
    return f32(np.broadcast_to(np.reshape([y, x], (1, 2, 1, 1)), (1, 2, 3, 3)))


NONE = f32(np.zeros((1, 8, 2, 2)))
BOX = f32(np.ones((1, 1, 2, 2)))
BOXED = f32([[[[12, 16], [24, 28]]]])

CASES = [
    *(
        case
        for opset in (1, 8)
        for case in (
            Case("DeformableConvolution", opset, [IMAGE, NONE, BOX], [BOXED], plain(2), name="no-offsets"),
            Case(
                "DeformableConvolution",
                opset,
                [IMAGE, shift(0, 0.25), ONE],
                [f32([[[[1.25, 2.25, 3], [4.25, 5.25, 6], [7.25, 8.25, 9]]]])],
                plain(2),
                name="shifted-right",
            ),
            Case(
                "DeformableConvolution",
                opset,
                [IMAGE, shift(-0.5, 0), ONE],
                [f32([[[[0, 0, 0], [2.5, 3.5, 4.5], [5.5, 6.5, 7.5]]]])],
                plain(2),
                name="shifted-out-is-zero",
            ),
            Case(
                "DeformableConvolution",
                opset,
                [
                    f32(np.stack([IMAGE[0, 0], 10 * IMAGE[0, 0]])[None]),
                    f32(np.zeros((1, 8, 2, 2))),
                    f32(np.ones((2, 1, 2, 2))),
                ],
                [f32([[[[12, 16], [24, 28]], [[120, 160], [240, 280]]]])],
                plain(2, group=2),
                name="groups",
            ),
            Case(
                "DeformableConvolution",
                opset,
                [
                    f32(np.stack([IMAGE[0, 0], 10 * IMAGE[0, 0]])[None]),
                    f32(np.concatenate([shift(0, 0), shift(1, 1)], 1)),
                    f32(np.ones((1, 2, 1, 1))),
                ],
                [f32([[[[51, 62, 3], [84, 95, 6], [7, 8, 9]]]])],
                plain(2, deformable_group=2),
                name="deformable-groups",
            ),
            Case(
                "DeformableConvolution",
                opset,
                [IMAGE, f32(np.zeros((1, 8, 2, 2))), BOX],
                [f32([[[[2, 2], [13, 13]]]])],
                plain(2, strides=(2, 2), pads_begin=(1, 1), dilations=(1, 2), pads_end=(0, 1)),
                name="strides-pads-dilations",
            ),
            Case(
                "DeformableConvolution",
                opset,
                [IMAGE, f32(np.zeros((1, 8, 3, 3))), BOX],
                [f32([[[[12, 16, 9], [24, 28, 15], [15, 17, 9]]]])],
                plain(2, auto_pad="same_upper"),
                name="same-upper",
            ),
        )
    ),
    Case(
        "DeformableConvolution",
        8,
        [IMAGE, shift(-0.5, 0), ONE],
        [f32([[[[0.5, 1, 1.5], [2.5, 3.5, 4.5], [5.5, 6.5, 7.5]]]])],
        plain(2, bilinear_interpolation_pad=True),
        name="blended-with-zeros",
    ),
    Case(
        "DeformableConvolution",
        8,
        [IMAGE, NONE, BOX, f32(np.broadcast_to(np.reshape([1, 0, 0, 0.5], (1, 4, 1, 1)), (1, 4, 2, 2)))],
        [f32([[[[3.5, 5], [8, 9.5]]]])],
        plain(2),
        name="mask",
    ),
]

INVALID = [
    Invalid(
        "DeformableConvolution",
        1,
        ["f32[1,4,8,8]", "f32[1,49,4,4]", "f32[64,4,5,5]"],
        "offsets has 49 channels, expected 50",
        plain(2),
        input=1,
    ),
    Invalid(
        "DeformableConvolution",
        1,
        ["f32[1,4,8,8]", "f32[1,50,5,4]", "f32[64,4,5,5]"],
        "spatial sizes of output and offsets must be the same, got 4 and 5",
        plain(2),
        input=1,
    ),
    Invalid(
        "DeformableConvolution",
        8,
        ["f32[1,4,8,8]", "f32[1,50,4,4]", "f32[64,4,5,5]", "f32[2,25,4,4]"],
        "batch of data and mask must be the same, got 1 and 2",
        plain(2),
        input=3,
    ),
    Invalid(
        "DeformableConvolution",
        8,
        ["f32[1,4,8,8]", "f32[1,50,4,4]", "f32[64,4,5,5]"],
        "channels of data and kernel must be the same, got 4 and 8",
        plain(2, group=2),
        input=1,
    ),
    Invalid(
        "DeformableConvolution",
        8,
        ["f32[1,4,8,8]", "f32[1,150,4,4]", "f32[64,4,5,5]"],
        "channels of the data (4) must be divisible by deformable_group (3)",
        plain(2, deformable_group=3),
        attribute="deformable_group",
    ),
    Invalid(
        "DeformableConvolution",
        1,
        ["f32[1,4,8,8]", "f32[1,50,4,4]", "f32[64,4,5,5]"],
        "group is 0, expected >= 1",
        plain(2, group=0),
        attribute="group",
    ),
]

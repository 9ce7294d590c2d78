from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32, i64, u8


def plain(axes: int, **changed: Any) -> dict[str, Any]:
    """Return attributes without any effect, except the given ones."""
    ones, zeros = (1,) * axes, (0,) * axes
    return {"strides": ones, "dilations": ones, "pads_begin": zeros, "pads_end": zeros, **changed}


LINE = f32([[[1, 2, 3, 4, 5]]])
SUM3 = f32([[[1, 1, 1]]])
IMAGE = f32(np.arange(1, 26).reshape(1, 1, 5, 5))
CORNERS = f32([[[[1, 0], [0, 10]]]])
CHANNELS = f32([[[1, 2, 3], [10, 20, 30]], [[4, 5, 6], [40, 50, 60]]])

CASES = [
    Case("Convolution", 1, [LINE, SUM3], [f32([[[6, 9, 12]]])], plain(1), name="1d"),
    Case("Convolution", 1, [LINE, f32([[[1, 10, 100]]])], [f32([[[321, 432, 543]]])], plain(1), name="not-flipped"),
    Case("Convolution", 1, [LINE, SUM3], [f32([[[6, 12]]])], plain(1, strides=(2,)), name="strides"),
    Case("Convolution", 1, [LINE, SUM3], [f32([[[9]]])], plain(1, dilations=(2,)), name="dilations"),
    Case(
        "Convolution",
        1,
        [LINE, SUM3],
        [f32([[[1, 3, 6, 9, 12, 9]]])],
        plain(1, pads_begin=(2,), pads_end=(1,)),
        name="uneven-padding",
    ),
    Case(
        "Convolution",
        1,
        [LINE, SUM3],
        [f32([[[9, 12]]])],
        plain(1, pads_begin=(-1,)),
        name="negative-padding",
        departs="negative padding",
    ),
    Case(
        "Convolution",
        1,
        [LINE, SUM3],
        [f32([[[6, 9, 12]]])],
        plain(1, pads_begin=(2,), pads_end=(1,), auto_pad="valid"),
        name="valid-ignores-pads",
    ),
    Case(
        "Convolution",
        1,
        [f32([[[1, 2, 3, 4]]]), SUM3],
        [f32([[[6, 7]]])],
        plain(1, strides=(2,), auto_pad="same_upper"),
        name="same-upper",
    ),
    Case(
        "Convolution",
        1,
        [f32([[[1, 2, 3, 4]]]), SUM3],
        [f32([[[3, 9]]])],
        plain(1, strides=(2,), auto_pad="same_lower"),
        name="same-lower",
    ),
    Case(
        "Convolution",
        1,
        [IMAGE, CORNERS],
        [f32([[[[71, 82, 93, 104], [126, 137, 148, 159], [181, 192, 203, 214], [236, 247, 258, 269]]]])],
        plain(2),
        name="2d",
    ),
    Case(
        "Convolution",
        1,
        [IMAGE, CORNERS],
        [f32([[[[132, 154], [242, 264]]]])],
        plain(2, strides=(2, 2), dilations=(2, 1), pads_begin=(0, -1)),
        name="2d-anisotropic",
        departs="negative padding",
    ),
    Case(
        "Convolution",
        1,
        [CHANNELS, f32([[[1], [1]], [[2], [0]], [[0], [-1]]])],
        [
            f32(
                [
                    [[11, 22, 33], [2, 4, 6], [-10, -20, -30]],
                    [[44, 55, 66], [8, 10, 12], [-40, -50, -60]],
                ]
            )
        ],
        plain(1),
        name="pointwise",
    ),
    Case(
        "Convolution",
        1,
        [CHANNELS, f32([[[1, 1], [1, 0]]])],
        [f32([[[13, 25]], [[49, 61]]])],
        plain(1),
        name="channels-and-batch",
    ),
    Case(
        "Convolution",
        1,
        [f32(np.arange(27).reshape(1, 1, 3, 3, 3)), f32(np.eye(2)[None, None, None].repeat(2, 2))],
        [f32([[[[[26, 30], [38, 42]], [[62, 66], [74, 78]]]]])],
        plain(3),
        name="3d",
    ),
    Case("Convolution", 1, [f64([[[1, 2, 4]]]), f64([[[0.5, 0.25]]])], [f64([[[1, 2]]])], plain(1), name="f64"),
    Case(
        "Convolution",
        1,
        [i32([[[1, 2, 3]]]), i32([[[100, 100]]])],
        [i32([[[300, 500]]])],
        plain(1),
        name="i32",
    ),
    Case(
        "Convolution",
        1,
        [i64([[[2**60 + 1, 1]]]), i64([[[3, 1]]])],
        [i64([[[3 * 2**60 + 4]]])],
        plain(1),
        name="i64-exact",
        departs="64-bit",
    ),
    Case(
        "Convolution",
        1,
        [u8([[[1, 2, 3]]]), u8([[[100, 100]]])],
        [u8([[[255, 255]]])],
        plain(1),
        name="u8-saturates",
    ),
    Case(
        "Convolution",
        1,
        [f32(np.zeros((0, 1, 4))), SUM3],
        [f32(np.zeros((0, 1, 2)))],
        plain(1),
        name="empty-batch",
    ),
    Case(
        "Convolution",
        1,
        [f32(np.ones((1, 5, 128))), f32(np.ones((16, 5, 4)))],
        [f32(np.full((1, 16, 63), 20))],
        plain(1, strides=(2,), auto_pad="valid"),
        name="page-1d",
        source="page",
    ),
    Case(
        "Convolution",
        1,
        [LINE, SUM3],
        [f32([[[6, 9, 12]]])],
        {"strides": (), "dilations": (), "pads_begin": (), "pads_end": ()},
        name="empty-lists",
    ),
]

INVALID = [
    Invalid(
        "Convolution",
        1,
        ["f32[1,3,8,8]", "f32[4,2,3,3]"],
        "channels of data and kernel must be the same, got 3 and 2",
        plain(2),
        input=1,
    ),
    Invalid(
        "Convolution",
        1,
        ["f32[1,3,8,8]", "f32[4,3,3]"],
        "the kernel has rank 3, expected 4 for data of rank 4",
        plain(2),
        input=1,
    ),
    Invalid(
        "Convolution", 1, ["f32[1,3]", "f32[4,3,3]"], "input 0 (data) has rank 2, expected 3, 4 or 5", plain(1), input=0
    ),
    Invalid("Convolution", 1, ["f32[1,3,8]", "i32[4,3,3]"], "both must have the same type T", plain(1), input=1),
    Invalid(
        "Convolution",
        1,
        ["f32[1,3,8,8]", "f32[4,3,3,3]"],
        "strides has 1 element, expected 2",
        plain(2, strides=(1,)),
        attribute="strides",
    ),
    Invalid(
        "Convolution",
        1,
        ["f32[...]", "f32[4,3,3,3]"],
        "pads_end has 3 elements, expected 2",
        plain(2, pads_end=(1, 1, 1)),
        attribute="pads_end",
    ),
    Invalid(
        "Convolution",
        1,
        ["f32[1,3,8]", "f32[4,3,3]"],
        "strides is 0, expected >= 1",
        plain(1, strides=(0,)),
        attribute="strides",
    ),
    Invalid(
        "Convolution",
        1,
        ["f32[1,3,8]", "f32[4,3,3]"],
        "dilations is 0, expected >= 1",
        plain(1, dilations=(0,)),
        attribute="dilations",
    ),
    Invalid(
        "Convolution",
        1,
        ["f32[1,3,?,2]", "f32[4,3,3,5]"],
        "a window of 5 does not fit on spatial axis 1 with 2 elements and 2 of padding",
        plain(2, pads_begin=(1, 1), pads_end=(1, 1)),
        input=0,
    ),
    Invalid("Convolution", 1, ["f32[1,3,8]", "f32[4,3,3]"], "strides is missing", {}, attribute="strides"),
]

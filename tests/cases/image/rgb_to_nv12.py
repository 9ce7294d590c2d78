from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, u8

# by the formulas of the specification: a block of red, green, blue and white, and a block of grey
PIXELS = f32(
    [
        [
            [[255, 0, 0], [0, 255, 0], [100, 100, 100], [100, 100, 100]],
            [[0, 0, 255], [255, 255, 255], [100, 100, 100], [100, 100, 100]],
        ]
    ]
)
LUMA = f32([[[[81.535], [144.52], [101.9], [101.9]], [[40.99], [235.045], [101.9], [101.9]]]])
CHROMA = f32([[[[(90.26 + 53.795 + 239.945 + 128) / 4, (239.945 + 34.16 + 109.895 + 128) / 4], [128, 128]]]])
LUMA8 = u8([[[[82], [145], [102], [102]], [[41], [235], [102], [102]]]])
CHROMA8 = u8([[[[128, 128], [128, 128]]]])

CASES = [
    Case(
        "RGBtoNV12", 17, [PIXELS], [LUMA, CHROMA], {"single_plane": False}, name="planes", rtol=1e-4, departs="unknown"
    ),
    Case(
        "RGBtoNV12",
        17,
        [PIXELS],
        [np.concatenate([LUMA, CHROMA.reshape(1, 1, 4, 1)], axis=1)],
        name="one-plane",
        rtol=1e-4,
        departs="unknown",
    ),
    Case(
        "RGBtoNV12",
        17,
        [PIXELS.astype(np.uint8)],
        [LUMA8, CHROMA8],
        {"single_plane": False},
        name="planes-u8",
        departs="unknown",
    ),
    Case(
        "RGBtoNV12",
        17,
        [u8(np.full((1, 480, 640, 3), 0))],
        [u8(np.concatenate([np.full((1, 480, 640, 1), 16), np.full((1, 240, 640, 1), 128)], axis=1))],
        name="page-black",
        source="page",
        departs="unknown",
    ),
]

INVALID = [
    Invalid("RGBtoNV12", 17, ["u8[1,481,640,3]"], "the height of the image is 481, expected an even number", input=0),
    Invalid("RGBtoNV12", 17, ["u8[1,480,641,3]"], "the width of the image is 641, expected an even number", input=0),
    Invalid("RGBtoNV12", 17, ["u8[1,480,640,1]"], "the image has 1 channel, expected 3", input=0),
    Invalid("RGBtoNV12", 17, ["u8[480,640,3]"], "input 0 (data) has rank 3, expected 4", input=0),
]

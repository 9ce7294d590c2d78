from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, u8
from tests.cases.image.yuv_examples import NV12, RGB, RGB8, UV, Y

CASES = [
    Case("NV12toRGB", 8, [NV12], [RGB], name="one-plane", rtol=1e-4, atol=1e-3),
    Case("NV12toRGB", 8, [Y, UV], [RGB], name="planes", rtol=1e-4, atol=1e-3),
    Case("NV12toRGB", 8, [NV12.astype(np.uint8)], [RGB8], name="one-plane-u8"),
    Case("NV12toRGB", 8, [part.astype(np.uint8) for part in (Y, UV)], [RGB8], name="planes-u8"),
    Case(
        "NV12toRGB",
        8,
        [u8(np.full((1, 720, 640, 1), 128))],
        [u8(np.full((1, 480, 640, 3), 130))],
        source="page",
        name="page",
    ),
]

INVALID = [
    Invalid("NV12toRGB", 8, ["u8[1,721,640,1]"], "the height of the plane is 721, expected a multiple of 3", input=0),
    Invalid("NV12toRGB", 8, ["u8[1,720,641,1]"], "the width of the plane is 641, expected an even number", input=0),
    Invalid("NV12toRGB", 8, ["u8[1,720,640,3]"], "the plane has 3 channels, expected 1", input=0),
    Invalid("NV12toRGB", 8, ["i32[1,720,640,1]"], "input 0 (y) is i32, expected", input=0),
    Invalid(
        "NV12toRGB", 8, ["u8[1,480,640,1]", "u8[1,240,320,1]"], "the chroma plane has 1 channel, expected 2", input=1
    ),
    Invalid(
        "NV12toRGB",
        8,
        ["u8[1,480,640,1]", "u8[1,200,320,2]"],
        "height of the Y plane and twice that of the chroma plane must be the same, got 480 and 400",
        input=1,
    ),
]

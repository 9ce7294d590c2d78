from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i64

PAGE = f32(np.arange(5 * 7 * 4 * 6).reshape(5, 7, 4, 6))
TWO = f32([[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]])

CASES = [
    Case(
        "SpaceToDepth",
        1,
        [PAGE],
        [PAGE.reshape(5, 7, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(5, 28, 2, 3)],
        {"block_size": 2, "mode": "blocks_first"},
        source="page",
        name="blocks-first",
    ),
    Case(
        "SpaceToDepth",
        1,
        [TWO],
        [f32(np.reshape([0, 4, 1, 5, 2, 6, 3, 7], (1, 8, 1, 1)))],
        {"block_size": 2, "mode": "blocks_first"},
        name="blocks-first-values",
    ),
    Case(
        "SpaceToDepth",
        1,
        [TWO],
        [f32(np.arange(8).reshape(1, 8, 1, 1))],
        {"block_size": 2, "mode": "depth_first"},
        name="depth-first-values",
    ),
    Case(
        "SpaceToDepth",
        1,
        [f32([[[0, 2, 4, 1, 3, 5]]])],
        [f32([[[0, 1], [2, 3], [4, 5]]])],
        {"block_size": 3, "mode": "depth_first"},
        name="line",
    ),
    Case(
        "SpaceToDepth",
        1,
        [f32(np.arange(8).reshape(1, 1, 2, 2, 2))],
        [f32(np.arange(8).reshape(1, 8, 1, 1, 1))],
        {"block_size": 2, "mode": "blocks_first"},
        name="volume",
    ),
    Case("SpaceToDepth", 1, [TWO], [TWO], {"mode": "blocks_first"}, name="default-size"),
    Case(
        "SpaceToDepth",
        1,
        [i64([[[2**60, 1]]])],
        [i64([[[2**60], [1]]])],
        {"block_size": 2, "mode": "depth_first"},
        name="wide",
        departs="64-bit",
    ),
    Case(
        "SpaceToDepth",
        1,
        [f32(np.zeros((0, 1, 2, 2)))],
        [f32(np.zeros((0, 4, 1, 1)))],
        {"block_size": 2, "mode": "depth_first"},
        name="empty",
    ),
]

INVALID = [
    Invalid(
        "SpaceToDepth",
        1,
        [PAGE],
        "axis 2 of size 4 does not divide into blocks of 3",
        {"block_size": 3, "mode": "depth_first"},
        attribute="block_size",
    ),
    Invalid("SpaceToDepth", 1, [f32([[1]])], "data have rank 2, expected 3 or more", {"mode": "depth_first"}, input=0),
    Invalid(
        "SpaceToDepth",
        1,
        [PAGE],
        "block_size is -2, expected >= 1",
        {"block_size": -2, "mode": "depth_first"},
        attribute="block_size",
    ),
    Invalid("SpaceToDepth", 1, [PAGE], "mode is missing; SpaceToDepth requires it", attribute="mode"),
]

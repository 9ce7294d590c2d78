from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i64

PAGE = f32(np.arange(5 * 28 * 2 * 3).reshape(5, 28, 2, 3))
EIGHT = f32([[[[0]], [[1]], [[2]], [[3]], [[4]], [[5]], [[6]], [[7]]]])

CASES = [
    Case(
        "DepthToSpace",
        1,
        [PAGE],
        [PAGE.reshape(5, 2, 2, 7, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(5, 7, 4, 6)],
        {"block_size": 2, "mode": "blocks_first"},
        source="page",
        name="blocks-first",
    ),
    Case(
        "DepthToSpace",
        1,
        [EIGHT],
        [f32([[[[0, 2], [4, 6]], [[1, 3], [5, 7]]]])],
        {"block_size": 2, "mode": "blocks_first"},
        name="blocks-first-values",
    ),
    Case(
        "DepthToSpace",
        1,
        [EIGHT],
        [f32([[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]])],
        {"block_size": 2, "mode": "depth_first"},
        name="depth-first-values",
    ),
    Case(
        "DepthToSpace",
        1,
        [f32([[[0, 1], [2, 3], [4, 5]]])],
        [f32([[[0, 2, 4, 1, 3, 5]]])],
        {"block_size": 3, "mode": "depth_first"},
        name="line",
    ),
    Case(
        "DepthToSpace",
        1,
        [f32(np.arange(8).reshape(1, 8, 1, 1, 1))],
        [f32(np.arange(8).reshape(1, 1, 2, 2, 2))],
        {"block_size": 2, "mode": "blocks_first"},
        name="volume",
    ),
    Case("DepthToSpace", 1, [EIGHT], [EIGHT], {"mode": "depth_first"}, name="default-size"),
    Case(
        "DepthToSpace",
        1,
        [i64([[[2**60], [1]]])],
        [i64([[[2**60, 1]]])],
        {"block_size": 2, "mode": "depth_first"},
        name="wide",
        departs="64-bit",
    ),
    Case(
        "DepthToSpace",
        1,
        [f32(np.zeros((0, 4, 1, 1)))],
        [f32(np.zeros((0, 1, 2, 2)))],
        {"block_size": 2, "mode": "depth_first"},
        name="empty",
    ),
]

INVALID = [
    Invalid(
        "DepthToSpace",
        1,
        [PAGE],
        "28 channels do not divide into blocks of 9",
        {"block_size": 3, "mode": "depth_first"},
        attribute="block_size",
    ),
    Invalid("DepthToSpace", 1, [f32([[1]])], "data have rank 2, expected 3 or more", {"mode": "depth_first"}, input=0),
    Invalid(
        "DepthToSpace",
        1,
        [PAGE],
        "block_size is 0, expected >= 1",
        {"block_size": 0, "mode": "depth_first"},
        attribute="block_size",
    ),
    Invalid("DepthToSpace", 1, [PAGE], "mode is missing; DepthToSpace requires it", attribute="mode"),
]

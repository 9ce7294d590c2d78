from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i64

CASES = [
    Case(
        "ReorgYolo",
        2,
        [f32(np.arange(16).reshape(1, 4, 2, 2))],
        # Read as [1, 1, 4, 4]: every second column of every second row, for each of four offsets.
        [f32([[0, 2, 8, 10], [1, 3, 9, 11], [4, 6, 12, 14], [5, 7, 13, 15]]).reshape(1, 16, 1, 1)],
        {"stride": 2},
        name="stride 2",
    ),
    Case(
        "ReorgYolo",
        2,
        [i64(np.arange(2**60, 2**60 + 32).reshape(2, 4, 2, 2))],
        [
            i64([0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15]).reshape(16, 1, 1)
            + i64([2**60, 2**60 + 16]).reshape(2, 1, 1, 1)
        ],
        {"stride": 2},
        name="two batches of large integers",
        departs="64-bit",
    ),
    Case(
        "ReorgYolo",
        2,
        [f32(np.arange(32).reshape(1, 8, 2, 2))],
        [f32(np.arange(32).reshape(2, 2, 2, 2, 2).transpose(2, 4, 0, 1, 3).reshape(1, 32, 1, 1))],
        {"stride": 2},
        name="two planes",
    ),
    Case(
        "ReorgYolo",
        2,
        [f32(np.arange(6).reshape(1, 2, 1, 3))],
        [f32(np.arange(6).reshape(1, 2, 1, 3))],
        {"stride": 1},
        name="stride 1",
    ),
    Case("ReorgYolo", 2, [f32(np.zeros((0, 4, 2, 2)))], [f32(np.zeros((0, 16, 1, 1)))], {"stride": 2}, name="empty"),
    Case("ReorgYolo", 2, [f32(np.zeros((1, 64, 26, 26)))], [f32(np.zeros((1, 256, 13, 13)))], {"stride": 2}, "page"),
]

INVALID = [
    Invalid("ReorgYolo", 2, ["f32[1,3,4,4]"], "data has 3 channels, expected at least 4", {"stride": 2}, input=0),
    Invalid(
        "ReorgYolo", 2, ["f32[1,4,5,4]"], "data has height 5, expected a multiple of stride (2)", {"stride": 2}, input=0
    ),
    Invalid(
        "ReorgYolo", 2, ["f32[1,4,4,5]"], "data has width 5, expected a multiple of stride (2)", {"stride": 2}, input=0
    ),
    Invalid("ReorgYolo", 2, ["f32[4,4,4]"], "has rank 3, expected 4", {"stride": 2}, input=0),
    Invalid("ReorgYolo", 2, ["f32[1,4,4,4]"], "stride is 0, expected > 0", {"stride": 0}, attribute="stride"),
    Invalid("ReorgYolo", 2, ["f32[1,4,4,4]"], "stride is missing"),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

BLOCK = f32(np.arange(2 * 12 * 2 * 3).reshape(2, 12, 2, 3))

CASES = [
    Case(
        "ShuffleChannels",
        1,
        [BLOCK],
        [BLOCK[:, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]]],
        {"group": 3, "axis": 1},
        name="channels",
    ),
    Case(
        "ShuffleChannels", 1, [i32([0, 1, 2, 3, 4, 5])], [i32([0, 3, 1, 4, 2, 5])], {"group": 2, "axis": 0}, name="line"
    ),
    Case("ShuffleChannels", 1, [f32([[0, 1, 2, 3]])], [f32([[0, 2, 1, 3]])], {"group": 2, "axis": -1}, name="last"),
    Case("ShuffleChannels", 1, [f32([[1, 2]])], [f32([[1, 2]])], {"axis": 1}, name="one-group"),
    Case(
        "ShuffleChannels",
        1,
        [i64([[2**60], [1]])],
        [i64([[2**60], [1]])],
        {"axis": 0, "group": 2},
        name="wide",
        departs="64-bit",
    ),
    Case("ShuffleChannels", 1, [f32(np.zeros((0, 4)))], [f32(np.zeros((0, 4)))], {"group": 2, "axis": 1}, name="empty"),
]

INVALID = [
    Invalid(
        "ShuffleChannels",
        1,
        [BLOCK],
        "12 channels do not divide into 5 groups",
        {"group": 5, "axis": 1},
        attribute="group",
    ),
    Invalid("ShuffleChannels", 1, [BLOCK], "axis 4 is outside a tensor of rank 4", {"axis": 4}, attribute="axis"),
    Invalid("ShuffleChannels", 1, [BLOCK], "group is 0, expected >= 1", {"group": 0}, attribute="group"),
    Invalid("ShuffleChannels", 1, [f32(1)], "data is a scalar, expected rank 1 or more", input=0),
]

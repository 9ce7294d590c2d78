from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64

CASES = [
    Case(
        "FakeConvert",
        13,
        [f32([1.1, -17, 3e-3, 1e-4, 1000, -1e6]), f32(1)],
        [f32([1.125, -16, 0.00390625, 0, 448, -448])],
        {"destination_type": "f8e4m3"},
        name="f8e4m3",
    ),
    Case(
        "FakeConvert",
        13,
        [f32([1.1, -17, 3e-3, 1.5e-5, 61000, -1e6]), f32(1)],
        [f32([1, -16, 0.0029296875, 1.52587890625e-05, 57344, -57344])],
        {"destination_type": "f8e5m2"},
        name="f8e5m2",
    ),
    Case(
        "FakeConvert",
        13,
        [f32([[10, 20], [-3, 9]]), f32([0.5, 2]), f32([1, -1])],
        [f32([[10, 19.5], [-3, 9.5]])],
        {"destination_type": "f8e5m2"},
        name="shift",
    ),
    Case(
        "FakeConvert",
        13,
        [f32([1.0626, 1.1252]), f32(1)],
        [f32([1, 1.125])],
        {"destination_type": "f8e4m3"},
        name="halfway_in_f16",
    ),
    Case(
        "FakeConvert",
        13,
        [f32(np.nan), f32(2)],
        [f32(np.nan)],
        {"destination_type": "f8e4m3"},
        name="nan",
        departs="nan",
    ),
]
INVALID = [
    Invalid(
        "FakeConvert",
        13,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "scale [3] does not broadcast to data [1,2]",
        {"destination_type": "f8e4m3"},
        input=1,
    ),
    Invalid(
        "FakeConvert",
        13,
        [f32([1]), f32([[1]])],
        "scale [1,1] does not broadcast to data [1]",
        {"destination_type": "f8e4m3"},
        input=1,
    ),
    Invalid(
        "FakeConvert",
        13,
        [f32([1, 2]), f32([1, 2]), f32(0)],
        "shift has shape [], expected that of scale, [2]",
        {"destination_type": "f8e4m3"},
        input=2,
    ),
    Invalid(
        "FakeConvert",
        13,
        [f64([1]), f64([1])],
        "input 0 (data) is f64, expected",
        {"destination_type": "f8e4m3"},
        input=0,
    ),
    Invalid("FakeConvert", 13, [f32([1]), f32([1])], "destination_type is missing", attribute="destination_type"),
]

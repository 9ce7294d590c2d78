from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

_STEPS = f32([-3, -2, -1.5, -0.6, 0, 0.5, 1.4, 2, 9])
_LIMITS = [f32(-2), f32(2), f32(-4), f32(4)]

CASES = [
    Case("FakeQuantize", 1, [_STEPS, *_LIMITS], [f32([-4, -4, -4, -2, 0, 0, 2, 4, 4])], {"levels": 5}),
    Case(
        "FakeQuantize",
        1,
        [f32([-1, 0.5, 0.6]), f32(0.5), f32(0.5), f32(-1), f32(1)],
        [f32([-1, -1, 1])],
        {"levels": 2},
        name="threshold",
    ),
    Case(
        "FakeQuantize",
        1,
        [f32([[[0.4]], [[0.4]]]), f32([[[0]]]), f32([[[1]], [[4]]]), f32(0), f32([[[10]], [[20]]])],
        [f32([[[5]], [[0]]])],
        {"levels": 3},
        name="channel",
    ),
    Case(
        "FakeQuantize",
        1,
        [f32([0.2, 1.7]), f32(2), f32(0), f32(0), f32(1)],
        [f32([1, 0])],
        {"levels": 3},
        name="reversed_input",
    ),
    Case(
        "FakeQuantize",
        1,
        [f32([0.2, 1.7]), f32(0), f32(2), f32(1), f32(0)],
        [f32([1, 0])],
        {"levels": 3},
        name="reversed_output",
    ),
    Case(
        "FakeQuantize",
        1,
        [f32([[0.2], [1.7]]), *[f32([[0, 0]]).T, f32([[2, 1]]).T] * 2],
        [f32([[0], [1]])],
        {"levels": 3, "auto_broadcast": "none"},
        name="none",
    ),
    Case(
        "FakeQuantize",
        1,
        [f32([[0.2, 0.2], [1.7, 1.7]]), f32([0, 0]), f32([2, 1]), f32([0, 0]), f32([2, 1])],
        [f32([[0, 0], [1, 1]])],
        {"levels": 2, "auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
        oracle="the native plugin reads pdpd as numpy",
    ),
    Case(
        "FakeQuantize",
        1,
        [f32([0.3]), *[f32([[[0]]]), f32([[[1]]])] * 2],
        [f32([0.5])],
        {"levels": 3},
        name="ones_in_front",
    ),
    Case(
        "FakeQuantize",
        1,
        [f64([0.3]), *[f64(0), f64(1)] * 2],
        [f64([1 / 3])],
        {"levels": 4},
        name="f64",
        rtol=1e-12,
    ),
    Case(
        "FakeQuantize",
        1,
        [f32(np.nan), *_LIMITS],
        [f32(np.nan)],
        {"levels": 5},
        name="nan",
        oracle="the native plugin gives the lower limit",
    ),
    Case("FakeQuantize", 1, [f32(np.zeros((0, 2))), *_LIMITS], [f32(np.zeros((0, 2)))], {"levels": 5}, name="empty"),
]
INVALID = [
    Invalid("FakeQuantize", 1, [f32([1]), *_LIMITS], "levels is 1, expected >= 2", {"levels": 1}, attribute="levels"),
    Invalid("FakeQuantize", 1, [f32([1]), *_LIMITS], "levels is missing", attribute="levels"),
    Invalid(
        "FakeQuantize",
        1,
        [f32([[1, 2]]), f32([1, 2, 3]), *_LIMITS[1:]],
        "input_low [3] does not broadcast to [1,2]",
        {"levels": 5},
        input=1,
    ),
    Invalid(
        "FakeQuantize",
        1,
        ["f32[?,2]", *_LIMITS[:3], f32([1, 2, 3])],
        "output_high [3] does not broadcast to [?,2]",
        {"levels": 5},
        input=4,
    ),
    Invalid(
        "FakeQuantize",
        1,
        [f32([1]), *_LIMITS],
        "input_low [] is not of the shape [1]; auto_broadcast is none",
        {"levels": 5, "auto_broadcast": "none"},
        input=1,
    ),
    Invalid("FakeQuantize", 1, [f32([1]), i32(1), *_LIMITS[1:]], "both must have one type T_F", {"levels": 5}, input=1),
]

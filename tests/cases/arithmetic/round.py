from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i64

_HALVES = f32([-4.5, -1.9, -1.5, 0.5, 0.9, 1.5, 2.3, 2.5])

CASES = [
    Case(
        "Round", 5, [_HALVES], [f32([-4, -2, -2, 0, 1, 2, 2, 2])], {"mode": "half_to_even"}, source="page", name="even"
    ),
    Case(
        "Round",
        5,
        [_HALVES],
        [f32([-5, -2, -2, 1, 1, 2, 2, 3])],
        {"mode": "half_away_from_zero"},
        source="page",
        name="away",
    ),
    Case("Round", 5, [f32([2.5, np.inf, np.nan])], [f32([2, np.inf, np.nan])], name="default"),
    Case(
        *(
            "Round",
            5,
            [f32([0.49999997, -0.49999997, 8388609])],
            [f32([0, -0.0, 8388609])],
            {"mode": "half_away_from_zero"},
        ),
        name="away_exact",
        departs="away",
    ),
    Case(
        "Round",
        5,
        [i64([-3, 2**53 + 1])],
        [i64([-3, 2**53 + 1])],
        {"mode": "half_away_from_zero"},
        name="integers",
        departs="64-bit",
    ),
]
INVALID = [
    Invalid("Round", 5, ["string[1]"], "input 0 (data) is string, expected any numeric type", input=0),
]

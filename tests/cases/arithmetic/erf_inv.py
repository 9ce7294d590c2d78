from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

CASES = [
    Case(
        "ErfInv",
        17,
        [f32([0, 1, -1, 1.5, -2])],
        [f32([0, np.inf, -np.inf, np.nan, np.nan])],
        source="page",
        name="special",
    ),
    Case(
        "ErfInv",
        17,
        [f32([-0.5, 0.1, 0.5, 0.9])],
        [f32([-0.4769362762044699, 0.08885599049425769, 0.4769362762044699, 1.1630871536766743])],
        name="values",
        rtol=1e-6,
    ),
    Case(
        *(
            "ErfInv",
            17,
            [f32([0.99, 0.999, -0.99999, 1e-30])],
            [f32([1.8213864, 2.3267562, -3.12320577, 8.862269e-31])],
        ),
        name="tails",
        rtol=2e-6,
        departs="tails",
    ),
    Case(
        *(
            "ErfInv",
            17,
            [f64([0.5, 0.9, 1 - 2.0**-53, 1e-300])],
            [f64([0.4769362762044699, 1.1630871536766743, 5.863584748755168, 8.862269254527581e-301])],
        ),
        name="f64",
        rtol=3e-15,
        atol=0,
        departs="f64",
    ),
    Case("ErfInv", 17, [f32(0.5)], [f32(0.4769362762044699)], name="scalar"),
    Case(
        "ErfInv",
        17,
        [f32(np.zeros((2, 0)))],
        [f32(np.zeros((2, 0)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("ErfInv", 17, [i32([1])], "input 0 (data) is i32, expected any float type", input=0),
]

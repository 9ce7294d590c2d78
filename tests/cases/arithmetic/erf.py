from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32

CASES = [
    Case(
        "Erf",
        1,
        [f32([-0.5, 0.0, 1e-4, 0.25, 1.0, 3.0])],
        [
            f32(
                [
                    -0.5204998778130465,
                    0.0,
                    0.00011283791633342489,
                    0.27632639016823696,
                    0.8427007929497149,
                    0.9999779095030014,
                ]
            )
        ],
        name="values",
    ),
    Case("Erf", 1, [i32([-3, -1, 0, 1, 2])], [i32([-1, -1, 0, 1, 1])], name="integers"),
    Case("Erf", 1, [f32([np.inf, -np.inf, np.nan, 10.0, -4.5])], [f32([1.0, -1.0, np.nan, 1.0, -1.0])], name="special"),
    Case(
        "Erf",
        1,
        [f64([1e-9, 0.5, 2.0, 5.0, 7.0])],
        [f64([1.1283791670955127e-09, 0.5204998778130465, 0.9953222650189527, 0.9999999999984626, 1.0])],
        name="f64",
        rtol=1e-15,
    ),
    Case("Erf", 1, [f32(-0.5)], [f32(-0.5204998778130465)], name="scalar"),
    Case(
        "Erf",
        1,
        [f32(np.zeros((0, 3)))],
        [f32(np.zeros((0, 3)))],
        name="empty",
    ),
]
INVALID = [
    Invalid("Erf", 1, [boolean([True])], "input 0 (data) is boolean, expected any numeric type", input=0),
]

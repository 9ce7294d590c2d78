from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32, i64

_DATA = f32([[3, 0], [4, 2]])

CASES = [
    Case(
        "NormalizeL2",
        1,
        [_DATA, i64([0])],
        [f32([[0.6, 0], [0.8, 1]])],
        {"eps": 1e-9, "eps_mode": "add"},
        name="first",
    ),
    Case(
        "NormalizeL2",
        1,
        [_DATA, i64([1])],
        [f32([[3 / np.sqrt(13), 0], [4 / np.sqrt(24), 2 / np.sqrt(24)]])],
        {"eps": 4.0, "eps_mode": "add"},
        name="add",
    ),
    Case(
        "NormalizeL2",
        1,
        [_DATA, i64([-1])],
        [f32([[0.75, 0], [4 / np.sqrt(20), 2 / np.sqrt(20)]])],
        {"eps": 16.0, "eps_mode": "max"},
        name="max",
    ),
    Case(
        "NormalizeL2",
        1,
        [_DATA, i32([0, 1])],
        [_DATA / np.sqrt(f32(29))],
        {"eps": 0.0, "eps_mode": "add"},
        name="all",
    ),
    Case(
        "NormalizeL2",
        1,
        [_DATA, i64(1)],
        [f32([[1, 0], [4 / np.sqrt(20), 2 / np.sqrt(20)]])],
        {"eps": 1e-9, "eps_mode": "max"},
        name="scalar_axis",
    ),
    Case(
        "NormalizeL2",
        1,
        [f32([[3, 0], [-4, 2]]), i64([])],
        [f32([[1, 0], [1, 1]])],
        {"eps": 1e-3, "eps_mode": "add"},
        name="no_axes",
    ),
    Case(
        "NormalizeL2",
        1,
        [f32([[np.nan, 0], [4, 2]]), i64([-1])],
        [f32([[np.nan, np.nan], [4 / np.sqrt(20), 2 / np.sqrt(20)]])],
        {"eps": 16.0, "eps_mode": "max"},
        name="beside NaN",
        departs="beside nan",
    ),
    Case("NormalizeL2", 1, [f64([[3, 4]]), i64([1])], [f64([[0.6, 0.8]])], {"eps": 0.0, "eps_mode": "max"}, name="f64"),
]
INVALID = [
    Invalid(
        "NormalizeL2",
        1,
        [_DATA, i64([2])],
        "axis 2 is outside a tensor of rank 2",
        {"eps": 1.0, "eps_mode": "add"},
        input=1,
    ),
    Invalid(
        "NormalizeL2",
        1,
        [_DATA, i64([[1]])],
        "input 1 (axes) has rank 2, expected 0 or 1",
        {"eps": 1.0, "eps_mode": "add"},
        input=1,
    ),
    Invalid("NormalizeL2", 1, [_DATA, i64([1])], "eps_mode is missing", {"eps": 1.0}, attribute="eps_mode"),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32, i64

_DATA = f32(np.arange(1, 6).reshape(1, 5, 1, 1))

CASES = [
    Case(
        "LRN",
        1,
        [_DATA, i64([1])],
        [_DATA / (1 + f32([5, 14, 29, 50, 41]).reshape(1, 5, 1, 1))],
        {"alpha": 3.0, "beta": 1.0, "bias": 1.0, "size": 3},
    ),
    Case(
        "LRN",
        1,
        [_DATA, i64([-3])],
        [_DATA / np.sqrt(2 + 0.2 * f32([14, 30, 55, 54, 50]).reshape(1, 5, 1, 1))],
        {"alpha": 1.0, "beta": 0.5, "bias": 2.0, "size": 5},
        name="root",
        departs="axes",
    ),
    Case(
        "LRN",
        1,
        [f32([[[[1, 2], [3, 4]]]]), i64([2, 3])],
        [f32([[[[1, 2], [3, 4]]]]) / 61],
        {"alpha": 18.0, "beta": 1.0, "bias": 1.0, "size": 3},
        name="two_axes",
    ),
    Case(
        "LRN",
        1,
        [_DATA, i32([1])],
        [_DATA / f32([5, 14, 29, 50, 41]).reshape(1, 5, 1, 1)],
        {"alpha": 2.0, "beta": 1.0, "bias": 0.0, "size": 2},
        name="even_size",
        departs="even size",
    ),
    Case(
        "LRN",
        1,
        [f64([[1, 2]]), i64([1])],
        [f64([[1, 2]]) / 6],
        {"alpha": 9.0, "beta": 1.0, "bias": 1.0, "size": 9},
        name="wide_f64",
    ),
    Case(
        "LRN",
        1,
        [f32(np.zeros((1, 0, 2))), i64([1])],
        [f32(np.zeros((1, 0, 2)))],
        {"alpha": 1.0, "beta": 1.0, "bias": 1.0, "size": 3},
        name="empty",
    ),
    Case(
        "LRN",
        1,
        [_DATA, i64([1])],
        [_DATA / (1.5 + f32([5, 14, 29, 50, 41]).reshape(1, 5, 1, 1))],
        {"alpha": 3.0, "beta": 1.0, "bias": 1.5, "size": 3},
        name="fraction_of_bias",
        departs="bias",
    ),
    Case(
        "LRN",
        1,
        [_DATA, i64([])],
        [_DATA / (1 + 3 * _DATA**2)],
        {"alpha": 3.0, "beta": 1.0, "bias": 1.0, "size": 3},
        name="no_axes",
        departs="no axes",
    ),
]
INVALID = [
    Invalid(
        "LRN",
        1,
        [_DATA, i64([4])],
        "axis 4 is outside a tensor of rank 4",
        {"alpha": 1.0, "beta": 1.0, "bias": 1.0, "size": 3},
        input=1,
    ),
    Invalid(
        "LRN",
        1,
        [_DATA, i64(1)],
        "input 1 (axes) has rank 0, expected 1",
        {"alpha": 1.0, "beta": 1.0, "bias": 1.0, "size": 3},
        input=1,
    ),
    Invalid(
        "LRN",
        1,
        ["f32[1,2]", "i64[3]"],
        "got 3 axes for a tensor of rank 2",
        {"alpha": 1.0, "beta": 1.0, "bias": 1.0, "size": 3},
        input=1,
    ),
    Invalid(
        "LRN",
        1,
        [_DATA, i64([1])],
        "size is 0, expected >= 1",
        {"alpha": 1.0, "beta": 1.0, "bias": 1.0, "size": 0},
        attribute="size",
    ),
]

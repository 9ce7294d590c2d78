from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32, i64

_DATA = f32([[[1, 3], [10, 14]]])
_SPREAD = {"normalize_variance": True, "eps": 3.0}
_CENTRED = {"normalize_variance": False, "eps": 1e-9}

CASES = [
    Case("MVN", 2, [_DATA], [f32([[[-0.5, 0.5], [-2 / np.sqrt(7), 2 / np.sqrt(7)]]])], _SPREAD, name="channels"),
    Case("MVN", 2, [_DATA], [f32([[[-6, -4], [3, 7]]])], {**_CENTRED, "across_channels": True}, name="across_channels"),
    Case("MVN", 2, [_DATA], [f32([[[-6, -4], [3, 7]]])], {**_CENTRED, "reduction_axes": (-1, 1)}, name="axes"),
    Case(
        "MVN",
        2,
        [_DATA],
        [f32([[[-4.5, -5.5], [4.5, 5.5]]])],
        {**_CENTRED, "across_channels": False, "reduction_axes": (1,)},
        name="both",
        departs="reduction_axes",
    ),
    Case(
        "MVN",
        6,
        [f32([[1, 3]]), i64([])],
        [f32([[0, 0]])],
        {**_CENTRED, "eps_mode": "inside_sqrt"},
        name="no axes",
        departs="no axes",
    ),
    Case(
        "MVN",
        6,
        [_DATA, i64([2])],
        [f32([[[-0.5, 0.5], [-2 / np.sqrt(7), 2 / np.sqrt(7)]]])],
        {**_SPREAD, "eps_mode": "inside_sqrt"},
        name="inside",
    ),
    Case(
        "MVN",
        6,
        [_DATA, i64([2])],
        [f32([[[-0.25, 0.25], [-0.4, 0.4]]])],
        {**_SPREAD, "eps_mode": "outside_sqrt"},
        name="outside",
    ),
    Case(
        "MVN",
        6,
        [_DATA, i32([-1, -2])],
        [f32([[[-6, -4], [3, 7]]])],
        {**_CENTRED, "eps_mode": "inside_sqrt"},
        name="centred",
    ),
    Case(
        "MVN",
        6,
        [f32([[0, 5], [2, 7]]), i64([0])],
        [f32([[-1, -1], [1, 1]])],
        {"normalize_variance": True, "eps": 0.0, "eps_mode": "inside_sqrt"},
        name="outer",
        rtol=1e-4,
    ),
    Case(
        "MVN",
        6,
        [f32(np.full((2, 3), 7)), i64([1])],
        [f32(np.zeros((2, 3)))],
        {"normalize_variance": True, "eps": 1e-5, "eps_mode": "inside_sqrt"},
        name="constant_data",
    ),
    Case(
        "MVN",
        6,
        [f64([[1e8, 1e8 + 2]]), i64([1])],
        [f64([[-1, 1]])],
        {"normalize_variance": True, "eps": 0.0, "eps_mode": "outside_sqrt"},
        name="f64",
        departs="f64",
    ),
    Case(
        "MVN",
        6,
        [f32(np.zeros((2, 0))), i64([1])],
        [f32(np.zeros((2, 0)))],
        {"normalize_variance": True, "eps": 1.0, "eps_mode": "inside_sqrt"},
        name="empty",
    ),
]
INVALID = [
    Invalid(
        "MVN",
        2,
        [_DATA],
        "axis 3 is outside a tensor of rank 3",
        {**_SPREAD, "reduction_axes": (3,)},
        attribute="reduction_axes",
    ),
    Invalid("MVN", 2, [_DATA], "eps is missing", {"normalize_variance": True}, attribute="eps"),
    Invalid(
        "MVN",
        6,
        [_DATA, i64([-4])],
        "axis -4 is outside a tensor of rank 3",
        {**_SPREAD, "eps_mode": "inside_sqrt"},
        input=1,
    ),
    Invalid(
        "MVN",
        6,
        [_DATA, i64(1)],
        "input 1 (axes) has rank 0, expected 1",
        {**_SPREAD, "eps_mode": "inside_sqrt"},
        input=1,
    ),
    Invalid(
        "MVN",
        6,
        [_DATA, "i64[4]"],
        "got 4 axes for a tensor of rank 3",
        {**_SPREAD, "eps_mode": "inside_sqrt"},
        input=1,
    ),
    Invalid(
        "MVN",
        6,
        [_DATA, "string[1]"],
        "input 1 (axes) is string, expected any integer type",
        {**_SPREAD, "eps_mode": "inside_sqrt"},
        input=1,
    ),
]

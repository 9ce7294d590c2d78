from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32

_TYPE = "ExperimentalDetectronPriorGridGenerator"
_PRIORS = f32([[-1, -2, 1, 2], [-4, -3, 4, 3]])
_MAP = f32(np.zeros((1, 5, 2, 3)))
_IMAGE = f32(np.zeros((1, 3, 8, 18)))


def _moved(y: float, x: float) -> list[list[float]]:
    """Return both priors around a center."""
    return [[x - 1, y - 2, x + 1, y + 2], [x - 4, y - 3, x + 4, y + 3]]


_GRID = [[_moved(2, 3), _moved(2, 9), _moved(2, 15)], [_moved(6, 3), _moved(6, 9), _moved(6, 15)]]

CASES = [
    Case(_TYPE, 6, [_PRIORS, _MAP, _IMAGE], [f32(_GRID).reshape(12, 4)], {"flatten": True}, name="2D"),
    Case(_TYPE, 6, [_PRIORS, _MAP, _IMAGE], [f32(_GRID)], {"flatten": False}, name="4D"),
    Case(
        _TYPE,
        6,
        [_PRIORS, _MAP, _IMAGE],
        [
            f32(
                [
                    [_moved(0.5, 1), _moved(0.5, 3), _moved(0.5, 5)],
                    [_moved(1.5, 1), _moved(1.5, 3), _moved(1.5, 5)],
                ]
            )
        ],
        {"flatten": False, "h": 2, "w": 3, "stride_x": 2.0, "stride_y": 1.0},
        name="strides",
    ),
    Case(
        _TYPE,
        6,
        [_PRIORS, _MAP, _IMAGE],
        [f32([*_moved(4, 4.5), *_moved(4, 13.5), *[[0, 0, 0, 0]] * 8])],
        {"h": 1, "w": 2},
        name="a smaller grid",
        departs="undefined",
    ),
    Case(
        _TYPE,
        6,
        [f32(np.zeros((0, 4))), _MAP, _IMAGE],
        [f32(np.zeros((2, 3, 0, 4)))],
        {"flatten": False},
        name="no priors",
    ),
]

INVALID = [
    Invalid(
        _TYPE,
        6,
        ["f32[3,5]", "f32[1,2,4,5]", "f32[1,3,64,80]"],
        "the last size of priors is 5, expected 4",
        input=0,
    ),
    Invalid(
        _TYPE,
        6,
        ["f32[3,4]", "f32[2,2,4,5]", "f32[1,3,64,80]"],
        "the numbers of batches of feature_map and im_data must be the same, got 2 and 1",
        input=2,
    ),
    Invalid(_TYPE, 6, ["f32[3,4]", "f32[2,4,5]", "f32[1,3,64,80]"], "has rank 3, expected 4", input=1),
    Invalid(
        _TYPE,
        6,
        ["f32[3,4]", "f32[1,2,4,5]", "f32[1,3,64,80]"],
        "stride_x is -1.0",
        {"stride_x": -1.0},
        attribute="stride_x",
    ),
]

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, f64

_LOG = np.log


def _attributes(**others: Any) -> dict[str, Any]:
    return {"axis": 1, "end_axis": 3, "coords": 4, "classes": 2, "num": 1, **others}


def _channels(*values: float) -> Array:
    return f32(values).reshape(1, -1, 1, 1)


# x, y, w, h, objectness, two classes: the sigmoid of log(3) is 3/4, the softmax of log(1), log(3) is 1/4, 3/4.
_REGION = _channels(0, _LOG(3), 5, -5, -_LOG(3), 0, _LOG(3))

CASES = [
    Case(
        "RegionYolo",
        1,
        [_REGION],
        [f32([[0.5, 0.75, 5, -5, 0.25, 0.25, 0.75]])],
        _attributes(do_softmax=True),
        name="as in YOLO v2",
    ),
    Case(
        "RegionYolo",
        1,
        [_REGION],
        [_channels(0.5, 0.75, 5, -5, 0.25, 0.5, 0.75)],
        _attributes(do_softmax=False, mask=(0,)),
        name="as in YOLO v3",
    ),
    Case(
        "RegionYolo",
        1,
        [np.concatenate([_REGION, _channels(7, 7)], axis=1)],
        [_channels(0.5, 0.75, 5, -5, 0.25, 0.5, 0.75)],
        _attributes(do_softmax=False, mask=(2,), num=9),
        name="mask of fewer regions than there are",
    ),
    Case(
        "RegionYolo",
        1,
        [f32(np.zeros((1, 125, 13, 13)))],
        [f32(np.tile(np.repeat([0.5, 0, 0.5, 0.05], np.array([2, 2, 1, 20]) * 169), 5).reshape(1, 21125))],
        {
            "anchors": (1.08, 1.19, 3.42, 4.41, 6.63, 11.38, 9.42, 5.11, 16.62, 10.52),
            "axis": 1,
            "end_axis": 3,
            "coords": 4,
            "classes": 20,
            "num": 5,
            "do_softmax": True,
        },
        "page",
        "YOLO v2",
    ),
    Case(
        "RegionYolo",
        1,
        [f32(np.zeros((1, 255, 26, 26)))],
        [f32(np.tile(np.repeat([0.5, 0, 0.5], np.array([2, 2, 81]) * 676), 3).reshape(1, 255, 26, 26))],
        {
            "anchors": (10, 14, 23, 27, 37, 58, 81, 82, 135, 169, 344, 319),
            "axis": 1,
            "end_axis": 3,
            "coords": 4,
            "classes": 80,
            "num": 6,
            "do_softmax": False,
            "mask": (0, 1, 2),
        },
        "page",
        "YOLO v3",
    ),
    Case(
        "RegionYolo",
        1,
        [f64(np.zeros((2, 14, 1, 2)))],
        [f64(np.tile([0.5, 0.5, 0, 0, 0.5, 0.5, 0.5], 4).reshape(2, 14, 1).repeat(2, axis=2))],
        _attributes(do_softmax=True, num=2, end_axis=-2),
        name="two regions, flattened in part",
    ),
]

INVALID = [
    Invalid(
        "RegionYolo", 1, ["f32[1,7,1,1]"], "axis 4 is outside a tensor of rank 4", _attributes(axis=4), attribute="axis"
    ),
    Invalid(
        "RegionYolo",
        1,
        ["f32[1,7,1,1]"],
        "axis -5 is outside a tensor of rank 4",
        _attributes(end_axis=-5),
        attribute="end_axis",
    ),
    Invalid(
        "RegionYolo",
        1,
        ["f32[1,7,1,1]"],
        "data has 7 channels, expected 14: coords + classes + 1 for each of 2 regions (num)",
        _attributes(num=2),
        input=0,
    ),
    Invalid("RegionYolo", 1, ["f32[1,7,1]"], "has rank 3, expected 4", _attributes(), input=0),
    Invalid("RegionYolo", 1, ["i32[1,7,1,1]"], "input 0 (data) is i32", _attributes(), input=0),
    Invalid("RegionYolo", 1, ["f32[1,7,1,1]"], "num is missing", {"axis": 1, "end_axis": 3, "coords": 4, "classes": 2}),
]

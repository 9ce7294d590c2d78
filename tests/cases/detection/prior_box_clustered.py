from __future__ import annotations

from itertools import chain

import numpy as np

from tests.cases import Array, Case, Invalid, f32, i32, i64

_CELL = [i64([1, 1]), i64([100, 200])]


def _rows(*boxes: list[float], variance: tuple[float, ...] = (0.1, 0.1, 0.1, 0.1)) -> list[Array]:
    """Return the output for boxes [center x, center y, width, height] in a 200 x 100 image."""
    corners = [[(x - w / 2) / 200, (y - h / 2) / 100, (x + w / 2) / 200, (y + h / 2) / 100] for x, y, w, h in boxes]
    return [f32([list(chain.from_iterable(corners)), list(variance) * len(boxes)])]


CASES = [
    Case(
        "PriorBoxClustered",
        1,
        _CELL,
        _rows([100, 50, 20, 10], [100, 50, 40, 60], variance=(0.1, 0.1, 0.2, 0.2)),
        {"width": (20.0, 40.0), "height": (10.0, 60.0), "offset": 0.5, "variance": (0.1, 0.1, 0.2, 0.2), "clip": False},
        name="cells of the image",
    ),
    Case(
        "PriorBoxClustered",
        1,
        [i32([1, 2]), i32([100, 200])],
        _rows([4, 4, 20, 10], [20, 4, 20, 10], variance=(0.3,) * 4),
        {"width": (20.0,), "height": (10.0,), "step": 16.0, "offset": 0.25, "variance": (0.3,), "clip": False},
        name="step and offset",
    ),
    Case(
        "PriorBoxClustered",
        1,
        [i64([2, 1]), i64([100, 200])],
        _rows([10, 15, 20, 10], [10, 45, 20, 10]),
        {
            "width": (20.0,),
            "height": (10.0,),
            "step_w": 20.0,
            "step_h": 30.0,
            "step": 7.0,
            "offset": 0.5,
            "clip": False,
        },
        name="step_w and step_h",
    ),
    Case(
        "PriorBoxClustered",
        1,
        _CELL,
        [f32([[0, 0.45, 1, 0.55], [0.1, 0.1, 0.1, 0.1]])],
        {"width": (300.0,), "height": (10.0,), "offset": 0.5},
        name="clip",
    ),
    Case(
        "PriorBoxClustered",
        1,
        _CELL,
        _rows([100, 50, 1, 1]),
        {"offset": 0.5},
        name="a box of one pixel by default",
    ),
    Case(
        "PriorBoxClustered",
        1,
        [i64([0, 3]), i64([100, 200])],
        [f32(np.zeros((2, 0)))],
        {"width": (20.0,), "height": (10.0,), "offset": 0.5},
        name="no cells",
    ),
]

INVALID = [
    Invalid(
        "PriorBoxClustered",
        1,
        ["i64[2]", "i64[2]"],
        "height has 1 element, expected as many as width (2)",
        {"width": (8.0, 10.0), "height": (5.0,), "offset": 0.5},
        attribute="height",
    ),
    Invalid("PriorBoxClustered", 1, ["i64[2]", "i64[2]"], "offset is missing", attribute="offset"),
    Invalid(
        "PriorBoxClustered",
        1,
        ["i64[2]", "i64[2]"],
        "variance has 3 elements",
        {"offset": 0.5, "variance": (0.1, 0.1, 0.1)},
        attribute="variance",
    ),
    Invalid(
        "PriorBoxClustered",
        1,
        ["i64[3]", "i64[2]"],
        "the number of elements of output_size is 3, expected 2",
        {"offset": 0.5},
        input=0,
    ),
    Invalid("PriorBoxClustered", 1, ["i64[2]"], "has 1 input, expected 2", {"offset": 0.5}),
]

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, i32, i64

_CELL = [i64([1, 1]), i64([100, 200])]


def _rows(*boxes: list[float], variance: tuple[float, ...] = (0.1, 0.1, 0.1, 0.1)) -> list[Array]:
    """Return the output for boxes [center x, center y, half of width, half of height] in a 200 x 100 image."""
    corners = [[(x - w) / 200, (y - h) / 100, (x + w) / 200, (y + h) / 100] for x, y, w, h in boxes]
    return [f32([list(chain.from_iterable(corners)), list(variance) * len(boxes)])]


def _both(*arguments: Any, **named: Any) -> list[Case]:
    return [Case("PriorBox", 1, *arguments, **named), Case("PriorBox", 8, *arguments, **named)]


_ROOT = np.sqrt(2)

CASES = [
    *_both(_CELL, _rows([100, 50, 8, 8]), {"min_size": (16.0,), "offset": 0.5}, name="one size"),
    *_both(
        [i32([1, 2]), i32([100, 200])],
        _rows([50, 50, 8, 8], [50, 50, 16, 16], [150, 50, 8, 8], [150, 50, 16, 16]),
        {"min_size": (16.0, 32.0), "offset": 0.5},
        name="two sizes, two cells",
    ),
    *_both(
        [i64([2, 1]), i64([100, 200])],
        _rows([2.5, 2.5, 4, 4], [2.5, 12.5, 4, 4], variance=(0.1, 0.2, 0.3, 0.4)),
        {"min_size": (8.0,), "offset": 0.25, "step": 10.0, "variance": (0.1, 0.2, 0.3, 0.4)},
        name="step, offset and four variances",
    ),
    *_both(
        _CELL,
        _rows([100, 50, 8, 8], [100, 50, 16, 16], [100, 50, 16, 4], variance=(0.5,) * 4),
        {"min_size": (16.0,), "max_size": (64.0,), "aspect_ratio": (4.0, 1.0, 4.0), "offset": 0.5, "variance": (0.5,)},
        name="max_size and aspect_ratio",
    ),
    *_both(
        _CELL,
        _rows([100, 50, 8, 8], [100, 50, 16, 4], [100, 50, 4, 16]),
        {"min_size": (16.0,), "aspect_ratio": (4.0, 0.25), "flip": True, "offset": 0.5},
        name="flip",
    ),
    *_both(
        _CELL,
        [f32([[0, 0, 1, 1], [0.1, 0.1, 0.1, 0.1]])],
        {"min_size": (300.0,), "clip": True, "offset": 0.5},
        name="clip",
    ),
    *_both(
        _CELL,
        _rows([100, 50, 10, 10], [100, 50, 20, 20], [100, 50, 20, 5]),
        {"min_size": (0.2, 0.4), "aspect_ratio": (4.0,), "max_size": (), "scale_all_sizes": False, "offset": 0.5},
        name="sizes in heights of the image, ratios of the first",
    ),
    *_both(
        [i64([2, 2]), i64([100, 200])],
        _rows([25, 25, 10, 10], [75, 25, 10, 10], [25, 75, 10, 10], [75, 75, 10, 10]),
        {"min_size": (0.2,), "max_size": (0.4,), "scale_all_sizes": False, "step": -1.0, "offset": 0.5},
        name="a step of one cell, max_size not used",
        departs="scale_all_sizes",
    ),
    *_both(
        _CELL,
        _rows([96, 46, 8, 8], [104, 46, 8, 8], [96, 54, 8, 8], [104, 54, 8, 8]),
        {"fixed_size": (16.0,), "density": (2.0,), "offset": 0.5},
        name="density",
    ),
    *_both(
        _CELL,
        _rows([100, 50, 16, 4]),
        {"fixed_size": (16.0,), "density": (1.0,), "fixed_ratio": (4.0,), "offset": 0.5},
        name="fixed_ratio",
    ),
    *_both(
        _CELL,
        _rows([100, 50, 10, 10], [100, 50, 10 * _ROOT, 10 / _ROOT], [100, 50, 10 / _ROOT, 10 * _ROOT]),
        {"fixed_size": (20.0,), "density": (1.0,), "aspect_ratio": (2.0,), "flip": True, "offset": 0.5},
        name="fixed_size with aspect_ratio",
    ),
    *_both(
        _CELL,
        [f32([[0, 0, 1, 1], [0.1, 0.1, 0.1, 0.1]])],
        {"fixed_size": (300.0,), "density": (1.0,), "offset": 0.5},
        name="fixed_size is clipped",
    ),
    *_both(
        [i64([0, 3]), i64([100, 200])], [f32(np.zeros((2, 0)))], {"min_size": (16.0,), "offset": 0.5}, name="no cells"
    ),
    Case(
        "PriorBox",
        8,
        _CELL,
        _rows([100, 50, 8, 8], [100, 50, 16, 16], [100, 50, 16, 4]),
        {
            "min_size": (16.0,),
            "max_size": (64.0,),
            "aspect_ratio": (4.0,),
            "offset": 0.5,
            "min_max_aspect_ratios_order": True,
        },
        name="min, max, aspect_ratio",
    ),
    Case(
        "PriorBox",
        8,
        _CELL,
        _rows([100, 50, 8, 8], [100, 50, 16, 4], [100, 50, 16, 16]),
        {
            "min_size": (16.0,),
            "max_size": (64.0,),
            "aspect_ratio": (4.0,),
            "offset": 0.5,
            "min_max_aspect_ratios_order": False,
        },
        name="min, aspect_ratio, max",
        departs="order",
    ),
]

INVALID = [
    Invalid("PriorBox", 1, ["i64[2]", "i64[2]"], "offset is missing", {"min_size": (4.0,)}, attribute="offset"),
    Invalid(
        "PriorBox",
        8,
        ["i64[2]", "i64[2]"],
        "variance has 2 elements, expected 0, 1 or 4",
        {"offset": 0.5, "variance": (0.1, 0.2)},
        attribute="variance",
    ),
    Invalid(
        "PriorBox",
        8,
        ["i64[2]", "i64[2]"],
        "density is inf, expected at most 1000",
        {"offset": 0.5, "density": (float("inf"),)},
        attribute="density",
    ),
    Invalid(
        "PriorBox",
        8,
        ["i64[2]", "i64[2]"],
        "min_size is 0.0",
        {"offset": 0.5, "min_size": (4.0, 0.0)},
        attribute="min_size",
    ),
    Invalid(
        "PriorBox",
        1,
        ["i64[3]", "i64[2]"],
        "the number of elements of output_size is 3, expected 2",
        {"offset": 0.5},
        input=0,
    ),
    Invalid(
        "PriorBox",
        1,
        ["i64[2]", "i64[4]"],
        "the number of elements of image_size is 4, expected 2",
        {"offset": 0.5},
        input=1,
    ),
    Invalid("PriorBox", 1, ["f32[2]", "i64[2]"], "input 0 (output_size) is f32", {"offset": 0.5}, input=0),
    Invalid("PriorBox", 1, ["i64[1,2]", "i64[2]"], "has rank 2, expected 1", {"offset": 0.5}, input=0),
]

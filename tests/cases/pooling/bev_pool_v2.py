from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64


def grid(**changed: Any) -> dict[str, Any]:
    """Return two channels of a camera image of 1 x 2 pixels and 2 depth bins, for a view of 2 x 2 cells."""
    bounds = {
        f"{axis}_bound_{end}": value for axis in "xyz" for end, value in (("min", -1.0), ("max", 1.0), ("step", 1.0))
    }
    sizes = {
        "input_channels": 2,
        "output_channels": 2,
        "image_width": 2,
        "image_height": 1,
        "feature_width": 2,
        "feature_height": 2,
    }
    depth = {"d_bound_min": 1.0, "d_bound_max": 3.0, "d_bound_step": 1.0}
    return {**sizes, **bounds, **depth, **changed}


FEATURES = f32([[[[1, 10], [2, 20]]]])
WEIGHTS = f32([1, 0.5, 0.25, 2])
CASES = [
    Case(
        "BevPoolV2",
        15,
        [FEATURES, WEIGHTS, i32([0, 1, 2, 3]), i32([[0, 2, 0], [2, 4, 3]])],
        [f32([[[[2, 0], [0, 4.25]], [[20, 0], [0, 42.5]]]])],
        grid(),
        name="two-cells",
        departs="unknown",
    ),
    Case(
        "BevPoolV2",
        15,
        [FEATURES, WEIGHTS, i64([3, 3, 0]), i64([0, 3, 1])],
        [f32([[[[0, 9], [0, 0]], [[0, 90], [0, 0]]]])],
        grid(),
        name="flat-intervals",
        departs="unknown",
    ),
    Case(
        "BevPoolV2",
        15,
        [FEATURES, WEIGHTS, i32([0, 9, -1]), i32([[0, 3, 0], [2, 1, 1], [0, 1, 8]])],
        [f32([[[[1, 0], [0, 0]], [[10, 0], [0, 0]]]])],
        grid(),
        name="what-lies-outside",
        departs="unknown",
    ),
    Case(
        "BevPoolV2",
        15,
        [f32(np.reshape([1, 2, 3, 4], (2, 1, 2, 1))), f32(np.ones(8)), i32([1, 5]), i32([[0, 2, 0]])],
        [f32([[[[6, 0], [0, 0]]], [[[0, 0], [0, 0]]]])],
        grid(input_channels=1, output_channels=1),
        name="two-cameras",
        departs="unknown",
    ),
]

INVALID = [
    Invalid(
        "BevPoolV2",
        15,
        ["f32[1,1,3,2]", "f32[4]", "i32[4]", "i32[2,3]"],
        "image_width and the size of cf must be the same, got 3 and 2",
        grid(),
        input=0,
    ),
    Invalid(
        "BevPoolV2",
        15,
        ["f32[1,1,2,2]", "f32[4]", "i32[4]", "i32[2,4]"],
        "itv has the shape [2,4], expected [K,3] or [3*K]",
        grid(),
        input=3,
    ),
    Invalid(
        "BevPoolV2",
        15,
        ["f32[1,1,2,2]", "f32[4]", "i32[4]", "i64[2,3]"],
        "both must have the same type T_INT",
        grid(),
        input=3,
    ),
    Invalid(
        "BevPoolV2",
        15,
        ["f32[1,1,2,2]", "f32[4]", "i32[4]", "i32[2,3]"],
        "d_bound_max (0.5) is below d_bound_min (1)",
        grid(d_bound_max=0.5),
        attribute="d_bound_max",
    ),
    Invalid(
        "BevPoolV2",
        15,
        ["f32[1,1,2,2]", "f32[4]", "i32[4]", "i32[2,3]"],
        "x_bound_step is 0.0, expected > 0",
        grid(x_bound_step=0.0),
        attribute="x_bound_step",
    ),
]

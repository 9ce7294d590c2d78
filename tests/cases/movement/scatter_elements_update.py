from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

TOUCHES = i64([1, 0, 0, -2, -1, 2])
UPDATES = f32([10, 20, 30, 40, 70, 60])
LINE = f32([2, 3, 4, 6])


def reduced(name: str, reduction: str, want: list[float], *, use_init_val: bool) -> Case:
    return Case(
        "ScatterElementsUpdate",
        12,
        [f32([5, -5, 5, 7]), i64([0, 0, 1, 2, 2]), f32([1, 8, 4, -3, 2]), i64(0)],
        [f32(want)],
        {"reduction": reduction, "use_init_val": use_init_val},
        name=name,
    )


def page(name: str, data: Any, indices: Any, updates: Any, want: Any, axis: int, **attributes: Any) -> Case:
    inputs = [data, indices, updates, i64([axis])]
    return Case("ScatterElementsUpdate", 12, inputs, [want], attributes, source="page", name=name)


CASES = [
    page("sum", LINE, TOUCHES, UPDATES, f32([52, 13, 104, 76]), 0, reduction="sum"),
    page(
        "sum-of-updates",
        LINE,
        i64([1, 0, 0, 2, 3, 2]),
        UPDATES,
        f32([50, 10, 100, 70]),
        0,
        reduction="sum",
        use_init_val=False,
    ),
    page(
        "written",
        i32(np.zeros((3, 4))),
        i64([[1, 2], [0, 3]]),
        i32([[11, 12], [13, 14]]),
        i32([[0, 11, 12, 0], [13, 0, 0, 14], [0, 0, 0, 0]]),
        1,
    ),
    page(
        "sum-2d",
        i32(np.ones((3, 4))),
        i64([[1, 1], [0, 3]]),
        i32([[11, 12], [13, 14]]),
        i32([[1, 24, 1, 1], [14, 1, 1, 15], [1, 1, 1, 1]]),
        1,
        reduction="sum",
    ),
    page(
        "prod-2d",
        i32(np.full((3, 4), 2)),
        i64([[1, 1], [0, 3]]),
        i32([[11, 12], [13, 14]]),
        i32([[2, 264, 2, 2], [26, 2, 2, 28], [2, 2, 2, 2]]),
        1,
        reduction="prod",
    ),
    reduced("min", "min", [1, -5, -3, 7], use_init_val=True),
    reduced("max", "max", [8, 4, 5, 7], use_init_val=True),
    reduced("mean", "mean", [14 / 3, -0.5, 4 / 3, 7], use_init_val=True),
    reduced("prod", "prod", [40, -20, -30, 7], use_init_val=True),
    reduced("min-of-updates", "min", [1, 4, -3, 7], use_init_val=False),
    reduced("max-of-updates", "max", [8, 4, 2, 7], use_init_val=False),
    reduced("mean-of-updates", "mean", [4.5, 4, -0.5, 7], use_init_val=False),
    reduced("prod-of-updates", "prod", [8, 4, -6, 7], use_init_val=False),
    Case(
        "ScatterElementsUpdate",
        12,
        [i64([-1, 10]), i64([0, 0, 1]), i64([-2, -2, 5]), i64(0)],
        [i64([-2, 7])],
        {"reduction": "mean"},
        name="mean-rounded-down",
        departs="mean",
    ),
    Case(
        "ScatterElementsUpdate",
        12,
        [i64([2**60, 0]), i64([0]), i64([1]), i64(0)],
        [i64([2**60 + 1, 0])],
        {"reduction": "sum"},
        name="wide",
        departs="64-bit",
    ),
    Case(
        "ScatterElementsUpdate",
        12,
        [u8([200, 7]), i64([0, 0]), u8([100, 90]), i64(0)],
        [u8([130, 7])],
        {"reduction": "mean"},
        name="mean-of-bytes",
        departs="mean",
    ),
    Case(
        "ScatterElementsUpdate",
        12,
        [boolean([False, True, True]), i64([0, 1, 2]), boolean([True, False, True]), i64(0)],
        [boolean([True, True, True])],
        {"reduction": "sum"},
        name="or",
    ),
    Case(
        "ScatterElementsUpdate",
        12,
        [boolean([False, True, True]), i64([0, 1, 2]), boolean([True, False, True]), i64(0)],
        [boolean([False, False, True])],
        {"reduction": "prod"},
        name="and",
    ),
    *(
        case
        for opset in (3, 12)
        for case in (
            Case(
                "ScatterElementsUpdate",
                opset,
                [f32(np.zeros((3, 3))), i64([[1, 0, 2], [0, 2, 1]]), f32([[1, 1.1, 1.2], [2, 2.1, 2.2]]), i64(0)],
                [f32([[2, 1.1, 0], [1, 0, 2.2], [0, 2.1, 1.2]])],
                name="rows",
            ),
            Case(
                "ScatterElementsUpdate",
                opset,
                [f32([[1, 2, 3]]), i32([[2]]), f32([[9]]), i32([-1])],
                [f32([[1, 2, 9]])],
                name="negative-axis",
            ),
            Case(
                "ScatterElementsUpdate",
                opset,
                [f32([1, 2]), i64([]), f32([]), i64(0)],
                [f32([1, 2])],
                name="nothing",
            ),
        )
    ),
]

INVALID = [
    Invalid(
        "ScatterElementsUpdate",
        3,
        [LINE, i64([0]), f32([1, 2]), i64(0)],
        "updates have shape [2], expected [1] as indices",
        input=2,
    ),
    Invalid(
        "ScatterElementsUpdate",
        12,
        [LINE, i64([[0]]), f32([[1]]), i64(0)],
        "indices have rank 2, expected 1 as data",
        input=1,
    ),
    Invalid(
        "ScatterElementsUpdate", 12, [LINE, i64([0]), f32([1]), i64(1)], "axis 1 is outside a tensor of rank 1", input=3
    ),
    Invalid(
        "ScatterElementsUpdate",
        12,
        [f32([[1, 2]]), i64([[0], [0]]), f32([[1], [2]]), i64(1)],
        "indices have size 2 on axis 0, more than 1 of data",
        input=1,
    ),
    Invalid(
        "ScatterElementsUpdate",
        12,
        [boolean([True]), i64([0]), boolean([True]), i64(0)],
        "reduction is mean, which boolean data do not have",
        {"reduction": "mean"},
        attribute="reduction",
    ),
    Invalid(
        "ScatterElementsUpdate",
        12,
        [LINE, i64([0]), f32([1]), i64([0, 0])],
        "axis has shape [2], expected a single element",
        input=3,
    ),
    Invalid(
        "ScatterElementsUpdate",
        3,
        [LINE, i64([0]), i64([1]), i64(0)],
        "input 2 (updates) is i64 but input 0 is f32",
        input=2,
    ),
]

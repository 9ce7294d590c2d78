from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

TEN = f32(np.arange(10))
TWO_ROWS = f32(np.arange(10).reshape(2, 5))
CUBE = f32(np.arange(1000).reshape(20, 10, 5))


def page(name: str, bounds: tuple[int, int, int], want: Any, *, axes: bool = True) -> Case:
    start, stop, step = (i64([bound]) for bound in bounds)
    inputs = [TEN, start, stop, step, i64([0])] if axes else [TEN, start, stop, step]
    return Case("Slice", 8, inputs, [f32(want)], source="page", name=name)


CASES = [
    page("basic", (1, 8, 1), [1, 2, 3, 4, 5, 6, 7]),
    page("no-axes", (1, 8, 1), [1, 2, 3, 4, 5, 6, 7], axes=False),
    page("step-2", (1, 8, 2), [1, 3, 5, 7]),
    page("clamped", (-100, 100, 1), range(10)),
    page("backward", (9, -11, -1), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
    page("backward-to-0", (9, 0, -1), [9, 8, 7, 6, 5, 4, 3, 2, 1]),
    page("backward-to-minus-10", (9, -10, -1), [9, 8, 7, 6, 5, 4, 3, 2, 1]),
    page("backward-step-2", (9, -11, -2), [9, 7, 5, 3, 1]),
    page("backward-clamped", (100, -100, -1), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
    Case(
        "Slice",
        8,
        [TWO_ROWS, i64([0, 1]), i64([2, 4]), i64([1, 2]), i64([0, 1])],
        [f32([[1, 3], [6, 8]])],
        source="page",
        name="2d",
    ),
    Case(
        "Slice",
        8,
        [CUBE, i64([0, 0, 0]), i64([4, 10, 5]), i64([1, 1, 1]), i64([0, 1, 2])],
        [f32(np.arange(200).reshape(4, 10, 5))],
        source="page",
        name="3d",
    ),
    Case(
        "Slice",
        8,
        [CUBE, i64([0, 0]), i64([4, 10]), i64([1, 1]), i64([0, 1])],
        [f32(np.arange(200).reshape(4, 10, 5))],
        source="page",
        name="3d-last-axis-whole",
    ),
    Case(
        "Slice",
        8,
        [TWO_ROWS, i32([-2]), i32([2**31 - 1]), i32([1]), i32([-1])],
        [f32([[3, 4], [8, 9]])],
        name="negative-axis",
    ),
    Case("Slice", 8, [TEN, i64([7]), i64([2**63 - 1]), i64([1])], [f32([7, 8, 9])], name="to-the-end"),
    Case("Slice", 8, [TEN, i64([2]), i64([-(2**63)]), i64([-1])], [f32([2, 1, 0])], name="to-the-begin"),
    Case("Slice", 8, [TEN, i64([5]), i64([5]), i64([1])], [f32([])], name="nothing"),
    Case("Slice", 8, [TEN, i64([7]), i64([9]), i32([1])], [f32([7, 8])], name="types-of-indices"),
    Case(
        "Slice",
        8,
        [TEN, i64([-20]), i64([-30]), i64([-1])],
        [f32([0])],
        name="backward-from-before",
        source="oracle",
    ),
    Case("Slice", 8, [f32(np.zeros((0, 2))), i64([1]), i64([5]), i64([1])], [f32(np.zeros((0, 2)))], name="empty"),
    Case(
        "Slice",
        8,
        [TWO_ROWS, i64([4, 0]), i64([0, 1]), i64([-3, 1]), i64([1, 0])],
        [f32([[4, 1]])],
        name="unsorted-axes",
    ),
    Case(
        "Slice",
        8,
        [i64([2**60, 1, -1]), i64([0]), i64([3]), i64([2])],
        [i64([2**60, -1])],
        name="wide",
        departs="64-bit",
    ),
]

INVALID = [
    Invalid(
        "Slice", 8, [TEN, i64([0]), i64([1]), i64([0])], "step is 0, expected a positive or negative number", input=3
    ),
    Invalid("Slice", 8, [TEN, i64([0]), i64([1, 2]), i64([1])], "stop has 2 elements but start has 1", input=2),
    Invalid(
        "Slice", 8, [TEN, i64([0]), i64([1]), i64([1]), i64([0, 1])], "axes has 2 elements but start has 1", input=4
    ),
    Invalid("Slice", 8, [TEN, i64([0]), i64([1]), i64([1]), i64([1])], "axis 1 is outside a tensor of rank 1", input=4),
    Invalid(
        "Slice",
        8,
        [TWO_ROWS, i64([0, 0]), i64([1, 1]), i64([1, 1]), i64([1, -1])],
        "axes are [1, -1], expected each axis once",
        input=4,
    ),
    Invalid(
        "Slice", 8, [TEN, i64([0, 0]), i64([1, 1]), i64([1, 1])], "start has 2 elements for a tensor of rank 1", input=1
    ),
    Invalid("Slice", 8, [f32(1), i64([0]), i64([1]), i64([1])], "data is a scalar", input=0),
    Invalid(
        "Slice", 8, [TEN, i64([0]), f32([1]), i64([1])], "input 2 (stop) is f32, expected any integer type", input=2
    ),
    Invalid("Slice", 8, [TEN, i64(0), i64([1]), i64([1])], "input 1 (start) has rank 0, expected 1", input=1),
]

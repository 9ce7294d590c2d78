from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

DATA = f32(np.arange(10).reshape(2, 5))

CASES = [
    Case(
        "SliceScatter",
        15,
        [DATA, f32([[10, 20, 30, 40, 50]]), i32([0]), i32([1]), i32([1]), i32([0])],
        [f32([[10, 20, 30, 40, 50], [5, 6, 7, 8, 9]])],
        source="page",
        name="row",
    ),
    Case(
        "SliceScatter",
        15,
        [DATA, f32([[10, 20, 30], [40, 50, 60]]), i32([-25]), i32([25]), i32([2]), i32([1])],
        [f32([[10, 1, 20, 3, 30], [40, 6, 50, 8, 60]])],
        source="page",
        name="every-second",
    ),
    Case(
        "SliceScatter",
        15,
        [f32(np.arange(15).reshape(3, 5)), f32([[50, 60], [70, 80]]), i32([0, 1]), i32([3, 5]), i32([2, 2])],
        [f32([[0, 50, 2, 60, 4], [5, 6, 7, 8, 9], [10, 70, 12, 80, 14]])],
        source="page",
        name="both-axes",
    ),
    Case(
        "SliceScatter",
        15,
        [DATA, f32([[7], [8]]), i64([-1]), i64([2**63 - 1]), i64([1]), i64([-1])],
        [f32([[0, 1, 2, 3, 7], [5, 6, 7, 8, 8]])],
        name="negative-axis",
    ),
    Case(
        "SliceScatter",
        15,
        [i64([1, 2, 3]), i64([2**60, 8, 9]), i64([2]), i64([-4]), i64([-1])],
        [i64([9, 8, 2**60])],
        name="backward",
        departs="64-bit",
    ),
    Case(
        "SliceScatter",
        15,
        [f32([0, 1, 2]), f32([9]), i64([-5]), i64([-7]), i64([-1])],
        [f32([9, 1, 2])],
        name="backward-from-before",
        source="oracle",
    ),
    Case(
        "SliceScatter",
        15,
        [f32([1, 2]), f32([]), i64([1]), i64([1]), i64([1])],
        [f32([1, 2])],
        name="nothing",
    ),
    Case(
        "SliceScatter",
        15,
        [DATA, f32([[50, 60]]), i32([1, 0]), i32([2, 4]), i32([1, 2])],
        [f32([[0, 1, 2, 3, 4], [50, 6, 60, 8, 9]])],
        name="bounds-that-vary",
        constant=(),
        departs="bounds",
    ),
    Case(
        "SliceScatter",
        15,
        [DATA, f32([[10, 20, 30, 40, 50]]), i64([1]), i64([2]), i64([1]), i64([0])],
        [f32([[0, 1, 2, 3, 4], [10, 20, 30, 40, 50]])],
        name="bounds that vary, with axes",
        constant=(5,),
        departs="bounds",
    ),
    Case(
        "SliceScatter",
        15,
        [DATA, f32([[10, 20, 30, 40, 50]]), i64([1]), i64([2]), i64([1]), i64([0])],
        [f32([[0, 1, 2, 3, 4], [10, 20, 30, 40, 50]])],
        name="bounds that vary, open sizes",
        constant=(5,),
        dynamic=True,
    ),
]

INVALID = [
    Invalid(
        "SliceScatter",
        15,
        [DATA, f32([[1, 2], [3, 4]]), i64([0]), i64([5]), i64([2]), i64([1])],
        "updates have shape [2,2], expected that of the slice, [2,3]",
        input=1,
    ),
    Invalid(
        "SliceScatter",
        15,
        [DATA, "f32[?,?]", i64([0]), i64([5]), i64([0]), i64([1])],
        "step is 0, expected a positive or negative number",
        input=4,
    ),
    Invalid(
        "SliceScatter",
        15,
        [DATA, "f32[2,5]", i64([0, 0]), i64([5]), i64([1])],
        "stop has 1 element but start has 2",
        input=3,
    ),
    Invalid(
        "SliceScatter",
        15,
        [DATA, "f32[2,5]", i64([0]), i64([5]), i64([1]), i64([2])],
        "axis 2 is outside a tensor of rank 2",
        input=5,
    ),
]

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

SIX = f32(np.arange(4096).reshape((4,) * 6))
CUBE = f32(np.arange(24).reshape(2, 3, 4))
TABLE = f32(np.arange(8).reshape(2, 4))
LINE = f32(np.arange(5))


def masks(**given: Any) -> dict[str, Any]:
    return {"begin_mask": (), "end_mask": (), **given}


CASES = [
    Case(
        "StridedSlice",
        1,
        [SIX, i64([0, 1, 0, 1, 3, 3]), i64([4, 4, 4, 4, 0, 0]), i64([1, 1, 2, 2, -1, -2])],
        [SIX[0:4, 1:4, 0:4:2, 1:4:2, 3:0:-1, 3:0:-2]],
        masks(),
        source="page",
        name="strides",
        departs="masks",
    ),
    Case(
        "StridedSlice",
        1,
        [CUBE, i64([0, 0, 0]), i64([2, 2, -1]), i64([1, 1, 1])],
        [f32([[[0, 1, 2], [4, 5, 6]], [[12, 13, 14], [16, 17, 18]]])],
        masks(),
        source="page",
        name="negative-end",
        departs="masks",
    ),
    Case(
        "StridedSlice",
        1,
        [CUBE, i64([1, 1, 123]), i64([0, 0, 2]), i64([1, 1, -1])],
        [f32([[[15, 14, 13, 12], [19, 18, 17, 16], [23, 22, 21, 20]]])],
        masks(
            begin_mask=(0, 1, 1),
            end_mask=(1, 1, 1),
            new_axis_mask=(0, 0, 0, 0, 0),
            shrink_axis_mask=(0, 0),
            ellipsis_mask=(0,),
        ),
        source="page",
        name="masks",
        departs="masks",
    ),
    Case(
        "StridedSlice",
        1,
        [TABLE, i64([1234, 0, -1, 0]), i64([1234, 2, 9876, 4]), i64([132, 1, 241, 1])],
        [TABLE.reshape(1, 2, 1, 4)],
        masks(begin_mask=(0,) * 4, end_mask=(0,) * 4, new_axis_mask=(1, 0, 1, 0)),
        source="page",
        name="new-axes",
        departs="masks",
    ),
    Case(
        "StridedSlice",
        1,
        [
            f32(np.arange(2 * 384 * 640 * 8).reshape(1, 2, 384, 640, 8)),
            i64([0] * 5),
            i64([1, 0, 384, 640, 8]),
            i64([1] * 5),
        ],
        [f32(np.arange(384 * 640 * 8).reshape(1, 384, 640, 8))],
        masks(begin_mask=(0,) * 5, end_mask=(0,) * 5, shrink_axis_mask=(0, 1, 0, 0, 0)),
        source="page",
        name="shrunk-axis",
        departs="masks",
    ),
    Case(
        "StridedSlice",
        1,
        [f32(np.arange(64).reshape((2,) * 6)), i64([0, 0, 0]), i64([1, 0, 1]), i64([1, -1, 1])],
        [f32(np.arange(0, 32, 2).reshape(1, 2, 2, 2, 2, 1))],
        masks(begin_mask=(0, 0, 0), end_mask=(0, 0, 0), ellipsis_mask=(0, 1, 0)),
        name="ellipsis",
        departs="masks",
    ),
    Case(
        "StridedSlice",
        1,
        [f32(np.arange(27).reshape(3, 3, 3)), i64([2, 1, 10, 10]), i64([123, 1, 10, 2]), i64([1, -1, 1, 1])],
        [f32([[[[18, 19]], [[21, 22]], [[24, 25]]]])],
        masks(begin_mask=(0, 0, 1, 1), end_mask=(1, 1, 0, 0), new_axis_mask=(0, 0, 1), ellipsis_mask=(0, 1)),
        name="ellipsis-and-new-axis",
        departs="masks",
    ),
    Case("StridedSlice", 1, [CUBE, i64([1]), i64([2])], [CUBE[1:2]], masks(), name="fewer-axes", departs="masks"),
    Case(
        "StridedSlice",
        1,
        [CUBE, i32([-1, 1]), i32([0, 3]), i32([1, 1])],
        [CUBE[1, 1:3]],
        masks(shrink_axis_mask=(1, 0)),
        name="shrunk-last",
        departs="masks",
    ),
    Case(
        "StridedSlice",
        1,
        [LINE, i64([2]), i64([3]), i64([1])],
        [f32(2)],
        masks(begin_mask=(0,), end_mask=(0,), shrink_axis_mask=(1,)),
        name="to-a-scalar",
    ),
    Case(
        "StridedSlice",
        1,
        [LINE, i64([2]), i64([2]), i64([1])],
        [f32([])],
        masks(begin_mask=(0,), end_mask=(0,)),
        name="nothing",
    ),
    Case(
        "StridedSlice",
        1,
        [LINE, i64([-10]), i64([-20]), i64([-1])],
        [f32([0])],
        masks(begin_mask=(0,), end_mask=(0,)),
        name="backward-from-before",
    ),
    Case(
        "StridedSlice",
        1,
        [LINE, i64([0]), i64([0]), i64([-2])],
        [f32([4, 2, 0])],
        masks(begin_mask=(1,), end_mask=(1,)),
        name="backward-masked",
    ),
    Case(
        "StridedSlice",
        1,
        [f32(np.zeros((0, 2))), i64([0]), i64([9]), i64([1])],
        [f32(np.zeros((0, 2)))],
        masks(begin_mask=(0,), end_mask=(0,)),
        name="empty",
    ),
    Case(
        "StridedSlice",
        1,
        [i64([2**60, 1, 2]), i64([0]), i64([2**63 - 1]), i64([2])],
        [i64([2**60, 2])],
        masks(),
        name="wide",
        departs="masks",
    ),
]

INVALID = [
    Invalid(
        "StridedSlice",
        1,
        [LINE, i64([0]), i64([1]), i64([0])],
        "stride is 0, expected a positive or negative number",
        masks(),
        input=3,
    ),
    Invalid(
        "StridedSlice",
        1,
        [LINE, i64([0]), i64([1, 2])],
        "end has 2 elements, expected 1 as the others",
        masks(),
        input=2,
    ),
    Invalid(
        "StridedSlice",
        1,
        [LINE, i64([0]), i64([1]), i64([1, 1])],
        "stride has 2 elements, expected 1",
        masks(),
        input=3,
    ),
    Invalid(
        "StridedSlice",
        1,
        [LINE, i64([0, 0]), i64([1, 1]), i64([1, 1])],
        "begin has 2 elements, of which 2 slice a tensor of rank 1",
        masks(),
    ),
    Invalid(
        "StridedSlice",
        1,
        [LINE, i64([5]), i64([6]), i64([1])],
        "begin 5 is outside axis 0 of size 5",
        masks(shrink_axis_mask=(1,)),
        input=1,
    ),
    Invalid(
        "StridedSlice",
        1,
        [LINE, i64([0, 0]), i64([1, 1]), i64([1, 1])],
        "ellipsis_mask marks 2 positions, expected at most one",
        masks(ellipsis_mask=(1, 1)),
        attribute="ellipsis_mask",
    ),
    Invalid(
        "StridedSlice",
        1,
        [LINE, i64([0]), i64([1]), i64([1])],
        "begin_mask is 2, expected <= 1",
        masks(begin_mask=(2,)),
        attribute="begin_mask",
    ),
    Invalid(
        "StridedSlice", 1, [LINE, i64([[0]]), i64([1])], "input 1 (begin) has rank 2, expected 1", masks(), input=1
    ),
]

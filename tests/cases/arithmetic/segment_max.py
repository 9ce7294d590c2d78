from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64, u8

_DATA = f32([1, 7, 3, -4, -2, 9, 5, 6])
_IDS = i64([0, 0, 0, 1, 1, 3, 5, 5])
_LOWEST = -3.4028234663852886e38

CASES = [
    Case(
        "SegmentMax", 16, [_DATA, _IDS], [f32([7, -2, 0, 9, 0, 6])], {"fill_mode": "zero"}, source="page", name="zero"
    ),
    Case(
        "SegmentMax", 16, [_DATA, _IDS], [f32([7, -2, _LOWEST, 9, _LOWEST, 6])], {"fill_mode": "lowest"}, name="lowest"
    ),
    Case(
        "SegmentMax",
        16,
        [i32([[1, 2], [3, 0], [-5, 9]]), i32([0, 1, 1]), i64(4)],
        [i32([[1, 2], [3, 9], [-(2**31)] * 2, [-(2**31)] * 2])],
        {"fill_mode": "lowest"},
        name="rows_and_more_segments",
    ),
    Case("SegmentMax", 16, [_DATA, _IDS, i32(2)], [f32([7, -2])], {"fill_mode": "zero"}, name="fewer_segments"),
    Case(
        "SegmentMax",
        16,
        [i64([2**53, 2**53 + 1]), i32([0, 0])],
        [i64([2**53 + 1])],
        {"fill_mode": "zero"},
        name="i64_big",
        departs="64-bit",
    ),
    Case("SegmentMax", 16, [u8([3, 4]), i32([1, 1])], [u8([0, 4])], {"fill_mode": "lowest"}, name="u8"),
    Case(
        "SegmentMax",
        16,
        [f32([3]), i32([1])],
        [f32([-65504, 3])],
        {"fill_mode": "lowest"},
        name="f16",
        types={0: "f16"},
        departs="lowest",
    ),
    Case(
        "SegmentMax",
        16,
        [f32([3]), i32([1])],
        [f32([-3.3895313892515355e38, 3])],
        {"fill_mode": "lowest"},
        name="bf16",
        types={0: "bf16"},
    ),
    Case(
        "SegmentMax",
        16,
        [np.array([3], np.int8), i32([1])],
        [np.array([-8, 3], np.int8)],
        {"fill_mode": "lowest"},
        name="i4",
        types={0: "i4"},
        departs="lowest",
    ),
    Case(
        "SegmentMax",
        16,
        [f32(np.zeros((0, 2))), i64([])],
        [f32(np.zeros((0, 2)))],
        {"fill_mode": "zero"},
        name="empty",
        departs="empty",
    ),
    Case(
        "SegmentMax",
        16,
        [f32(np.zeros((0, 2))), i64([]), i64(2)],
        [f32(np.zeros((2, 2)))],
        {"fill_mode": "zero"},
        name="empty_with_segments",
        departs="memory",
    ),
]
INVALID = [
    Invalid(
        "SegmentMax", 16, [f32([1]), i32([0])], "fill_mode is missing; SegmentMax requires it", attribute="fill_mode"
    ),
    Invalid(
        "SegmentMax",
        16,
        [f32(1), i32([0])],
        "data is a scalar, expected a tensor of rank 1 or more",
        {"fill_mode": "zero"},
        input=0,
    ),
    Invalid(
        "SegmentMax",
        16,
        [f32([1, 2]), i32([0])],
        "the first size of data and the size of segment_ids must be the same, got 2 and 1",
        {"fill_mode": "zero"},
        input=1,
    ),
    Invalid(
        "SegmentMax",
        16,
        [f32([1, 2]), i32([1, 0])],
        "segment_ids are [1, 0], expected them sorted",
        {"fill_mode": "zero"},
        input=1,
    ),
    Invalid(
        "SegmentMax",
        16,
        [f32([1, 2]), i32([-1, 0])],
        "segment_ids begin with -1, expected 0 or more",
        {"fill_mode": "zero"},
        input=1,
    ),
    Invalid(
        "SegmentMax",
        16,
        [f32([[1]]), i32([[0]])],
        "input 1 (segment_ids) has rank 2, expected 1",
        {"fill_mode": "zero"},
        input=1,
    ),
    Invalid(
        "SegmentMax",
        16,
        [f32([1]), i32([0]), i32([1])],
        "input 2 (num_segments) has rank 1, expected 0",
        {"fill_mode": "zero"},
        input=2,
    ),
    Invalid(
        "SegmentMax",
        16,
        [f32([1]), f32([0])],
        "input 1 (segment_ids) is f32, expected i32 or i64",
        {"fill_mode": "zero"},
        input=1,
    ),
]

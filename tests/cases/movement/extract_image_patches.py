from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

HUNDRED = f32(np.arange(1, 101).reshape(1, 1, 10, 10))
FIFTY = f32(np.arange(1, 51).reshape(1, 2, 5, 5))


def window(sizes: int, strides: int, rates: int, auto_pad: str) -> dict[str, Any]:
    return {"sizes": (sizes,) * 2, "strides": (strides,) * 2, "rates": (rates,) * 2, "auto_pad": auto_pad}


def corners(rows: list[int], columns: list[int]) -> np.ndarray:
    """Return the numbers at positions of the image of 1 to 100, for patches with strides of 5."""
    return f32([[[[r * 10 + c + 1 + 5 * (10 * i + j) for j in (0, 1)] for i in (0, 1)] for r in rows for c in columns]])


SAME = [
    [[0, 0], [0, 89]],
    [[0, 0], [81, 90]],
    [[0, 0], [82, 0]],
    [[0, 0], [83, 0]],
    [[0, 9], [0, 99]],
    [[1, 10], [91, 100]],
    [[2, 0], [92, 0]],
    [[3, 0], [93, 0]],
    [[0, 19], [0, 0]],
    [[11, 20], [0, 0]],
    [[12, 0], [0, 0]],
    [[13, 0], [0, 0]],
    [[0, 29], [0, 0]],
    [[21, 30], [0, 0]],
    [[22, 0], [0, 0]],
    [[23, 0], [0, 0]],
]
TWO_MAPS = [
    [[1, 4], [16, 19]],
    [[26, 29], [41, 44]],
    [[2, 5], [17, 20]],
    [[27, 30], [42, 45]],
    [[6, 9], [21, 24]],
    [[31, 34], [46, 49]],
    [[7, 10], [22, 25]],
    [[32, 35], [47, 50]],
]

CASES = [
    Case(
        "ExtractImagePatches",
        3,
        [f32(np.arange(64 * 300).reshape(64, 3, 10, 10))],
        [
            f32(np.arange(64 * 300).reshape(64, 3, 2, 5, 2, 5)[:, :, :, :3, :, :3])
            .transpose(0, 3, 5, 1, 2, 4)
            .reshape(64, 27, 2, 2)
        ],
        window(3, 5, 1, "valid"),
        source="page",
        name="batch",
    ),
    Case(
        "ExtractImagePatches", 3, [HUNDRED], [corners([0, 1, 2], [0, 1, 2])], window(3, 5, 1, "valid"), "page", "valid"
    ),
    Case(
        "ExtractImagePatches",
        3,
        [HUNDRED],
        [f32(np.reshape([1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34], (1, 16, 1, 1)))],
        window(4, 8, 1, "valid"),
        "page",
        "single",
    ),
    Case("ExtractImagePatches", 3, [HUNDRED], [f32([SAME])], window(4, 9, 1, "same_upper"), "page", "same-upper"),
    Case(
        "ExtractImagePatches", 3, [HUNDRED], [corners([0, 2, 4], [0, 2, 4])], window(3, 5, 2, "valid"), "page", "rates"
    ),
    Case("ExtractImagePatches", 3, [FIFTY], [f32([TWO_MAPS])], window(2, 3, 1, "valid"), "page", "two-maps"),
    Case(
        "ExtractImagePatches",
        3,
        [i32([[[[1, 2], [3, 4]]]])],
        [i32([[[[0, 0], [0, 1]], [[0, 0], [1, 2]], [[0, 1], [0, 3]], [[1, 2], [3, 4]]]])],
        window(2, 1, 1, "same_lower"),
        name="same-lower",
    ),
    Case(
        "ExtractImagePatches",
        3,
        [f32([[[[1]]]])],
        [f32(np.zeros((1, 4, 0, 0)))],
        window(2, 1, 1, "valid"),
        name="too-small",
    ),
    Case(
        "ExtractImagePatches",
        3,
        [i64([[[[2**60]]]])],
        [i64([[[[2**60]]]])],
        window(1, 1, 1, "valid"),
        name="wide",
        departs="64-bit",
    ),
]

INVALID = [
    Invalid(
        "ExtractImagePatches",
        3,
        ["f32[1,2,3]"],
        "input 0 (data) has rank 3, expected 4",
        window(2, 1, 1, "valid"),
        input=0,
    ),
    Invalid(
        "ExtractImagePatches", 3, [FIFTY], "strides is 0, expected >= 1", window(2, 0, 1, "valid"), attribute="strides"
    ),
    Invalid(
        "ExtractImagePatches",
        3,
        [FIFTY],
        "sizes has 1 element, expected 2",
        {**window(2, 1, 1, "valid"), "sizes": (2,)},
        attribute="sizes",
    ),
    Invalid(
        "ExtractImagePatches",
        3,
        [FIFTY],
        "auto_pad is missing; ExtractImagePatches requires it",
        {"sizes": (2, 2), "strides": (1, 1), "rates": (1, 1)},
        attribute="auto_pad",
    ),
]

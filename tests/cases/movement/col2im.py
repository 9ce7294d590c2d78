from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64


def covered(size: int, kernel: int, stride: int = 1, dilation: int = 1, pad: int = 0) -> np.ndarray:
    """Count the kernel positions that cover each element of an axis."""
    reach = dilation * (kernel - 1) + 1
    starts = range(0, size + 2 * pad - reach + 1, stride)
    places = [start + step * dilation - pad for start in starts for step in range(kernel)]
    return np.array([places.count(place) for place in range(size)])


def page(name: str, batch: int, size: int, kernel: int, blocks: int, **attributes: Any) -> Case:
    """Return a case with columns of ones: each element of the image is the number of positions that cover it."""
    pad = attributes.get("pads_begin", (0, 0))[0]
    line = covered(size, kernel, attributes.get("strides", (1, 1))[0], attributes.get("dilations", (1, 1))[0], pad)
    image = np.broadcast_to(np.outer(line, line), (batch, 3, size, size))
    data = i32(np.ones((batch, 3 * kernel * kernel, blocks)))
    return Case("Col2Im", 15, [data, i64([size] * 2), i64([kernel] * 2)], [i32(image)], attributes, "page", name)


CASES = [
    page("default", 3, 16, 2, 225),
    page("strides", 1, 16, 3, 49, dilations=(2, 2), pads_begin=(1, 1), pads_end=(1, 1), strides=(2, 2)),
    page("dilations", 12, 32, 2, 1296, dilations=(2, 2), pads_begin=(3, 3), pads_end=(3, 3)),
    Case(
        "Col2Im",
        15,
        [f32([[[1, 2], [3, 4]]]), i32([1, 3]), i32([1, 2])],
        [f32([[[[1, 5, 4]]]])],
        name="overlap",
    ),
    Case(
        "Col2Im",
        15,
        [f32([[1, 2], [3, 4], [5, 6], [7, 8]]), i64([2, 3]), i64([1, 2])],
        [f32([[[1, 5, 4], [0, 0, 0]], [[5, 13, 8], [0, 0, 0]]])],
        {"strides": (2, 1)},
        name="unbatched",
    ),
    Case(
        "Col2Im",
        15,
        [i64([[[2**60], [1]]]), i64([1, 2]), i64([1, 2])],
        [i64([[[[2**60, 1]]]])],
        name="wide",
        departs="64-bit",
    ),
    Case(
        "Col2Im",
        15,
        [f32(np.zeros((0, 2, 2))), i64([1, 3]), i64([1, 2])],
        [f32(np.zeros((0, 1, 1, 3)))],
        name="empty",
    ),
]

INVALID = [
    Invalid(
        "Col2Im",
        15,
        ["f32[1,4,3]", i64([3, 3]), i64([2, 2])],
        "data has 3 blocks, expected 4, 2 down and 2 across",
        input=0,
    ),
    Invalid(
        "Col2Im",
        15,
        ["f32[1,5,4]", i64([3, 3]), i64([2, 2])],
        "size 5 of data does not divide into blocks of 4 elements",
        input=0,
    ),
    Invalid("Col2Im", 15, ["f32[1,4,4]", i64([1, 1]), i64([2, 2])], "a kernel of 2x2 does not fit into 1x1", input=2),
    Invalid("Col2Im", 15, ["f32[1,4,4]", i64([3]), i64([2, 2])], "output_size has 1 element, expected 2", input=1),
    Invalid("Col2Im", 15, ["f32[4]", i64([3, 3]), i64([2, 2])], "input 0 (data) has rank 1, expected 2 or 3", input=0),
    Invalid(
        "Col2Im",
        15,
        ["f32[1,4,4]", i64([3, 3]), i64([2, 2])],
        "strides has 1 element, expected 2",
        {"strides": (1,)},
        attribute="strides",
    ),
    Invalid(
        "Col2Im",
        15,
        ["f32[1,4,4]", i64([3, 3]), i64([2, 2])],
        "strides is 0, expected >= 1",
        {"strides": (0, 1)},
        attribute="strides",
    ),
    Invalid(
        "Col2Im",
        15,
        ["f32[1,4,4]", i64([3, 3]), i32([2, 2])],
        "input 2 (kernel_size) is i32 but input 1 is i64",
        input=2,
    ),
]

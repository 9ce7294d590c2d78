from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, f32, i32, u8
from tests.cases.convolution.convolution import plain


def binary(pad_value: float, **changed: Any) -> dict[str, Any]:
    return plain(2, mode="xnor-popcount", pad_value=pad_value, **changed)


BITS = f32([[[[1, 0, 1]]]])
KERNEL = u8([[[[1, 1]]], [[[1, 0]]]])

CASES = [
    Case(
        "BinaryConvolution",
        1,
        [BITS, KERNEL],
        [f32([[[[0, 0]], [[2, -2]]]])],
        binary(0),
        name="agreeing-less-differing",
        types={1: "u1"},
        departs="bits",
    ),
    Case(
        "BinaryConvolution",
        1,
        [BITS, u8([[[[1, 1]]]])],
        [f32([[[[0, 0, 0, 0]]]])],
        binary(0, pads_begin=(0, 1), pads_end=(0, 1)),
        name="padding-with-0",
        types={1: "u1"},
        departs="bits",
    ),
    Case(
        "BinaryConvolution",
        1,
        [BITS, u8([[[[1, 1]]]])],
        [f32([[[[2, 0, 0, 2]]]])],
        binary(1, pads_begin=(0, 1), pads_end=(0, 1)),
        name="padding-with-1",
        types={1: "u1"},
        departs="bits",
    ),
    Case(
        "BinaryConvolution",
        1,
        [BITS, u8([[[[1, 1]]]])],
        [f32([[[[0, 0, 0, 0]]]])],
        binary(0.5, pads_begin=(0, 1), pads_end=(0, 1)),
        name="padding-that-agrees-with-nothing",
        types={1: "u1"},
        departs="bits",
    ),
    Case(
        "BinaryConvolution",
        1,
        [i32(np.ones((2, 3, 3, 3))), u8(np.ones((1, 3, 2, 2)))],
        [i32(np.full((2, 1, 2, 2), 12))],
        binary(0),
        name="i32",
        types={1: "u1"},
        departs="integers",
    ),
    Case(
        "BinaryConvolution",
        1,
        [f32([[[[1, 1, 0, 0, 1]]]]), u8([[[[1, 0]]]])],
        [f32([[[[2, -2]]]])],
        binary(0, strides=(1, 2), dilations=(1, 2)),
        name="strides-and-dilations",
        types={1: "u1"},
        departs="bits",
    ),
]

INVALID = [
    Invalid(
        "BinaryConvolution",
        1,
        ["f32[1,3,8,8]", "u8[4,3,3,3]"],
        "input 1 (kernel) is u8, expected u1",
        binary(0),
        input=1,
    ),
    Invalid(
        "BinaryConvolution",
        1,
        ["f32[1,3,8]", "u1[4,3,3,3]"],
        "input 0 (data) has rank 3, expected 4",
        binary(0),
        input=0,
    ),
    Invalid(
        "BinaryConvolution",
        1,
        ["f32[1,3,8,8]", "u1[4,2,3,3]"],
        "channels of data and kernel must be the same",
        binary(0),
        input=1,
    ),
    Invalid(
        "BinaryConvolution",
        1,
        ["f32[1,3,8,8]", "u1[4,3,3,3]"],
        "pad_value is missing",
        plain(2, mode="xnor-popcount"),
        attribute="pad_value",
    ),
]

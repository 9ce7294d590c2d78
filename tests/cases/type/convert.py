from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, f64, i32, i64, u8


def _to(kind: str) -> dict[str, str]:
    return {"destination_type": kind}


CASES = [
    Case("Convert", 1, [f32([3.141592])], [i32([3])], _to("i32"), source="page", name="page_pi"),
    Case("Convert", 1, [i32([-1])], [np.array([4294967295], np.uint32)], _to("u32"), source="page", name="page_modulo"),
    Case("Convert", 1, [f32([[1.9, -1.9, 0.5, -0.5]])], [i64([[1, -1, 0, 0]])], _to("i64"), name="truncates"),
    Case("Convert", 1, [f32([300.7, -1, 128, 255])], [u8([44, 255, 128, 255])], _to("u8"), name="f32_u8_wraps"),
    Case("Convert", 1, [f32([128, -129])], [np.array([-128, 127], np.int8)], _to("i8"), name="f32_i8_wraps"),
    Case("Convert", 1, [f32([np.nan, np.inf, -np.inf, 3e9])], [i32([-(2**31)] * 4)], _to("i32"), name="f32_i32_beyond"),
    Case(
        "Convert",
        1,
        [f32([np.nan, 1e20, 5e9])],
        [i64([-(2**63), -(2**63), 5000000000])],
        _to("i64"),
        name="f32_i64_beyond",
        departs="64-bit",
    ),
    Case(
        "Convert",
        1,
        [f32([2.0**63, 3, -1])],
        [np.array([2**63, 3, 2**64 - 1], np.uint64)],
        _to("u64"),
        name="f32_u64",
        departs="64-bit",
    ),
    Case(
        "Convert",
        1,
        [i64([2**53 + 1, -(2**62)])],
        [np.array([2**53 + 1, 2**64 - 2**62], np.uint64)],
        _to("u64"),
        name="i64_u64",
        departs="64-bit",
    ),
    Case(
        "Convert",
        1,
        [i64([2**32 + 5, -1, 300])],
        [i32([5, -1, 300])],
        _to("i32"),
        name="i64_i32_wraps",
    ),
    Case("Convert", 1, [i32([300, -1])], [u8([44, 255])], _to("u8"), name="i32_u8_wraps"),
    Case(
        "Convert",
        1,
        [f32([0, -0.0, 0.3, -2, 1e-30, np.inf])],
        [boolean([False, False, True, True, True, True])],
        _to("boolean"),
        name="to_boolean",
    ),
    Case("Convert", 1, [f32([np.nan])], [boolean([False])], _to("boolean"), name="nan_to_boolean"),
    Case("Convert", 1, [boolean([True, False])], [f32([1, 0])], _to("f32"), name="from_boolean"),
    Case(
        "Convert",
        1,
        [i64([2**53 + 1])],
        [f64([2.0**53])],
        _to("f64"),
        name="i64_f64",
    ),
    Case("Convert", 1, [f64([0.1])], [f32([0.1])], _to("f32"), name="f64_f32"),
    Case(
        "Convert",
        1,
        [f32([70000, 2049, 0.1, 65519])],
        [f32([np.inf, 2048, 0.0999755859375, 65504])],
        _to("f16"),
        name="f32_f16",
    ),
    Case(
        "Convert",
        1,
        [f64([1 + 2.0**-11 + 2.0**-40])],
        [f32([1 + 2.0**-10])],
        _to("f16"),
        name="f64_f16_rounds_once",
        departs="f64",
    ),
    Case(
        "Convert",
        1,
        [f32([1.01, -2.02])],
        [f32([1.0078125, -2.015625])],
        _to("bf16"),
        name="f32_bf16",
    ),
    Case(
        "Convert",
        1,
        [f32([0.3, 500])],
        [f32([0.3125, np.nan])],
        _to("f8e4m3"),
        name="f32_f8e4m3",
    ),
    Case(
        "Convert",
        1,
        [i32([17, -1])],
        [u8([1, 15])],
        _to("u4"),
        name="i32_u4",
    ),
    Case("Convert", 1, [u8([15, 7])], [f32([15, 7])], _to("f32"), types={0: "u4"}, name="u4_f32"),
    Case("Convert", 1, [i32(-5)], [i32(-5)], _to("i32"), name="same_type_scalar"),
    Case(
        "Convert",
        1,
        [f32(np.zeros((0, 2)))],
        [i32(np.zeros((0, 2)))],
        _to("i32"),
        name="empty",
    ),
]
INVALID = [
    Invalid("Convert", 1, [f32([1])], "destination_type is missing; Convert requires it", attribute="destination_type"),
    Invalid(
        "Convert",
        1,
        [f32([1])],
        "destination_type is string, expected a number type or boolean",
        _to("string"),
        attribute="destination_type",
    ),
    Invalid("Convert", 1, [np.array(["1"], dtype=object)], "input 0 (data) is string, expected", _to("f32"), input=0),
]

from __future__ import annotations

import numpy as np

from tests.cases import Array, Case, Invalid, f32, i32, i64

_OP = "StringTensorPack"


def _bytes(text: str) -> Array:
    return np.frombuffer(text.encode(), np.uint8)


def _strings(values: list[object]) -> Array:
    return np.array(values, dtype=object)


CASES = [
    Case(
        _OP,
        15,
        [i64([0, 5]), i64([5, 13]), _bytes("IntelOpenVINO")],
        [_strings(["Intel", "OpenVINO"])],
        source="page",
        name="two strings",
    ),
    Case(
        _OP,
        15,
        [i32([0, 3, 3, 8, 9]), i32([3, 3, 8, 9, 13]), _bytes("OMZGenAI 2024")],
        [_strings(["OMZ", "", "GenAI", " ", "2024"])],
        source="page",
        name="an empty string",
    ),
    Case(
        _OP,
        15,
        [i64([0, 8]), i64([1, 9]), _bytes("123456789")],
        [_strings(["1", "9"])],
        source="page",
        name="skipped symbols",
    ),
    Case(
        _OP,
        15,
        [i64([[0, 5], [13, 16]]), i64([[5, 13], [16, 21]]), _bytes("IntelOpenVINOOMZGenAI")],
        [_strings([["Intel", "OpenVINO"], ["OMZ", "GenAI"]])],
        source="page",
        name="table",
    ),
    Case(_OP, 15, [i64([0]), i64([3]), _bytes("\u4e2d")], [_strings(["\u4e2d"])], name="three bytes"),
    Case(_OP, 15, [i64([]), i64([]), _bytes("")], [_strings([])], name="none"),
    Case(
        _OP,
        "extension",
        [i32([0, 5]), i32([5, 13]), _bytes("IntelOpenVINO")],
        [_strings(["Intel", "OpenVINO"])],
        name="two strings",
        departs="unknown",
    ),
    Case(_OP, "extension", [i32([0]), i32([0]), _bytes("")], [_strings([""])], name="no bytes", departs="unknown"),
]
INVALID = [
    Invalid(
        _OP,
        15,
        [i64([0, 5]), i64([5]), _bytes("Intel")],
        "begins and ends must have one shape, got [2] and [1]",
        input=1,
    ),
    Invalid(_OP, 15, [i64([0]), i32([5]), _bytes("Intel")], "both must have the same type T_IDX", input=1),
    Invalid(_OP, 15, [i64([0]), i64([5]), f32([1])], "input 2 (symbols) is f32, expected u8", input=2),
    Invalid(_OP, "extension", [i64([0]), i32([5]), _bytes("Intel")], "input 0 (begins) is i64, expected i32", input=0),
]

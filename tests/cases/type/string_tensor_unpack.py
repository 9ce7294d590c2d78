from __future__ import annotations

import numpy as np

from tests.cases import Array, Case, Invalid, i32, u8

_OP = "StringTensorUnpack"


def _bytes(text: str) -> Array:
    return np.frombuffer(text.encode(), np.uint8)


CASES = [
    Case(
        _OP,
        15,
        [np.array(["Intel", "OpenVINO"], dtype=object)],
        [i32([0, 5]), i32([5, 13]), _bytes("IntelOpenVINO")],
        source="page",
        name="two strings",
    ),
    Case(
        _OP,
        15,
        [np.array(["OMZ", "", "GenAI", " ", "2024"], dtype=object)],
        [i32([0, 3, 3, 8, 9]), i32([3, 3, 8, 9, 13]), _bytes("OMZGenAI 2024")],
        source="page",
        name="an empty string",
    ),
    Case(
        _OP,
        15,
        [np.array([["Intel", "OpenVINO"], ["OMZ", "GenAI"]], dtype=object)],
        [i32([[0, 5], [13, 16]]), i32([[5, 13], [16, 21]]), _bytes("IntelOpenVINOOMZGenAI")],
        source="page",
        name="table",
    ),
    Case(
        _OP,
        15,
        [np.array("\u4e2d", dtype=object)],
        [i32(0), i32(3), _bytes("\u4e2d")],
        name="scalar",
    ),
    Case(
        _OP,
        "extension",
        [np.array(["Intel", ""], dtype=object)],
        [i32([0, 5]), i32([5, 5]), _bytes("Intel")],
        name="strings",
        departs="unknown",
    ),
    Case(
        _OP,
        "extension",
        [np.concatenate([i32([2, 0, 5, 13]).view(np.uint8), _bytes("IntelOpenVINO")])],
        [i32([0, 5]), i32([5, 13]), _bytes("IntelOpenVINO")],
        name="packed as bytes",
        departs="unknown",
    ),
]
INVALID = [
    Invalid(_OP, "extension", [u8([2, 0, 0, 0])], "4 bytes cannot hold the offsets of 2 strings", input=0),
    Invalid(_OP, "extension", [u8([0])], "1 byte cannot hold a number of strings", input=0),
    Invalid(
        _OP,
        "extension",
        [i32([1, 0, 9]).view(np.uint8)],
        "the offsets of 1 string are outside 0 bytes",
        input=0,
    ),
    Invalid(_OP, "extension", ["u8[1,9]"], "strings packed as bytes have rank 2, expected 1", input=0),
    Invalid(_OP, 15, [u8([1])], "input 0 (data) is u8, expected string", input=0),
]

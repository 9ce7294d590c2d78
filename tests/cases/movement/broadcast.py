from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64, u8

CHANNELS = f32(np.arange(16).reshape(16, 1, 1))
LINE = f32(np.arange(16))
PLANE = f32(np.arange(2500).reshape(50, 50))
BY_CHANNEL = f32(np.repeat(np.arange(16), 2500).reshape(1, 16, 50, 50))
BY_PLACE = f32(np.repeat(np.arange(2500), 16).reshape(1, 50, 50, 16))


def explicit(opset: int) -> dict[str, Any]:
    return {"mode": "explicit" if opset == 3 else "none"}


CASES = [
    *(
        case
        for opset in (1, 3)
        for case in (
            Case("Broadcast", opset, [CHANNELS, i64([1, 16, 50, 50])], [BY_CHANNEL], source="page", name="numpy"),
            Case(
                "Broadcast",
                opset,
                [LINE, i64([1, 16, 50, 50]), i64([1])],
                [BY_CHANNEL],
                {"mode": "explicit"},
                source="page",
                name="explicit-line",
            ),
            Case(
                "Broadcast",
                opset,
                [PLANE, i64([1, 50, 50, 16]), i64([1, 2])],
                [BY_PLACE],
                {"mode": "explicit"},
                source="page",
                name="explicit-plane",
            ),
            Case("Broadcast", opset, [f32([1, 2]), i64([2, 2])], [f32([[1, 2], [1, 2]])], name="rows"),
            Case("Broadcast", opset, [f32([[1], [2]]), i32([2, 3])], [f32([[1, 1, 1], [2, 2, 2]])], name="columns"),
            Case("Broadcast", opset, [f32(5), i64([2])], [f32([5, 5])], name="scalar"),
            Case("Broadcast", opset, [f32(5), i64([])], [f32(5)], name="to-a-scalar", departs="scalar"),
            Case("Broadcast", opset, [f32([[1]]), i64([0, 2])], [f32(np.zeros((0, 2)))], name="empty"),
            Case("Broadcast", opset, [i64([2**60]), i64([2])], [i64([2**60, 2**60])], name="wide", departs="64-bit"),
            Case("Broadcast", opset, [boolean([True]), i64([2])], [boolean([True, True])], name="booleans"),
            Case(
                "Broadcast",
                opset,
                [f32([1, 2]), i64([2, 3]), i64([0])],
                [f32([[1, 1, 1], [2, 2, 2]])],
                explicit(opset),
                name="explicit-left",
            ),
            Case(
                "Broadcast",
                opset,
                [f32([[1], [2]]), i64([2, 3, 2]), i64([0, 1])],
                [f32([[[1, 1]] * 3, [[2, 2]] * 3])],
                explicit(opset),
                name="explicit-repeated",
            ),
            Case(
                "Broadcast",
                opset,
                [f32(4), i64([1, 2]), i64([0])],
                [f32([[4, 4]])],
                explicit(opset),
                name="explicit-scalar",
            ),
        )
    ),
    Case(
        "Broadcast",
        1,
        [f32([1, 2]), i64([2, 2]), u8(0)],
        [f32([[1, 2], [1, 2]])],
        {"mode": "numpy"},
        name="placeholder",
    ),
    Case(
        "Broadcast",
        1,
        [f32([1, 2]), i64([2, 3])],
        [f32([[1, 1, 1], [2, 2, 2]])],
        {"mode": "pdpd"},
        name="pdpd",
        departs="pdpd",
    ),
    Case(
        "Broadcast",
        3,
        [CHANNELS, i64([1, 1, 50, 50])],
        [BY_CHANNEL],
        {"mode": "bidirectional"},
        source="page",
        name="bidirectional",
    ),
    Case(
        "Broadcast",
        3,
        [f32([[[1], [2]]]), i64([3])],
        [f32([[[1, 1, 1], [2, 2, 2]]])],
        {"mode": "bidirectional"},
        name="shorter-target",
    ),
    Case("Broadcast", 3, [f32([1, 2]), i64([])], [f32([1, 2])], {"mode": "bidirectional"}, name="empty-target"),
    Case(
        "Broadcast",
        3,
        [f32([1, 2]), i64([2, 3])],
        [f32([[1, 1, 1], [2, 2, 2]])],
        {"mode": "pdpd", "axis": 0},
        name="pdpd-left",
        departs="pdpd",
    ),
    Case(
        "Broadcast",
        3,
        [f32([[1], [2]]), i64([2, 2, 3])],
        [f32([[[1, 1, 1], [2, 2, 2]]] * 2)],
        {"mode": "pdpd", "axis": 1},
        name="pdpd-right",
    ),
]

INVALID = [
    Invalid("Broadcast", 3, [f32([1, 2]), i64([3])], "data [2] do not broadcast to [3]: 2 is neither 1 nor 3", input=1),
    Invalid(
        "Broadcast", 3, ["f32[2,?]", i64([3, 4])], "data [2,?] do not broadcast to [3,4]: 2 is neither 1 nor 3", input=1
    ),
    Invalid("Broadcast", 1, [f32([[1, 2]]), i64([2])], "target_shape [2] has fewer axes than data, [1,2]", input=1),
    Invalid(
        "Broadcast",
        3,
        [f32([1]), i64([1]), i64([0])],
        "axes_mapping is given, but mode is numpy; it belongs to explicit",
        input=2,
    ),
    Invalid(
        "Broadcast",
        3,
        [f32([1]), i64([1])],
        "axes_mapping is missing; mode explicit requires it",
        {"mode": "explicit"},
        input=2,
    ),
    Invalid(
        "Broadcast",
        1,
        [f32([1]), i64([1]), u8(0)],
        "input 2 (axes_mapping) has rank 0, expected 1",
        {"mode": "none"},
        input=2,
    ),
    Invalid(
        "Broadcast",
        3,
        [f32([[1, 2]]), i64([2, 1]), i64([1, 0])],
        "axes_mapping is [1, 0], expected ascending axes of a tensor of rank 2",
        {"mode": "explicit"},
        input=2,
    ),
    Invalid(
        "Broadcast",
        3,
        [f32([1, 2]), i64([2, 3]), i64([2])],
        "axes_mapping is [2], expected ascending axes of a tensor of rank 2",
        {"mode": "explicit"},
        input=2,
    ),
    Invalid(
        "Broadcast",
        3,
        [f32([1, 2]), i64([2, 3]), i64([0, 1])],
        "axes_mapping has 2 elements, expected 1, the rank of data",
        {"mode": "explicit"},
        input=2,
    ),
    Invalid(
        "Broadcast",
        3,
        [f32(1), i64([3, 2]), i64([0])],
        "data are a scalar, but axis 0 of target_shape is 3, expected 1",
        {"mode": "explicit"},
        input=1,
    ),
    Invalid(
        "Broadcast",
        3,
        [f32([1, 2]), i64([2, 3])],
        "data [2] do not broadcast to [2,3]: 2 is neither 1 nor 3",
        {"mode": "pdpd", "axis": 1},
        input=1,
    ),
    Invalid(
        "Broadcast",
        3,
        [f32([1, 2]), i64([2])],
        "data [2] do not fit into target_shape [2] from axis 1 on",
        {"mode": "pdpd", "axis": 1},
        input=1,
    ),
    Invalid(
        "Broadcast",
        3,
        [f32([1, 2]), i64([3])],
        "shapes [2] and [3] do not broadcast",
        {"mode": "bidirectional"},
        input=1,
    ),
    Invalid("Broadcast", 3, [f32([1]), i64([[1]])], "input 1 (target_shape) has rank 2, expected 1", input=1),
    Invalid("Broadcast", 3, [f32([1]), f32([1])], "input 1 (target_shape) is f32, expected any integer type", input=1),
]

from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

PAGE = f32(np.arange(6).reshape(1, 3, 1, 2))
TABLE = f32([[0, 1], [2, 3], [4, 5]])

CASES = [
    *(
        case
        for opset in (1, 15)
        for case in (
            Case("Squeeze", opset, [PAGE, i64([0, 2])], [TABLE], source="page", name="two-axes"),
            Case("Squeeze", opset, [f32([5]), i64([0])], [f32(5)], source="page", name="to-a-scalar"),
            Case("Squeeze", opset, [PAGE], [TABLE], name="all"),
            Case("Squeeze", opset, [PAGE, i64([])], [TABLE], name="no-axes"),
            Case("Squeeze", opset, [PAGE, i32(-2)], [f32(np.arange(6).reshape(1, 3, 2))], name="scalar-axis"),
            Case("Squeeze", opset, [PAGE, i64([-2, 0, 0])], [TABLE], name="axis-twice"),
            Case("Squeeze", opset, [PAGE, i64([0, 1])], [f32(np.arange(6).reshape(3, 1, 2))], name="axis-not-one"),
            Case("Squeeze", opset, [i64([[2**60]]), i64([0])], [i64([2**60])], name="wide", departs="64-bit"),
            Case("Squeeze", opset, [f32(np.zeros((1, 0))), i64([0])], [f32([])], name="empty"),
            Case("Squeeze", opset, [f32(3)], [f32(3)], name="scalar"),
        )
    ),
    Case("Squeeze", 15, [PAGE, i64([0])], [PAGE[0]], {"allow_axis_skip": True}, name="skip"),
    Case("Squeeze", 15, [PAGE, i64([1])], [PAGE], {"allow_axis_skip": True}, name="skipped"),
    Case(
        "Squeeze",
        15,
        [np.array([["a"]], object), i64([1])],
        [np.array(["a"], object)],
        {"allow_axis_skip": True},
        name="strings",
        departs="strings",
    ),
]

INVALID = [
    Invalid("Squeeze", 1, [PAGE, i64([4])], "axis 4 is outside a tensor of rank 4", input=1),
    Invalid("Squeeze", 15, [PAGE, i64([-5])], "axis -5 is outside a tensor of rank 4", input=1),
    Invalid("Squeeze", 1, [PAGE, i64([[0]])], "input 1 (axes) has rank 2, expected 0 or 1", input=1),
    Invalid("Squeeze", 15, [PAGE, "boolean[1]"], "input 1 (axes) is boolean, expected any integer type", input=1),
]

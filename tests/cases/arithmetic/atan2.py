from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64, i32

CASES = [
    Case(
        "Atan2",
        17,
        [f32([1, 1, -1, -1]), f32([1, -1, -1, 1])],
        [f32([0.7853981633974483, 2.356194490192345, -2.356194490192345, -0.7853981633974483])],
        {"auto_broadcast": "none"},
        name="quadrants",
        departs="unknown",
    ),
    Case(
        "Atan2",
        17,
        [f32([[0], [2]]), f32([[-1, 0, 3]])],
        [f32([[3.141592653589793, 0, 0], [2.0344439357957027, 1.5707963267948966, 0.5880026035475675]])],
        name="numpy",
        departs="unknown",
    ),
    Case(
        "Atan2",
        17,
        [f32([-0.0, np.inf, np.nan]), f32([-1, np.inf, 1])],
        [f32([-3.141592653589793, 0.7853981633974483, np.nan])],
        name="special",
        departs="unknown",
    ),
    Case(
        "Atan2",
        17,
        [f64([1]), f64([2])],
        [f64([0.4636476090008061])],
        name="f64",
        rtol=1e-15,
        departs="unknown",
    ),
    Case(
        "Atan2",
        17,
        [f32([[1, 1], [0, 0]]), f32([1, -1])],
        [f32([[0.7853981633974483, 0.7853981633974483], [3.141592653589793, 3.141592653589793]])],
        {"auto_broadcast": "pdpd", "axis": 0},
        name="pdpd",
        departs="unknown",
    ),
]
INVALID = [
    Invalid(
        "Atan2",
        17,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shapes [1,2] and [3] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Atan2",
        17,
        [f32([[1, 2]]), f32([1, 2])],
        "shapes [1,2] and [2] differ, and auto_broadcast is none",
        {"auto_broadcast": "none"},
        input=1,
    ),
    Invalid(
        "Atan2",
        17,
        ["f32[2,?]", "f32[3,?]"],
        "shapes [2,?] and [3,?] do not broadcast: 2 and 3 differ and neither is 1",
        input=1,
    ),
    Invalid(
        "Atan2",
        17,
        [f32([[1, 2]]), f32([1, 2, 3])],
        "shape [3] does not fit into [1,2] from axis 0 on",
        {"auto_broadcast": "pdpd", "axis": 0},
        input=1,
    ),
    Invalid(
        "Atan2", 17, [f32([1]), f32([1])], "auto_broadcast.auto_broadcast_axis is -2, expected >= -1", {"axis": -2}
    ),
    Invalid("Atan2", 17, [i32([1]), i32([1])], "input 0 (y) is i32, expected any float type", input=0),
]

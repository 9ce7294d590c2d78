from __future__ import annotations

import numpy as np

from irrun.tensor.element_type import F16, F32, I32, I64, U8
from tests.cases import Case, Invalid, f32, f64, i32, i64

_UP = [2, 5, 8, 11, 14, 17, 20]
_DOWN = [23, 20, 17, 14, 11, 8, 5]

CASES = [
    Case("Range", 1, [i64(2), i64(23), i64(3)], [i64(_UP)], source="page", name="up"),
    Case("Range", 1, [i64(23), i64(2), i64(-3)], [i64(_DOWN)], source="page", name="down"),
    Case("Range", 1, [f32(1), f32(2.5), f32(0.5)], [f32([1, 1.5, 2])], name="f32"),
    Case("Range", 1, [i32(3), i32(3), i32(1)], [i32([])], name="empty"),
    Case("Range", 4, [i32(2), i32(23), i32(3)], [i32(_UP)], {"output_type": I32}, "page", "up"),
    Case("Range", 4, [i32(23), i32(2), i32(-3)], [i32(_DOWN)], {"output_type": I32}, "page", "down"),
    Case("Range", 4, [f32(1), f32(2.5), f32(0.5)], [f32([1, 1.5, 2])], {"output_type": F32}, "page", "floats"),
    Case(
        "Range",
        4,
        [i32(23), i32(2), i32(-(2**31))],
        [i32([23])],
        {"output_type": I32},
        name="one large step",
        departs="large step",
    ),
    Case(
        "Range",
        4,
        [i64(5), i64(3), i64(1)],
        [i64([])],
        {"output_type": I64},
        name="away from stop",
        departs="away",
    ),
    Case(
        "Range",
        4,
        [f32(1.9), f32(4.5), f32(1.5)],
        [i32([1, 2, 3])],
        {"output_type": I32},
        name="cut to integers first",
        departs="convert",
    ),
    Case("Range", 4, [i64(0), i32(3), f32(1)], [f32([0, 1, 2])], {"output_type": F32}, name="mixed types"),
    Case(
        "Range",
        4,
        [i64(2**53), i64(2**53 + 3), i64(1)],
        [i64([2**53, 2**53 + 1, 2**53 + 2])],
        {"output_type": I64},
        name="i64 beyond f64",
        departs="64-bit",
    ),
    Case("Range", 4, [i64(250), i64(253), i64(2)], [np.array([250, 252], np.uint8)], {"output_type": U8}, name="u8"),
    Case(
        "Range",
        1,
        [np.array(value, np.uint64) for value in (2**64 - 3, 2**64 - 1, 1)],
        [np.array([2**64 - 3, 2**64 - 2], np.uint64)],
        name="u64 beyond i64",
        departs="64-bit",
    ),
    Case("Range", 4, [f64(0), f64(1), f64(0.1)], [f32(np.arange(10) / 10)], {"output_type": F32}, name="f64 inputs"),
    Case(
        "Range",
        4,
        [f32(0), f32(0.3), f32(0.1)],
        [f32([0, 0.0999755859375, 0.199951171875, 0.300048828125])],
        {"output_type": F16},
        name="f16 output",
        departs="convert",
    ),
]
_I32 = {"output_type": I32}
INVALID = [
    Invalid("Range", 4, [f32(-1e30), f32(1e30), f32(1e30)], "expected a number of 64 bits", _I32, input=0),
    Invalid("Range", 1, [i64(0), i64(3), i64(0)], "step is 0, expected another number", input=2),
    Invalid("Range", 1, [i64(0), i64([3]), i64(1)], "has rank 1, expected 0", input=1),
    Invalid("Range", 1, [i64(0), i32(3), i64(1)], "both must have the same type T", input=1),
    Invalid("Range", 4, [f32(0), f32(np.nan), f32(1)], "stop is nan, expected a finite number", _I32, input=1),
    Invalid("Range", 4, [f32(0), f32(3), f32(0.5)], "step is 0, expected another number", _I32, input=2),
    Invalid("Range", 4, [i32(0), i32(3), i32(1)], "output_type is missing", attribute="output_type"),
    Invalid(
        "Range",
        4,
        [i32(0), i32(3), i32(1)],
        "expected a numeric type",
        {"output_type": "boolean"},
        attribute="output_type",
    ),
]

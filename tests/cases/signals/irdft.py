from __future__ import annotations

from tests.cases import Case, Invalid, f32, i32, i64

_HALF = f32([[10, 0], [-2, 2], [-2, 0]])

CASES = [
    Case("IRDFT", 9, [_HALF, i64([0])], [f32([1, 2, 3, 4])], name="four points"),
    Case("IRDFT", 9, [f32([[7, 0], [-2, 3**0.5]]), i32([-1]), i64([3])], [f32([1, 2, 4])], name="three points"),
    Case(
        "IRDFT", 9, [f32([[[11, 0], [-3, 0]], [[-5, 0], [1, 0]]]), i64([0, 1])], [f32([[1, 2], [3, 5]])], name="plane"
    ),
    Case("IRDFT", 9, [_HALF, i64([0]), i64([2])], [f32([4, 6])], name="cut"),
    Case(
        "IRDFT",
        9,
        [f32([[8, 0], [0, 0]]), i64([0]), i64([8])],
        [f32([1] * 8)],
        name="padded",
        departs="size",
    ),
]
INVALID = [
    Invalid("IRDFT", 9, [_HALF, i64([1])], "axis 1 is outside -1 to 0", input=1),
    Invalid("IRDFT", 9, ["f32[4,3]", i64([0])], "must be the same, got 3 and 2", input=0),
    Invalid("IRDFT", 9, [_HALF, i64([0]), i64([4, 4])], "the numbers of axes and of signal sizes", input=2),
]

from __future__ import annotations

from tests.cases import Case, Invalid, f32, i32, i64

_SIGNAL = f32([[1, 0], [2, 0], [3, 0], [4, 0]])
_SPECTRUM = f32([[10, 0], [-2, 2], [-2, 0], [-2, -2]])
_PLANE = f32([[[1, 0], [2, 1]], [[3, 0], [4, -1]]])

CASES = [
    Case("IDFT", 7, [_SPECTRUM, i64([0])], [_SIGNAL], name="four points"),
    Case("IDFT", 7, [f32([[[10, 0], [-2, 0]], [[-4, 2], [0, -2]]]), i32([-1, -2])], [_PLANE], name="plane"),
    Case("IDFT", 7, [_SPECTRUM, i64([0]), i64([2])], [f32([[4, 1], [6, -1]])], name="cut"),
    Case("IDFT", 7, [f32([[4, 0]]), i64([0]), i64([4])], [f32([[1, 0]] * 4)], name="padded"),
]
INVALID = [
    Invalid("IDFT", 7, [_SPECTRUM, i64([-2])], "axis -2 is outside -1 to 0", input=1),
    Invalid("IDFT", 7, ["f32[4,1]", i64([0])], "must be the same, got 1 and 2", input=0),
    Invalid("IDFT", 7, [_SPECTRUM, i64([0]), i64([2, 2])], "the numbers of axes and of signal sizes", input=2),
]

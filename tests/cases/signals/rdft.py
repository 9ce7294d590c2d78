from __future__ import annotations

from tests.cases import Case, Invalid, f32, i32, i64

CASES = [
    Case("RDFT", 9, [f32([1, 2, 3, 4]), i64([0])], [f32([[10, 0], [-2, 2], [-2, 0]])], name="four points"),
    Case("RDFT", 9, [f32([1, 2, 4]), i32([-1])], [f32([[7, 0], [-2, 3**0.5]])], name="three points"),
    Case(
        "RDFT",
        9,
        [f32([[1, 2], [3, 5]]), i64([0, 1])],
        [f32([[[11, 0], [-3, 0]], [[-5, 0], [1, 0]]])],
        name="plane",
    ),
    Case(
        "RDFT",
        9,
        [f32([[1, 2], [3, 5]]), i64([1, 0]), i64([-1, 4])],
        [f32([[[11, 0], [-3, 0]], [[3, -8], [-1, 2]], [[-5, 0], [1, 0]]])],
        name="axes in another order, padded",
        departs="size",
    ),
    Case("RDFT", 9, [f32([1, 2, 3, 4]), i64([0]), i64([2])], [f32([[3, 0], [-1, 0]])], name="cut"),
]
INVALID = [
    Invalid("RDFT", 9, ["f32[4]", i64([1])], "axis 1 is outside -1 to 0", input=1),
    Invalid("RDFT", 9, [f32(1), i64([0])], "data is a scalar", input=0),
    Invalid("RDFT", 9, ["f32[4,4]", i64([1, 1])], "axes 1, 1 are not different", input=1),
    Invalid("RDFT", 9, ["f32[4]", i64([0]), i64([4, 4])], "the numbers of axes and of signal sizes", input=2),
]

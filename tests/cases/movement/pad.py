from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64, u8

DATA = f32([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
MODES = ("constant", "edge", "reflect", "symmetric")
POSITIVE = {
    "constant": [
        [0, 1, 2, 3, 4, 0, 0, 0],
        [0, 5, 6, 7, 8, 0, 0, 0],
        [0, 9, 10, 11, 12, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
    ],
    "edge": [
        [1, 1, 2, 3, 4, 4, 4, 4],
        [5, 5, 6, 7, 8, 8, 8, 8],
        [9, 9, 10, 11, 12, 12, 12, 12],
        [9, 9, 10, 11, 12, 12, 12, 12],
        [9, 9, 10, 11, 12, 12, 12, 12],
    ],
    "reflect": [
        [2, 1, 2, 3, 4, 3, 2, 1],
        [6, 5, 6, 7, 8, 7, 6, 5],
        [10, 9, 10, 11, 12, 11, 10, 9],
        [6, 5, 6, 7, 8, 7, 6, 5],
        [2, 1, 2, 3, 4, 3, 2, 1],
    ],
    "symmetric": [
        [1, 1, 2, 3, 4, 4, 3, 2],
        [5, 5, 6, 7, 8, 8, 7, 6],
        [9, 9, 10, 11, 12, 12, 11, 10],
        [9, 9, 10, 11, 12, 12, 11, 10],
        [5, 5, 6, 7, 8, 8, 7, 6],
    ],
}
MIXED = {
    "constant": [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [2, 3, 4, 0, 0, 0], [6, 7, 8, 0, 0, 0]],
    "edge": [[2, 3, 4, 4, 4, 4], [2, 3, 4, 4, 4, 4], [2, 3, 4, 4, 4, 4], [6, 7, 8, 8, 8, 8]],
    "reflect": [[10, 11, 12, 11, 10, 9], [6, 7, 8, 7, 6, 5], [2, 3, 4, 3, 2, 1], [6, 7, 8, 7, 6, 5]],
    "symmetric": [[6, 7, 8, 8, 7, 6], [2, 3, 4, 4, 3, 2], [2, 3, 4, 4, 3, 2], [6, 7, 8, 8, 7, 6]],
}
BLOCK = f32(np.arange(1 * 3 * 32 * 40).reshape(1, 3, 32, 40))
LARGE = f32(np.arange(2 * 3 * 32 * 40).reshape(2, 3, 32, 40))


def around(inner: np.ndarray, shape: tuple[int, ...], corner: tuple[int, ...]) -> np.ndarray:
    """Return an array of 15 with ``inner`` at ``corner``."""
    whole = np.full(shape, 15, dtype=np.float32)
    whole[tuple(slice(at, at + size) for at, size in zip(corner, inner.shape, strict=True))] = inner
    return whole


CASES = [
    *(
        case
        for opset in (1, 12)
        for case in (
            *(
                Case(
                    "Pad",
                    opset,
                    [DATA, i64([0, 1]), i64([2, 3])],
                    [f32(want)],
                    {"pad_mode": mode},
                    "page",
                    f"positive-{mode}",
                )
                for mode, want in POSITIVE.items()
            ),
            Case(
                "Pad",
                opset,
                [BLOCK, i64([0, 5, 2, 1]), i64([1, 0, 3, 7]), f32(15)],
                [around(BLOCK, (2, 8, 37, 48), (0, 5, 2, 1))],
                {"pad_mode": "constant"},
                "page",
                "block-constant",
            ),
            Case(
                "Pad",
                opset,
                [BLOCK, i64([0, 5, 2, 1]), i64([1, 0, 3, 7])],
                [
                    BLOCK[
                        np.ix_(
                            [0] * 2,
                            [0] * 5 + [0, 1, 2],
                            [0] * 2 + [*range(32)] + [31] * 3,
                            [0] + [*range(40)] + [39] * 7,
                        )
                    ]
                ],
                {"pad_mode": "edge"},
                "page",
                "block-edge",
            ),
            Case(
                "Pad",
                opset,
                [f32([1, 2, 3]), i32([1]), i32([1]), f32(9)],
                [f32([9, 1, 2, 3, 9])],
                {"pad_mode": "constant"},
                name="value",
            ),
            Case(
                "Pad",
                opset,
                [f32([1, 2, 3]), i64([2]), i64([2]), f32(9)],
                [f32([3, 2, 1, 2, 3, 2, 1])],
                {"pad_mode": "reflect"},
                name="value-ignored",
            ),
            Case(
                "Pad",
                opset,
                [f32([1, 2, 3]), i64([3]), i64([3])],
                [f32([3, 2, 1, 1, 2, 3, 3, 2, 1])],
                {"pad_mode": "symmetric"},
                name="symmetric-most",
            ),
            Case(
                "Pad",
                opset,
                [u8([1, 2]), i64([1]), i64([2]), u8(255)],
                [u8([255, 1, 2, 255, 255])],
                {"pad_mode": "constant"},
                name="bytes",
            ),
            Case(
                "Pad",
                opset,
                [i64([2**60]), i64([1]), i64([0]), i64(-(2**60))],
                [i64([-(2**60), 2**60])],
                {"pad_mode": "constant"},
                name="wide",
                departs="64-bit",
            ),
            Case("Pad", opset, [f32([5]), i64([0]), i64([0])], [f32([5])], {"pad_mode": "reflect"}, name="nothing"),
            Case("Pad", opset, [f32([]), i64([1]), i64([1])], [f32([0, 0])], {"pad_mode": "constant"}, name="empty"),
            Case(
                "Pad",
                opset,
                [f32(5), i64([]), i64([])],
                [f32(5)],
                {"pad_mode": "constant"},
                name="scalar",
                departs="scalar",
            ),
        )
    ),
    *(
        Case(
            "Pad",
            12,
            [DATA, i64([-1, -1]), i64([-1, -1])],
            [f32([[6, 7]])],
            {"pad_mode": mode},
            "page",
            f"negative-{mode}",
        )
        for mode in MODES
    ),
    *(
        Case("Pad", 12, [DATA, i64([2, -1]), i64([-1, 3])], [f32(want)], {"pad_mode": mode}, "page", f"mixed-{mode}")
        for mode, want in MIXED.items()
    ),
    Case(
        "Pad",
        12,
        [LARGE, i64([0, -2, -8, 1]), i64([-1, 4, -6, 7]), f32(15)],
        [around(LARGE[:1, 2:, 8:26], (1, 5, 18, 48), (0, 0, 0, 1))],
        {"pad_mode": "constant"},
        "page",
        "block-mixed",
    ),
    *(
        Case(
            "Pad",
            12,
            [f32([1, 2, 3]), i64([-2]), i64([-2])],
            [f32([])],
            {"pad_mode": mode},
            name=f"cropped-away-{mode}",
            departs="cropped",
        )
        for mode in MODES
    ),
    Case(
        "Pad",
        12,
        [f32([1, 2, 3]), i64([-4]), i64([3])],
        [f32([0, 0])],
        {"pad_mode": "constant"},
        name="cropped-beyond",
        departs="cropped",
    ),
    Case(
        "Pad",
        12,
        [np.array(["a"], dtype=object), i64([1]), i64([1])],
        [np.array(["", "a", ""], dtype=object)],
        {"pad_mode": "constant"},
        name="strings",
    ),
]

INVALID = [
    Invalid("Pad", 12, [f32([1]), i64([-(2**62)]), i64([0])], "expected less than 2^62", {"pad_mode": "edge"}, input=1),
    Invalid(
        "Pad",
        12,
        [f32([1, 2, 3]), i64([3]), i64([0])],
        "pads_begin is 3 on axis 0 of size 3, expected at most 2 to reflect",
        {"pad_mode": "reflect"},
        input=1,
    ),
    Invalid(
        "Pad",
        1,
        [f32([1, 2, 3]), i64([0]), i64([4])],
        "pads_end is 4 on axis 0 of size 3, expected at most 3 to symmetric",
        {"pad_mode": "symmetric"},
        input=2,
    ),
    Invalid(
        "Pad",
        12,
        ["f32[2..4]", i64([4]), i64([0])],
        "pads_begin is 4 on axis 0 of size 2..4, expected at most 3 to reflect",
        {"pad_mode": "reflect"},
        input=1,
    ),
    Invalid(
        "Pad",
        12,
        [f32([]), i64([1]), i64([0])],
        "axis 0 of size 0 has no edge to pad with",
        {"pad_mode": "edge"},
        input=0,
    ),
    Invalid(
        "Pad",
        12,
        [f32([[1]]), i64([1]), i64([1, 1])],
        "pads_begin has 1 element, expected 2, the rank of data",
        {"pad_mode": "constant"},
        input=1,
    ),
    Invalid(
        "Pad",
        12,
        ["f32[...]", i64([1]), i64([1, 1])],
        "pads_end has 2 elements, expected 1 as pads_begin",
        {"pad_mode": "constant"},
        input=2,
    ),
    Invalid(
        "Pad",
        12,
        [f32([1]), i64([1]), i64([1]), f32([0])],
        "input 3 (pad_value) has rank 1, expected 0",
        {"pad_mode": "constant"},
        input=3,
    ),
    Invalid(
        "Pad",
        12,
        [f32([1]), i64([1]), i64([1]), i64(0)],
        "input 3 (pad_value) is i64 but input 0 is f32",
        {"pad_mode": "constant"},
        input=3,
    ),
    Invalid(
        "Pad",
        12,
        [np.array(["a"], dtype=object), i64([1]), i64([1])],
        "pad_mode is edge, expected constant for strings",
        {"pad_mode": "edge"},
        attribute="pad_mode",
    ),
    Invalid("Pad", 12, [f32([1]), i64([1]), i64([1])], "pad_mode is missing; Pad requires it", attribute="pad_mode"),
]

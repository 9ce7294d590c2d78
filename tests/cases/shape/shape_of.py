from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, boolean, f32, i32, i64

IMAGE = f32(np.zeros((2, 3, 224, 224)))
WORDS = np.array([["a", "b"]], dtype=object)

CASES = [
    *(Case("ShapeOf", opset, [IMAGE], [i64([2, 3, 224, 224])], source="page", name="image") for opset in (1, 3)),
    *(Case("ShapeOf", opset, [f32(5)], [i64([])], name="scalar") for opset in (1, 3)),
    Case("ShapeOf", 1, [boolean([[True]])], [i64([1, 1])], name="booleans"),
    Case("ShapeOf", 3, [f32(np.zeros((0, 3)))], [i32([0, 3])], {"output_type": "i32"}, name="empty-i32"),
    Case("ShapeOf", 3, [WORDS], [i64([1, 2])], {"output_type": "i64"}, name="strings"),
    Case("ShapeOf", 15, [f32([1, 2])], [i32([2])], {"output_type": "i32"}, name="later-opset"),
]

INVALID = [
    Invalid("ShapeOf", 1, [f32([1]), f32([1])], "ShapeOf has 2 inputs, expected 1 (data)"),
    Invalid(
        "ShapeOf",
        1,
        [f32([1])],
        "ShapeOf has no attribute output_type",
        {"output_type": "i64"},
        attribute="output_type",
    ),
]

from __future__ import annotations

from tests.cases import boolean, f32, i32
from tests.cases.tokenizers.text import case, ids, invalid

_OP = "RaggedToDense"
_ROWS = ids([1, 2, 3], [], [4])

CASES = [
    case(
        _OP,
        [*_ROWS, i32(2), i32(9)],
        [i32([[1, 2], [9, 9], [4, 9]]), boolean([[1, 1], [0, 0], [1, 0]])],
        name="right",
        source="oracle",
    ),
    case(
        _OP,
        [*_ROWS, i32([2]), i32(9)],
        [i32([[1, 2], [9, 9], [9, 4]]), boolean([[1, 1], [0, 0], [0, 1]])],
        {"pad_right": False},
        name="left",
        source="oracle",
    ),
    case(
        _OP,
        [*_ROWS, i32(2), i32(9), boolean(True)],
        [i32([[1, 2], [9, 9], [4, 9]]), boolean([[1, 1], [0, 0], [1, 0]])],
        {"pad_right": False},
        name="the input wins",
        source="oracle",
    ),
    case(
        _OP,
        [i32([0, 1]), i32([1, 1]), i32([1, 2, 3]), i32(2), i32(9)],
        [i32([[1, 2], [2, 3]]), boolean([[1, 1], [1, 1]])],
        {"m_pad_max_length": True},
        name="whole",
        source="oracle",
    ),
    case(
        _OP,
        [i32([0, 1]), i32([1, 3]), f32([[1, 2], [3, 4], [5, 6]]), i32(2), f32(0)],
        [f32([[[1, 2], [0, 0]], [[3, 4], [5, 6]]]), boolean([[[1, 1], [0, 0]], [[1, 1], [1, 1]]])],
        name="elements are vectors",
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, [*_ROWS, i32([1, 2]), i32(0)], "size has 2 elements, expected 1", input=3),
    invalid(_OP, [*_ROWS, i32(1), f32(0)], "both must have the same type T", input=4),
    invalid(_OP, [i32([0]), i32([2]), i32([1]), i32(2), i32(0)], "a row from 0 to 2 is outside 1 element", input=0),
]

from __future__ import annotations

from tests.cases import f32, i32, i64
from tests.cases.tokenizers.text import case, ids, invalid

_OP = "CombineSegments"
_TOKEN = [i32(0), i32(1), i32([2])]

CASES = [
    case(
        _OP,
        [*_TOKEN, *ids([5, 6], [], [7]), i32(0), i32(2), i32([3, 4]), i32([0, 1, 9])],
        [*ids([2, 5, 6, 3, 4], [2, 3, 4], [2, 7, 3, 4]), *ids([0, 1, 1, 9, 9], [0, 9, 9], [0, 1, 9, 9])],
        name="tokens around rows",
        source="oracle",
    ),
    case(
        _OP,
        [i32([1, 0]), i32([2, 2]), f32([1, 2]), i32([0]), i32([0]), f32([8]), i32([3, 4])],
        [i32([0, 1]), i32([1, 3]), f32([2, 1, 2]), *ids([3], [3, 3])],
        name="gaps, and a row without elements",
        source="oracle",
    ),
    case(
        _OP,
        [*_TOKEN, *_TOKEN, i32([0, 1])],
        [i32(0), i32(2), i32([2, 2]), i32(0), i32(2), i32([0, 1])],
        name="scalars",
    ),
]
INVALID = [
    invalid(_OP, [*_TOKEN, *_TOKEN], "CombineSegments has 6 inputs, expected three for each tensor and the ids"),
    invalid(_OP, [*ids([1], [2]), *ids([1], [2], [3]), i32([0, 1])], "cannot join 3 rows with 2", input=3),
    invalid(_OP, [*_TOKEN, i32([1, 2])], "the numbers of tensors and of ids", input=3),
    invalid(_OP, [*_TOKEN, i32(0), i32(1), f32([1]), i32([1, 2])], "input 5 (data) is f32, expected i32", input=5),
    invalid(_OP, [i64(0), i32(1), i32([2]), i32([1])], "input 0 (begins) is i64, expected i32", input=0),
    invalid(_OP, [i32(0), i32(3), i32([2]), i32([1])], "a row from 0 to 3 is outside 1 element", input=0),
]

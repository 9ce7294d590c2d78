from __future__ import annotations

from tests.cases import Array, i32
from tests.cases.tokenizers.text import case, chars, ids, invalid

_OP = "Truncate"
_FIRST = ids([1, 2, 3, 4, 5, 6], [1, 2], [1, 2, 3, 4])
_SECOND = ids([7, 8], [9, 9, 9, 9, 9, 9], [5, 6, 7, 8])


def _how(longest: int, side: str, mode: str) -> list[Array]:
    return [i32(longest), chars(side), chars(mode)]


def _pair(longest: int, side: str, mode: str) -> list[Array]:
    return [*_FIRST, *_SECOND, *_how(longest, side, mode)]


CASES = [
    case(
        _OP,
        [*_FIRST, *_how(3, "right", "longest_first")],
        [i32([0, 6, 8]), i32([3, 8, 11]), _FIRST[2]],
        {"m_num_inputs": 1},
        name="right",
        source="oracle",
    ),
    case(
        _OP,
        [*_FIRST, *_how(3, "left", "longest_first")],
        [i32([3, 6, 9]), i32([6, 8, 12]), _FIRST[2]],
        name="left",
        source="oracle",
    ),
    case(
        _OP,
        _pair(7, "right", "longest_first"),
        [i32([0, 6, 8]), i32([5, 8, 12]), _FIRST[2], i32([0, 2, 8]), i32([2, 7, 11]), _SECOND[2]],
        name="longest_first",
        source="oracle",
    ),
    case(
        _OP,
        _pair(5, "left", "only_first"),
        [i32([1, 6, 8]), i32([6, 8, 12]), _FIRST[2], *_SECOND],
        name="only_first",
        source="oracle",
    ),
    case(
        _OP,
        _pair(5, "right", "only_second"),
        [*_FIRST, i32([0, 2, 8]), i32([2, 7, 12]), _SECOND[2]],
        name="only_second",
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, [*_FIRST, *_how(3, "top", "only_first")], "side is 'top', expected left or right", input=4),
    invalid(_OP, _pair(3, "left", "all"), "mode is 'all', expected only_first, only_second or longest_first", input=8),
    invalid(_OP, [*_FIRST, *_how(3, "left", "only_first"), i32(3)], "Truncate has 7 inputs, expected 6 or 9"),
    invalid(
        _OP,
        [*_FIRST, *ids([1]), *_how(3, "left", "only_first")],
        "both tensors must have the same number of rows, got [3] and [1]",
        input=3,
    ),
]

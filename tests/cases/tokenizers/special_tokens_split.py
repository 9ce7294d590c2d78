from __future__ import annotations

from tests.cases import boolean, i32
from tests.cases.tokenizers.text import case, chars, invalid, rows

_OP = "SpecialTokensSplit"

CASES = [
    case(
        _OP,
        [*rows(["<s>é  [x] b"], [""], ["c"]), chars(r"(<s>)|(?:\s*)(\[x\])(?:\s*)")],
        [
            i32([0, 4, 4]),
            i32([4, 4, 5]),
            i32([0, 3, 7, 11, 12]),
            i32([3, 5, 10, 12, 13]),
            chars("<s>é  [x] bc"),
            boolean([True, False, True, False, False]),
        ],
        source="oracle",
    ),
    case(
        _OP,
        [*rows(["a<s>"]), chars("<s>")],
        [i32([0]), i32([2]), i32([0, 1]), i32([1, 4]), chars("a<s>"), boolean([False, True])],
        name="without a group",
        source="oracle",
    ),
    case(
        _OP,
        [*rows(["ab"], ["ab"]), boolean([True, False]), chars("(a)")],
        [i32([0, 1]), i32([1, 3]), i32([0, 2, 3]), i32([2, 3, 4]), chars("abab"), boolean([True, True, False])],
        name="flags",
    ),
]
INVALID = [
    invalid(_OP, [*rows(["a"]), boolean([True])], "input 5 (pattern) is boolean, expected u8", input=5),
    invalid(_OP, rows(["a"]), "SpecialTokensSplit has 5 inputs, expected 6 to 7"),
]

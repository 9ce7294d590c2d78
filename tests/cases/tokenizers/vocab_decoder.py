from __future__ import annotations

import numpy as np

from tests.cases import i32
from tests.cases.tokenizers.text import case, invalid, rows, strings

_OP = "VocabDecoder"
_TOKENS = strings("<s>", "a", "é", "")

CASES = [
    case(_OP, [i32([[0, 1, 2], [3, 9, -1]]), *_TOKENS], rows(["<s>", "a", "é"], ["", "", ""]), source="oracle"),
    case(_OP, [i32([[0, 1, 2]]), *_TOKENS, i32([0, 2])], rows(["", "a", ""]), name="skipped", source="oracle"),
    case(
        _OP,
        [i32([[0, 1]]), *_TOKENS],
        rows(["", "a"]),
        {"skip_tokens": (0,)},
        name="skipped by attribute",
        source="oracle",
    ),
    case(_OP, [i32(np.zeros((2, 0))), *_TOKENS], rows([""], [""]), name="no ids", source="oracle"),
]
INVALID = [invalid(_OP, [i32([1]), *_TOKENS], "input 0 (ids) has rank 1, expected 2", input=0)]

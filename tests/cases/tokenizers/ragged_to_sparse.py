from __future__ import annotations

import numpy as np

from tests.cases import i32
from tests.cases.tokenizers.text import case, invalid

_OP = "RaggedToSparse"

CASES = [
    case(_OP, [i32([0, 2, 2]), i32([2, 2, 3])], [i32([[0, 0], [0, 1], [2, 0]])], source="oracle"),
    case(_OP, [i32([]), i32([])], [i32(np.zeros((0, 2)))], name="no rows"),
]
INVALID = [invalid(_OP, [i32([0]), i32([1, 2])], "begins and ends must have one shape, got [1] and [2]", input=1)]

from __future__ import annotations

from tests.cases import f32, i32
from tests.cases.tokenizers.text import case, invalid

_OP = "RaggedTensorPack"

CASES = [case(_OP, [i32([0, 1]), i32([1, 2]), f32([5, 6])], [f32([5, 6])], source="oracle")]
INVALID = [invalid(_OP, [i32([0]), "i64[1]", f32([5])], "input 1 (ends) is i64, expected i32", input=1)]

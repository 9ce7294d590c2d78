from __future__ import annotations

from tests.cases.tokenizers.text import case, invalid, rows, strings

_OP = "CharsToBytes"

CASES = [
    case(_OP, rows(["aĠ", "b"], [], ["Ã", "©", "Ċ"]), strings("a b", "", "é\n"), source="oracle"),
]
INVALID = [
    invalid(_OP, rows([" "]), "b' ' has characters that stand for no byte", input=4),
    invalid(_OP, [*rows(["a"])[:4], "i8[1]"], "input 4 (text_chars) is i8, expected u8", input=4),
]

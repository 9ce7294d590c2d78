from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, i32, i64
from tests.cases.tokenizers.models import BPE, BYTES, CHAR, UNUSED, USER_DEFINED, WORD, model
from tests.cases.tokenizers.text import case, chars, invalid, strings

_OP = "SentencepieceTokenizer"
_UNIGRAM = model([("▁", -3), ("a", -2), ("b", -2.5), ("▁ab", -4), ("<x>", 0, USER_DEFINED)])
_PAIRS = model([("▁", -5), ("a", -6), ("b", -7), ("ab", -1), ("▁ab", -2), ("aba", -0.5, UNUSED)], BPE)


def _texts(*texts: str) -> Array:
    return np.array(texts, object)


def _case(of: Array, texts: list[str], rows: list[list[int]], name: str, *tokens: Array, **attributes: Any) -> Case:
    expected = [
        i64([[row, place] for row, ids in enumerate(rows) for place in range(len(ids))]).reshape(-1, 2),
        i32([id for ids in rows for id in ids]),
        i64([len(rows), max(map(len, rows))]),
    ]
    return case(_OP, [of, _texts(*texts), *tokens], expected, attributes, name=name, source="oracle")


_SPECIAL = [*strings("[x]", "sep"), i32([70, 71])]

CASES = [
    _case(_UNIGRAM, ["ab b", "", "aa<x>zza"], [[6, 3, 5], [], [3, 4, 4, 7, 0, 4]], "unigram"),
    _case(_UNIGRAM, ["a"], [[4, 3][::-1]], "no spaces are added", alpha=0.0, nbest_size=0),
    _case(_UNIGRAM, ["ab"], [[2, 6, 1]], "reverse", add_bos=True, add_eos=True, reverse=True),
    _case(_PAIRS, ["ab  ab", "abab", "éa"], [[7, 7], [3, 6, 4, 5], [3, 0, 4]], "bpe"),
    _case(_PAIRS, ["aba"], [[3, 6, 4]], "unused pieces"),
    _case(
        model([("ab▁", -1), ("▁", -2), ("a", -3), ("b", -4)], BPE, suffix=True), ["ab a"], [[5, 6, 4, 5, 4]], "suffix"
    ),
    _case(model([("▁", 0), ("a", 0), ("é", 0)], CHAR), ["aé bc"], [[3, 4, 5, 3, 0]], "characters"),
    _case(model([("▁ab", 0), ("▁c", 0)], WORD), ["ab c d e"], [[3, 4, 0]], "words"),
    _case(
        model([("▁", -1), *BYTES], byte_fallback=True, prefix=False),
        ["é a"],
        [[4 + 0xC3, 4 + 0xA9, 3, 4 + 0x61]],
        "bytes",
    ),
    _case(model([("▁", -1), ("a", -2)], removes_spaces=False), [" a  "], [[3, 3, 4, 3, 3]], "spaces are kept"),
    _case(
        _UNIGRAM,
        ["ab[x]ab sep", "separate"],
        [[1, 6, 70, 1, 6, 71, 2], [71, 1, 3, 4, 0, 4, 0, 2]],
        "special tokens",
        *_SPECIAL,
        add_bos=True,
        add_eos=True,
    ),
    _case(_UNIGRAM, ["ab[x]a"], [[2, 4, 3, 70, 6]], "special, reverse", *_SPECIAL, add_eos=True, reverse=True),
    case(
        _OP,
        [_UNIGRAM, *strings("ab", "a"), *_SPECIAL],
        [i64([[0, 0], [1, 0], [1, 1]]), i32([6, 3, 4]), i64([2, 2])],
        name="strings as bytes",
        source="oracle",
    ),
]
INVALID = [
    invalid(_OP, [_UNIGRAM, _texts("a"), i32([0])], "SentencepieceTokenizer has 3 inputs, expected 2, 4, 6 or 8"),
    invalid(_OP, [_UNIGRAM, i32([0])], "input 1 (text) is i32, expected string", input=1),
    invalid(
        _OP, [chars("\n"), _texts("a")], "the model of SentencePiece cannot be read: an integer is cut off", input=0
    ),
    invalid(
        _OP, [chars(""), _texts("a")], "the model of SentencePiece cannot be read: the model has no pieces", input=0
    ),
    invalid(_OP, [_UNIGRAM, _texts("a")], "nbest_size is 513, expected <= 512", {"nbest_size": 513}, input=0),
]

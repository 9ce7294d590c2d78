from __future__ import annotations

import numpy as np

from irrun.kernels.text.kept import kept
from irrun.kernels.text.strings import rows
from irrun.kernels.text.wordpiece import WordPieces
from irrun.ops import Array, Fact, In, Op, Shape, attr, op
from irrun.ops._declared.tokenizers.ports import (
    OUT_IDS,
    ROWS_OF_TEXT,
    UNKNOWN,
    VOCABULARY,
    same_shape,
    texts,
    word_edges,
)
from irrun.tensor.element_type import I32, I64


@kept
def _encoder(begins: Array, ends: Array, chars: Array, *, indicator: str, unknown: int, longest: int) -> WordPieces:
    return WordPieces(texts(begins, ends, chars, input=5), indicator.encode(), unknown, longest)


@op("WordpieceTokenizer", opset="extension")
class WordpieceTokenizer(Op):
    """Rows of words as rows of the ids of their tokens: the longest one first, then the longest continuations.

    Continuations are the tokens that begin with ``suffix_indicator``. A word that no tokens make is one unknown token.

    Note: an empty word is the longest token at its place in the bytes of all words, as OpenVINO reads beyond its end;
    at the end of them it is unknown.
    """

    workspace = 64

    inputs = (*ROWS_OF_TEXT, *VOCABULARY, In("unk_token_id", frozenset({I32, I64}), "the id of the unknown token"))
    alike = ((0, 1),)
    outputs = OUT_IDS

    suffix_indicator: str = attr("##", doc="the beginning of tokens that continue a word")
    max_bytes_per_word: int = attr(100, doc="the bytes above which a word is unknown")

    def infer(
        self, row_begins: Fact, row_ends: Fact, begins: Fact, ends: Fact, chars: Fact, *tables: Fact
    ) -> tuple[Shape, ...]:
        same_shape(begins, ends, input=2)
        same_shape(*tables[:2], input=5)
        row = same_shape(row_begins, row_ends, input=0)
        return row, row, UNKNOWN

    def run(
        self, row_begins: Array, row_ends: Array, begins: Array, ends: Array, chars: Array, *tables: Array
    ) -> tuple[Array, ...]:
        unknown, longest = int(tables[3].reshape(-1)[0].astype(np.int32)), self.max_bytes_per_word
        encoder = _encoder(*tables[:3], indicator=self.suffix_indicator, unknown=unknown, longest=longest)
        inputs = row_begins, row_ends, begins, ends, chars
        first, last = word_edges(inputs)
        counts, ids = encoder.ids.of_each(first, last, chars)
        is_empty = first == last
        if is_empty.any():
            text = chars.tobytes()
            ids[np.cumsum(counts)[is_empty] - 1] = [encoder.first(text[at:]) for at in first[is_empty].tolist()]
        return *rows(row_begins, row_ends, counts), ids

from __future__ import annotations

from irrun.kernels.text.kept import kept
from irrun.kernels.text.longest import LongestMatch
from irrun.kernels.text.strings import joined, rows
from irrun.ops import Array, Fact, In, Op, Shape, op
from irrun.ops._declared.tokenizers.ports import (
    OUT_IDS,
    ROWS_OF_TEXT,
    UNKNOWN,
    VOCABULARY,
    flat,
    said,
    same_shape,
    texts,
    words,
)
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import I32


@kept
def _tokens(begins: Array, ends: Array, chars: Array, ids: Array) -> LongestMatch:
    return LongestMatch(dict(zip(texts(begins, ends, chars, input=5), ids.reshape(-1).tolist(), strict=True)))


@op("TrieTokenizer", opset="extension")
class TrieTokenizer(Op):
    """Rows of texts as rows of the ids of the longest tokens, one after the other.

    Note: a byte with which no token begins is an error; OpenVINO never ends there. Its rows are as many as the strings.
    """

    workspace = 64

    inputs = (*ROWS_OF_TEXT, *VOCABULARY, In("indices", I32, "[tokens], the ids of the tokens", rank=1))
    alike = ((0, 1),)
    outputs = OUT_IDS

    def infer(
        self, row_begins: Fact, row_ends: Fact, begins: Fact, ends: Fact, chars: Fact, *tables: Fact
    ) -> tuple[Shape, ...]:
        same_shape(begins, ends, input=2)
        tokens = same_shape(*tables[:2], input=5)
        merge_dims(flat(tokens), flat(tables[3].shape), "the numbers of tokens and of ids", input=8)
        row = same_shape(row_begins, row_ends, input=0)
        return row, row, UNKNOWN

    def run(self, *inputs: Array) -> tuple[Array, ...]:
        tokens = _tokens(*inputs[5:9])
        counts, ids = joined([said(tokens.all, text, input=4) for text in words(inputs[:5])])
        return *rows(inputs[0], inputs[1], counts), ids

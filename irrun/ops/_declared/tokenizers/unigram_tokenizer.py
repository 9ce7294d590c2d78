from __future__ import annotations

from irrun.kernels.text.kept import kept
from irrun.kernels.text.unigram import of_openvino, without_repeated
from irrun.kernels.text.word_ids import WordIds
from irrun.ops import Array, Fact, In, Op, OpError, Shape, attr, op
from irrun.ops._declared.tokenizers.ports import (
    OUT_IDS,
    ROWS_OF_TEXT,
    UNKNOWN,
    VOCABULARY,
    flat,
    same_shape,
    texts,
    word_ids,
)
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import F32


@kept
def _ids(begins: Array, ends: Array, chars: Array, scores: Array, *, unknown: int) -> WordIds:
    """Return the ids of each text."""
    tokens = texts(begins, ends, chars, input=5)
    if b"" in tokens:
        raise OpError(f"token {tokens.index(b'')} is empty, expected at least one byte", input=5)
    encode = of_openvino(tokens, scores.reshape(-1), unknown).encode
    return WordIds(lambda text: without_repeated(encode(text), unknown))


@op("UnigramTokenizer", opset="extension")
class UnigramTokenizer(Op):
    """Rows of texts as rows of the ids of those tokens whose scores have the greatest sum.

    A character that is not a token is an unknown one, with 10 less than the least score; unknown tokens in a row are
    one. Sums are of f32; of equal sums the one with shorter tokens at the end is taken.
    """

    workspace = 64

    inputs = (*ROWS_OF_TEXT, *VOCABULARY, In("scores", F32, "[tokens], logarithms of probabilities", rank=1))
    alike = ((0, 1),)
    outputs = OUT_IDS

    byte_fallback: bool = attr(False, doc="no effect")
    unk_token_id: int = attr(0, doc="the id of unknown characters")
    fuse_unk: bool = attr(False, doc="no effect")
    min_score: float = attr(float("inf"), doc="no effect")

    def infer(
        self, row_begins: Fact, row_ends: Fact, begins: Fact, ends: Fact, chars: Fact, *tables: Fact
    ) -> tuple[Shape, ...]:
        same_shape(begins, ends, input=2)
        tokens = same_shape(*tables[:2], input=5)
        merge_dims(flat(tokens), flat(tables[3].shape), "the numbers of tokens and of scores", input=8)
        row = same_shape(row_begins, row_ends, input=0)
        return row, row, UNKNOWN

    def run(self, *inputs: Array) -> tuple[Array, ...]:
        ids = _ids(*inputs[5:9], unknown=self.unk_token_id)
        return word_ids(inputs[:5], ids)

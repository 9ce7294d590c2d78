from __future__ import annotations

from irrun.kernels.text.bpe import BytePairEncoder
from irrun.kernels.text.kept import kept
from irrun.ops import Array, Fact, In, Op, Shape, attr, op
from irrun.ops._declared.tokenizers.ports import (
    OUT_IDS,
    ROWS_OF_TEXT,
    UNKNOWN,
    VOCABULARY,
    expect_count,
    flat,
    said,
    same_shape,
    strings,
    texts,
    word_ids,
)
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import I32, U8

_COUNTS = (11, 14, 15, 18)


@kept
def _encoder(unknown: str, end_suffix: str, byte_fallback: bool, *tables: Array) -> BytePairEncoder:
    """Return the encoder of the inputs from 5 on."""
    tokens = {token: id for id, token in enumerate(texts(*tables[:3], input=5))}
    left = texts(*tables[3:6], input=8)
    if len(tables) + 5 in (14, 18):
        pairs = list(zip(left, texts(*tables[6:9], input=11), strict=True))
    else:
        pairs = [
            (first, second if space else first) for first, space, second in (text.partition(b" ") for text in left)
        ]
    if len(tables) + 5 in (15, 18):
        at = len(tables) - 4
        for token, id in zip(texts(*tables[at : at + 3], input=at + 5), tables[-1].reshape(-1).tolist(), strict=True):
            tokens.setdefault(token, id)
    return said(
        BytePairEncoder,
        tokens,
        pairs,
        unknown=unknown.encode(),
        end_suffix=end_suffix.encode(),
        byte_fallback=byte_fallback,
        input=8,
    )


@op("BPETokenizer", opset="extension")
class BPETokenizer(Op):
    """Rows of words as rows of the ids of their tokens, by byte pair encoding.

    A word is read by the longest tokens that no merge makes; then adjacent tokens are merged, the first merge of the
    list first, and of equal merges the pair that was found first. Where no token begins, one byte is read: as its
    ``<0xNN>`` token, the unknown token, or not at all.

    Note: OpenVINO fails where a word with ``end_suffix`` has more tokens than bytes.
    """

    workspace = 64

    inputs = (
        *ROWS_OF_TEXT,
        *VOCABULARY,
        *strings("merges", "the left parts of merges; with 11 or 15 inputs both parts, with a space between"),
        *strings("right_merges", "the right parts of merges; with 15 inputs the added tokens", optional=True),
        In("added_ids", I32, "with 15 inputs the ids of the added tokens; with 18 their begins", optional=True),
        In("added_ends", I32, "with 18 inputs the ends of the added tokens", optional=True),
        In("added_chars", U8, "their bytes", rank=1, optional=True),
        In("last_added_ids", I32, "the ids of the added tokens", optional=True),
    )
    alike = ((0, 1),)
    outputs = OUT_IDS

    unk_token: str = attr("", doc="the unknown token; none where the vocabulary does not have it")
    fuse_unk: bool = attr(False, doc="no effect")
    suffix_indicator: str = attr("", doc="no effect")
    end_suffix: str = attr("", doc="appended to each word")
    byte_fallback: bool = attr(False, doc="whether a byte where no token begins is its token, such as <0x0A>")
    cache_capacity: int = attr(20000, doc="no effect", ge=0)

    def infer(
        self, row_begins: Fact, row_ends: Fact, begins: Fact, ends: Fact, chars: Fact, *tables: Fact | None
    ) -> tuple[Shape, ...]:
        count = expect_count(tables, 5, _COUNTS, self.type)
        same_shape(begins, ends, input=2)
        given = [fact for fact in tables if fact is not None]
        tokens = [flat(same_shape(*given[at : at + 2], input=at + 5)) for at in range(0, len(given) - 2, 3)]
        if count in (14, 18):
            merge_dims(tokens[1], tokens[2], "the numbers of left and right parts of merges", input=11)
        if count in (15, 18):
            added = flat(given[-1].shape)
            merge_dims(tokens[-1], added, "the numbers of added tokens and of ids", input=count - 1)
        row = same_shape(row_begins, row_ends, input=0)
        return row, row, UNKNOWN

    def run(self, *inputs: Array | None) -> tuple[Array, ...]:
        given = [array for array in inputs if array is not None]
        ids = _encoder(self.unk_token, self.end_suffix, self.byte_fallback, *given[5:]).ids
        return word_ids(given[:5], ids)

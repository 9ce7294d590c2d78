from __future__ import annotations

from irrun.kernels.text.byte_characters import to_bytes
from irrun.kernels.text.strings import packed
from irrun.ops import Array, Fact, Op, Shape, op
from irrun.ops._declared.tokenizers.ports import OUT_STRINGS, ROWS_OF_TEXT, UNKNOWN, said, same_shape, words


@op("CharsToBytes", opset="extension")
class CharsToBytes(Op):
    """The bytes for which the characters of a row stand: the inverse of BytesToChars, one string for each row."""

    inputs = ROWS_OF_TEXT
    alike = ((0, 1),)
    outputs = OUT_STRINGS

    def infer(self, row_begins: Fact, row_ends: Fact, begins: Fact, ends: Fact, chars: Fact) -> tuple[Shape, ...]:
        same_shape(begins, ends, input=2)
        row = same_shape(row_begins, row_ends, input=0)
        return row, row, UNKNOWN

    def run(self, *inputs: Array) -> tuple[Array, ...]:
        row_begins, row_ends = inputs[:2]
        given = words(inputs)
        lengths = (row_ends - row_begins).reshape(-1).tolist()
        found, at = [], 0
        for length in lengths:
            found.append(said(to_bytes, b"".join(given[at : at + length]), input=4))
            at += length
        return packed(found, row_begins.shape)

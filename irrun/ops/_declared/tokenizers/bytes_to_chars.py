from __future__ import annotations

import numpy as np

from irrun.kernels.text.byte_characters import to_characters
from irrun.ops import Array, Fact, In, Op, Shape, op
from irrun.ops._declared.tokenizers.ports import (
    OUT_FLAGS,
    OUT_ROWS,
    OUT_STRINGS,
    ROWS_OF_TEXT,
    UNKNOWN,
    check_bounds,
    check_flags,
    same_shape,
)
from irrun.tensor.element_type import BOOLEAN


@op("BytesToChars", opset="extension")
class BytesToChars(Op):
    """Rows of strings in which each byte is the character that stands for it in the vocabularies of GPT-2."""

    workspace = 64

    inputs = (*ROWS_OF_TEXT, In("flags", BOOLEAN, "[strings], which strings are passed through", optional=True))
    alike = ((0, 1), (2, 3))
    outputs = (*OUT_ROWS, *OUT_STRINGS, OUT_FLAGS)

    def infer(
        self, row_begins: Fact, row_ends: Fact, begins: Fact, ends: Fact, chars: Fact, flags: Fact | None
    ) -> tuple[Shape, ...]:
        row, strings = same_shape(row_begins, row_ends, input=0), same_shape(begins, ends, input=2)
        marks = () if flags is None else (check_flags(flags, strings, input=5),)
        return row, row, strings, strings, UNKNOWN, *marks

    def run(
        self, row_begins: Array, row_ends: Array, begins: Array, ends: Array, chars: Array, flags: Array | None
    ) -> tuple[Array, ...]:
        check_bounds(begins, ends, chars.size, "a string", input=2)
        kept = np.zeros(begins.size, np.bool_) if flags is None else flags.reshape(-1)
        first, last, data = to_characters(begins.reshape(-1), ends.reshape(-1), chars, kept)
        marks = () if flags is None else (flags,)
        return row_begins, row_ends, first.reshape(begins.shape), last.reshape(ends.shape), data, *marks

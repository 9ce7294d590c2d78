from __future__ import annotations

import numpy as np

from irrun.kernels.text.splitting import split_at_tokens
from irrun.ops import Array, Fact, In, Op, Shape, op
from irrun.ops._declared.tokenizers.patterns import compiled
from irrun.ops._declared.tokenizers.ports import (
    OUT_FLAGS,
    OUT_ROWS,
    OUT_STRINGS,
    ROWS_OF_TEXT,
    UNKNOWN,
    check_flags,
    checked_rows,
    expect_count,
    expect_type,
    same_shape,
)
from irrun.tensor.element_type import BOOLEAN, U8


@op("SpecialTokensSplit", opset="extension")
class SpecialTokensSplit(Op):
    """Rows of strings, each split at its special tokens, which are flagged.

    The pattern has a group for each kind of token: the group that matched is the token, and what the match takes around
    it vanishes. Without such a group the whole match is the token. An empty string has no parts.

    Note: OpenVINO crashes on compiling a layer with flags; here flagged strings stay whole.
    """

    workspace = 128

    inputs = (
        *ROWS_OF_TEXT,
        In("flags", frozenset({BOOLEAN, U8}), "[strings], which are passed through; the pattern where there are none"),
        In("pattern", U8, "the bytes of the pattern, where there are flags", rank=1, optional=True),
    )
    alike = ((0, 1), (2, 3))
    outputs = (*OUT_ROWS, *OUT_STRINGS, OUT_FLAGS)

    def infer(
        self, row_begins: Fact, row_ends: Fact, begins: Fact, ends: Fact, chars: Fact, *more: Fact | None
    ) -> tuple[Shape, ...]:
        count = expect_count(more, 5, (6, 7), self.type)
        row, strings = same_shape(row_begins, row_ends, input=0), same_shape(begins, ends, input=2)
        flags = more[0]
        assert flags is not None
        if count == 6:
            expect_type(flags, U8, "pattern", 5)
        else:
            expect_type(flags, BOOLEAN, "flags", 5)
            check_flags(flags, strings, input=5)
        return row, row, UNKNOWN, UNKNOWN, chars.shape, UNKNOWN

    def run(
        self, row_begins: Array, row_ends: Array, begins: Array, ends: Array, chars: Array, *more: Array
    ) -> tuple[Array, ...]:
        flags, pattern = more if more[1] is not None else (np.zeros(begins.size, np.bool_), more[0])
        strings = checked_rows(row_begins, row_ends, begins, ends, chars)
        search = compiled(pattern.tobytes())
        if search is None or (
            search.is_local and not search.search(chars.tobytes().decode("utf-8", "surrogateescape"))
        ):
            order, begins, ends = strings.in_rows()
            marks = flags.reshape(-1)[order]
            counts = ((ends > begins) | marks).astype(np.int64)
            found = strings.split(counts, begins[counts > 0], ends[counts > 0]), marks[counts > 0]
        else:
            found = split_at_tokens(strings, chars, flags, search.find)
        return *found[0], chars, found[1]

from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.kernels.text.splitting import Segments, at_characters, at_matches, parts
from irrun.ops import Array, Fact, In, Op, OpError, Shape, attr, op
from irrun.ops._declared.tokenizers.patterns import Pattern, splitting
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
    texts,
)
from irrun.tensor.element_type import BOOLEAN, I32, U8


@op("RegexSplit", opset="extension")
class RegexSplit(Op):
    """Rows of strings, each split at the matches of a regular expression.

    Each string becomes the parts between matches and the matches, without empty ones; ``behaviour`` tells which are
    kept or joined. The first empty match ends the search. A pattern that PCRE2 does not compile matches nothing.

    Note: ``mergedwithprevious`` joins a match to the last part without a match, even if another match stands between.
    ``max_splits`` extends the part of this number to the end of the text, but keeps the parts after it. Without any
    byte the rows are one empty row.
    """

    workspace = 128

    inputs = (
        *ROWS_OF_TEXT,
        In("flags", frozenset({BOOLEAN, U8}), "[strings], which are passed through; the pattern where there are none"),
        In("pattern", frozenset({U8, I32}), "the bytes of the pattern, where there are flags", optional=True),
        In("skipped_ends", I32, "with 9 inputs, inputs 6 to 8 are the words that are passed through", optional=True),
        In("skipped_chars", U8, "the bytes of these words", rank=1, optional=True),
    )
    alike = ((0, 1), (2, 3))
    outputs = (*OUT_ROWS, *OUT_STRINGS, OUT_FLAGS)

    behaviour: Literal["remove", "isolate", "contiguous", "mergedwithprevious", "mergedwithnext"] = attr(
        "remove", doc="what happens to the matches", exact=True
    )
    invert: bool = attr(False, doc="whether matches and the text between them swap roles")
    max_splits: int = attr(-1, doc="the number of the part that is extended to the end of the text, or -1", ge=-1)

    def verify(self) -> None:
        if self.max_splits == 0:
            raise OpError("max_splits is 0, expected -1 or more than 0", attribute="max_splits")

    def infer(
        self, row_begins: Fact, row_ends: Fact, begins: Fact, ends: Fact, chars: Fact, *more: Fact | None
    ) -> tuple[Shape, ...]:
        has_flags = expect_count(more, 5, (6, 7, 9), self.type) == 7
        row, strings = same_shape(row_begins, row_ends, input=0), same_shape(begins, ends, input=2)
        if chars.shape.dims is None or chars.shape[0].admits(0):
            row = row.union(Shape([1]))
        first, second = more[:2]
        assert first is not None
        if not has_flags:
            expect_type(first, U8, "pattern", 5)
            return row, row, UNKNOWN, UNKNOWN, chars.shape
        assert second is not None
        expect_type(first, BOOLEAN, "flags", 5)
        expect_type(second, U8, "pattern", 6)
        check_flags(first, strings, input=5)
        return row, row, UNKNOWN, UNKNOWN, chars.shape, UNKNOWN

    def run(
        self,
        row_begins: Array,
        row_ends: Array,
        begins: Array,
        ends: Array,
        chars: Array,
        first: Array,
        second: Array | None = None,
        *skipped: Array | None,
    ) -> tuple[Array, ...]:
        has_flags = first.dtype == np.bool_
        if chars.size == 0:
            nothing = np.zeros(1, np.int32)
            return nothing, nothing, begins, ends, chars, *([first] if has_flags else [])
        strings = checked_rows(row_begins, row_ends, begins, ends, chars)
        flags = first if has_flags else self._skipped(begins, ends, chars, second, *skipped)
        pattern = second if second is not None and has_flags else first
        order, begins, ends = strings.in_rows()
        kept = flags.reshape(-1)[order]
        found = self._segments(begins, ends, chars, kept, splitting(pattern.tobytes(), self.behaviour))
        counts, begins, ends = parts(found, kept, self.behaviour, invert=self.invert, max_splits=self.max_splits)
        return *strings.split(counts, begins, ends), chars, *([np.repeat(kept, counts)] if has_flags else [])

    @staticmethod
    def _segments(begins: Array, ends: Array, chars: Array, kept: Array, pattern: Pattern | None) -> Segments:
        """Return the strings, cut at the matches of a pattern."""
        if pattern is None:
            return Segments(np.ones(len(begins), np.int64), begins, ends)
        if pattern.is_character:
            found = at_characters(begins, ends, chars, kept, pattern.characters, repeats=pattern.repeats)
            if found is not None:
                return found
        return at_matches(begins, ends, chars, kept, pattern.lengths)

    @staticmethod
    def _skipped(begins: Array, ends: Array, chars: Array, *words: Array | None) -> Array:
        """Return which strings are words that are passed through."""
        first, last, data = words
        if first is None or last is None or data is None:
            return np.zeros(begins.size, np.bool_)
        known = set(texts(first, last, data, input=6))
        return np.fromiter((text in known for text in texts(begins, ends, chars, input=2)), np.bool_, begins.size)

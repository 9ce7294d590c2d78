from __future__ import annotations

import numpy as np

from irrun.kernels.text.strings import gather, offsets
from irrun.ops import Array, Fact, In, Op, Shape, attr, op
from irrun.ops._declared.tokenizers.ports import OUT_ROWS, OUT_STRINGS, UNKNOWN, VOCABULARY, check_bounds, same_shape
from irrun.tensor.element_type import I32


@op("VocabDecoder", opset="extension")
class VocabDecoder(Op):
    """The tokens of rows of ids, as rows of strings.

    Ids that are skipped, negative or outside of the vocabulary are empty strings. A row without ids is one.
    """

    inputs = (
        In("ids", I32, "[batch, tokens]", rank=2),
        *VOCABULARY,
        In("skip_tokens", I32, "[ids], the ids that are skipped", rank=1, optional=True),
    )
    alike = ((0, 1), (2, 3))
    outputs = (*OUT_ROWS, *OUT_STRINGS)

    skip_tokens: tuple[int, ...] = attr((), doc="the ids that are skipped, without the input")

    def infer(self, ids: Fact, begins: Fact, ends: Fact, chars: Fact, skipped: Fact | None) -> tuple[Shape, ...]:
        same_shape(begins, ends, input=1)
        if ids.shape.dims is None:
            return (UNKNOWN,) * 5
        batch, size = ids.shape.dims
        count = batch * size.maximum(1)
        return Shape([batch]), Shape([batch]), Shape([count]), Shape([count]), UNKNOWN

    def run(self, ids: Array, begins: Array, ends: Array, chars: Array, skipped: Array | None) -> tuple[Array, ...]:
        check_bounds(begins, ends, chars.size, "a token", input=1)
        batch, size = ids.shape
        given = np.full(batch, -1) if size == 0 else ids.reshape(-1)
        dropped = (given < 0) | (given >= begins.size)
        dropped |= np.isin(given, self.skip_tokens if skipped is None else skipped)
        index = np.where(dropped, 0, given)
        if begins.size == 0:
            begins, ends = np.zeros(1, np.int32), np.zeros(1, np.int32)
        first = begins.reshape(-1)[index]
        last = np.where(dropped, first, ends.reshape(-1)[index])
        return *offsets(np.full(batch, max(size, 1))), *offsets(last - first), gather(first, last, chars)

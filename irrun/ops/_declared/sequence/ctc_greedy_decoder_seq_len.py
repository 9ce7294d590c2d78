from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.kernels.ctc import greedy_decode
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, attr, op
from irrun.ops._declared.sequence.ctc import check_classes
from irrun.ops.declaration import WIDENED
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT, I32, I64, INTEGER, U32


@op("CTCGreedyDecoderSeqLen", opset=6)
class CTCGreedyDecoderSeqLen(Op):
    """The most probable classes without blanks and repetitions, padded with -1, and their number."""

    inputs = (
        In("data", FLOAT, "[N, T, C]", rank=3),
        In("sequence_length", frozenset({I32, I64, U32}), "[N], at most T", rank=1, also=WIDENED),
        In("blank_index", INTEGER, "the class of the blank, the last one unless given", rank=(0, 1), optional=True),
    )
    outputs = (
        Out("classes", "classes_index_type", "[N, T]"),
        Out("lengths", "sequence_length_type", "[N]"),
    )

    merge_repeated: bool = attr(True, doc="whether repetitions are merged")
    classes_index_type: Literal["i32", "i64"] = attr("i32", doc="the type of the first output")
    sequence_length_type: Literal["i32", "i64"] = attr("i32", doc="the type of the second output")

    def infer(self, data: Fact, lengths: Fact, blank: Fact | None) -> tuple[Shape, Shape]:
        if blank is not None and blank.shape.dims is not None and not blank.shape.size.admits(1):
            raise OpError(f"blank_index has shape {blank.shape}, expected one number", input=2)
        scores = data.shape if data.shape.dims is not None else Shape.unknown(3)
        check_classes(scores[2])
        batch = scores[0]
        if lengths.shape.dims is not None:
            batch = merge_dims(batch, lengths.shape[0], "the batch sizes of both inputs", input=1)
        return Shape([batch, scores[1]]), Shape([batch])

    def run(self, data: Array, lengths: Array, blank: Array | None) -> tuple[Array, Array]:
        active = np.arange(data.shape[1]) < lengths[:, None]
        index = data.shape[2] - 1 if blank is None else int(blank.item())
        return greedy_decode(data, active, index, merge_repeated=self.merge_repeated)

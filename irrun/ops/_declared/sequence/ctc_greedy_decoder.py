from __future__ import annotations

import numpy as np

from irrun.kernels.ctc import greedy_decode
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.sequence.ctc import check_classes
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("CTCGreedyDecoder", opset=1)
class CTCGreedyDecoder(Op):
    """The most probable class of each step, without blanks and repetitions, padded with -1.

    The blank is the last class. A sequence ends at the first zero of its mask.
    """

    inputs = (
        In("data", T, "[T, N, C]", rank=3),
        In("sequence_mask", FLOAT, "[T, N], one for a step of the sequence, zero after its end", rank=2),
    )
    outputs = (Out("output", T, "[N, T, 1, 1]"),)

    ctc_merge_repeated: bool = attr(True, doc="whether repetitions are merged")

    def infer(self, data: Fact, mask: Fact) -> Shape:
        scores = data.shape if data.shape.dims is not None else Shape.unknown(3)
        masks = mask.shape if mask.shape.dims is not None else Shape.unknown(2)
        check_classes(scores[2])
        steps = merge_dims(scores[0], masks[0], "the steps of both inputs", input=1)
        batch = merge_dims(scores[1], masks[1], "the batch sizes of both inputs", input=1)
        return Shape([batch, steps, 1, 1])

    def run(self, data: Array, mask: Array) -> Array:
        active = np.logical_and.accumulate(mask.T != 0, axis=1)
        blank = data.shape[2] - 1
        classes, _ = greedy_decode(np.swapaxes(data, 0, 1), active, blank, merge_repeated=self.ctc_merge_repeated)
        return classes[:, :, None, None].astype(data.dtype)

from __future__ import annotations

import numpy as np

from irrun.kernels.ctc import ctc_loss
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.sequence.ctc import check_classes, check_labels, check_lengths
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT, INTEGER

TF = TypeVar("T_F", FLOAT)


@op("CTCLoss", opset=4)
class CTCLoss(Op):
    """The negative logarithm of the probability of all paths that decode to the labels.

    Note: where no path decodes to the labels the loss is infinite.
    """

    departures = {
        "no labels": "crashes where there are no labels",
        "no path": "returns NaN for logits that are NaN where no path decodes to the labels",
    }

    inputs = (
        In("logits", TF, "[N, T, C]", rank=3),
        In("logit_length", INTEGER, "[N], at most T", rank=1),
        In("labels", INTEGER, "[N, T]", rank=2),
        In("label_length", INTEGER, "[N], at most logit_length", rank=1),
        In("blank_index", INTEGER, "the class of the blank, the last one unless given", rank=0, optional=True),
    )
    outputs = (Out("output", TF, "[N]"),)

    preprocess_collapse_repeated: bool = attr(False, doc="whether repeated labels are merged first")
    ctc_merge_repeated: bool = attr(True, doc="whether repetitions in a path are merged", openvino=False)
    unique: bool = attr(False, doc="whether only the first of equal labels is kept")

    def infer(self, logits: Fact, logit_length: Fact, labels: Fact, label_length: Fact, _: Fact | None) -> Shape:
        scores = logits.shape if logits.shape.dims is not None else Shape.unknown(3)
        check_classes(scores[2])
        batch, steps = scores[0], scores[1]
        for index, fact in ((1, logit_length), (2, labels), (3, label_length)):
            if fact.shape.dims is not None:
                batch = merge_dims(batch, fact.shape[0], "the batch sizes", input=index)
        if labels.shape.dims is not None:
            merge_dims(steps, labels.shape[1], "the numbers of steps and of labels", input=2)
        return Shape([batch])

    def run(self, logits: Array, logit_length: Array, labels: Array, label_length: Array, blank: Array | None) -> Array:
        classes = logits.shape[2]
        silent = classes - 1 if blank is None else int(blank)
        check_lengths(logit_length, logits.shape[1], 1)
        check_lengths(label_length, labels.shape[1], 3)
        spoken = labels[np.arange(labels.shape[1]) < label_length[:, np.newaxis]]
        for index, values in ((2, spoken), (4, np.asarray(silent))):
            check_labels(values, classes, index)
        return ctc_loss(
            logits,
            logit_length,
            labels,
            label_length,
            silent,
            collapse_repeated=self.preprocess_collapse_repeated,
            merge_repeated=self.ctc_merge_repeated,
            unique=self.unique,
        )

from __future__ import annotations

from functools import partial
from typing import Literal

from irrun.kernels.multiclass_nms import Sorting, matrix
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.sort.multiclass import run_shared, shared_shapes
from irrun.ops.declaration import MOST_IN_32_BITS
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("MatrixNms", opset=8, page="matrix-non-max-suppression-8")
class MatrixNms(Op):
    """Select boxes by score and class, after decaying the scores of those that overlap better ones.

    Rows are in descending order of score where sort_result_type is none.
    """

    departures = {
        "class": "sorts by class only where sort_result_across_batch is true",
        "nothing selected": "leaves selected_num unwritten where nothing is selected",
    }

    alike = ((0, 1),)
    inputs = (
        In("boxes", T, "[num_batches, num_boxes, 4]: [xmin, ymin, xmax, ymax]", rank=3),
        In("scores", T, "[num_batches, num_classes, num_boxes]", rank=3),
    )
    outputs = (
        Out("selected_outputs", T, "rows of [class, score, xmin, ymin, xmax, ymax]"),
        Out("selected_indices", "output_type", "rows of the index among the boxes of all batches"),
        Out("selected_num", "output_type", "the number of rows of each batch"),
    )

    sort_result_type: Sorting = attr("none", doc="the order of the rows; the page calls it sort_result")
    sort_result_across_batch: bool = attr(False, doc="whether to sort the rows of all batches together")
    output_type: Literal["i64", "i32"] = attr("i64")
    score_threshold: float = attr(0.0, doc="the score that a box must exceed before decay")
    nms_top_k: int = attr(-1, doc="maximum number of candidates of a class; -1 for all", ge=-1, le=MOST_IN_32_BITS)
    keep_top_k: int = attr(-1, doc="maximum number of boxes of a batch; -1 for all", ge=-1, le=MOST_IN_32_BITS)
    background_class: int = attr(-1, doc="class to ignore; -1 for none", ge=-1, le=MOST_IN_32_BITS)
    normalized: bool = attr(True, doc="whether coordinates are normalized; otherwise sides are longer by 1")
    decay_function: Literal["linear", "gaussian"] = attr("linear")
    gaussian_sigma: float = attr(2.0)
    post_threshold: float = attr(0.0, doc="the score that a box must exceed after decay")

    def infer(self, boxes: Fact, scores: Fact) -> tuple[Shape, Shape, Shape]:
        return shared_shapes(boxes, scores, self.nms_top_k, self.keep_top_k, self.background_class)

    def run(self, boxes: Array, scores: Array) -> tuple[Array, Array, Array]:
        of_class = partial(
            matrix,
            score_threshold=self.score_threshold,
            post_threshold=self.post_threshold,
            top_k=self.nms_top_k,
            sigma=self.gaussian_sigma if self.decay_function == "gaussian" else None,
            unit=0.0 if self.normalized else 1.0,
        )
        return run_shared(
            boxes,
            scores,
            of_class,
            self.background_class,
            self.keep_top_k,
            self.sort_result_type,
            self.sort_result_across_batch,
        )

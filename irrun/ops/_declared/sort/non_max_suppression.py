from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

import numpy as np

from irrun.kernels.nms import SelectedBoxes, iou, select
from irrun.ops import Array, Fact, In, Legacy, Op, Out, Shape, attr, op
from irrun.ops._declared.sort.selection import (
    check_single,
    counts,
    number,
    selected_outputs,
    selected_shapes,
    threshold,
)
from irrun.ops.declaration import CUT
from irrun.ops.departures import LIMITED, NEXT_THRESHOLD, Departure
from irrun.ops.refuting import Refutation
from irrun.tensor import Dim
from irrun.tensor.element_type import F32, FLOAT, I64, INTEGER

Encoding = Literal["corner", "center"]

_ENCODING = "corner: [y1, x1, y2, x2], any two opposite corners; center: [x, y, width, height]"
_SORTED = "whether to sort by score across batches and classes; otherwise within each class"
_BOXES = (
    In("boxes", FLOAT, "[num_batches, num_boxes, 4]", rank=3),
    In("scores", FLOAT, "[num_batches, num_classes, num_boxes]", rank=3),
)
_OPTIONS = (
    ("max_output_boxes_per_class", INTEGER, "the maximum number of boxes of a class; 0 where absent", CUT),
    ("iou_threshold", FLOAT, "the overlap above which a box is suppressed; 0 where absent", None),
    ("score_threshold", FLOAT, "the score that a box must exceed; 0 where absent", None),
)
_SIGMA = ("soft_nms_sigma", FLOAT, "sigma of Soft-NMS (https://arxiv.org/abs/1704.04503); hard where 0 or absent", None)
_NO_LIMIT: Final = Departure(
    "writes beyond its memory where no max_output_boxes_per_class is given", lambda _, layer: len(layer.inputs) < 3
)
_SCALARS = tuple(In(name, type, doc, optional=True, rank=0, also=also) for name, type, doc, also in _OPTIONS)
_ONE_ELEMENT = tuple(
    In(name, type, doc, optional=True, rank=(0, 1), also=also) for name, type, doc, also in (*_OPTIONS, _SIGMA)
)


@op("NonMaxSuppression", opset=1)
class NonMaxSuppressionV1(Op):
    """Select boxes by score and class, omitting those that overlap a better one.

    Rows are ``[batch, class, box]``; the output is padded with rows of -1.

    Note: as in OpenVINO, a score must exceed score_threshold; on the page it may also equal it. The page's output size
    is too small for selections from several batch elements: the output grows as needed.
    """

    departures = {
        "rows of -1": "omits the rows of -1",
        "no limit": _NO_LIMIT,
        "equal overlap": "suppresses a box whose overlap equals iou_threshold",
    }
    workarounds = {"no limit": LIMITED, "equal overlap": NEXT_THRESHOLD}

    inputs = (*_BOXES, *_SCALARS)
    outputs = (Out("selected_indices", I64),)
    legacy = (Legacy("center_point_box", since="2019 R2", until="2019 R3"),)

    box_encoding: Encoding = attr("corner", doc=_ENCODING)
    sort_result_descending: bool = attr(True, doc=_SORTED)

    def infer(self, boxes: Fact, scores: Fact, limit: Fact | None, *_thresholds: Fact | None) -> Shape:
        return _at_least_page_size(boxes, scores, limit)

    def refute(
        self, declared: Sequence[Shape], boxes: Fact, scores: Fact, limit: Fact | None, *_thresholds: Fact | None
    ) -> Iterator[Refutation]:
        return _other_rows(declared[0], boxes, scores, limit)

    def run(self, boxes: Array, scores: Array, limit: Array | None, *thresholds: Array | None) -> Array:
        found = _select(self.box_encoding, self.sort_result_descending, boxes, scores, limit, *thresholds)
        return _filled(found, min(boxes.shape[1], number(limit) * scores.shape[1]))


@op("NonMaxSuppression", opset=3)
class NonMaxSuppressionV3(Op):
    """Select boxes by score and class, omitting those that overlap a better one.

    Rows are ``[batch, class, box]``; the output is padded with rows of -1.

    Note: as in OpenVINO, a score must exceed score_threshold; on the page it may also equal it. The page's output size
    is too small for selections from several batch elements: the output grows as needed.
    """

    departures = {
        "rows of -1": "omits the rows of -1",
        "no limit": _NO_LIMIT,
        "equal overlap": "suppresses a box whose overlap equals iou_threshold",
    }
    workarounds = {"no limit": LIMITED, "equal overlap": NEXT_THRESHOLD}

    inputs = (*_BOXES, *_SCALARS)
    outputs = (Out("selected_indices", "output_type"),)

    box_encoding: Encoding = attr("corner", doc=_ENCODING)
    sort_result_descending: bool = attr(True, doc=_SORTED)
    output_type: Literal["i64", "i32"] = attr("i64")

    def infer(self, boxes: Fact, scores: Fact, limit: Fact | None, *_thresholds: Fact | None) -> Shape:
        return _at_least_page_size(boxes, scores, limit)

    def refute(
        self, declared: Sequence[Shape], boxes: Fact, scores: Fact, limit: Fact | None, *_thresholds: Fact | None
    ) -> Iterator[Refutation]:
        return _other_rows(declared[0], boxes, scores, limit)

    def run(self, boxes: Array, scores: Array, limit: Array | None, *thresholds: Array | None) -> Array:
        found = _select(self.box_encoding, self.sort_result_descending, boxes, scores, limit, *thresholds)
        return _filled(found, min(boxes.shape[1], number(limit) * scores.shape[1]))


@op("NonMaxSuppression", opset=4)
class NonMaxSuppressionV4(Op):
    """Select boxes by score and class, omitting those that overlap a better one.

    Rows are ``[batch, class, box]``; the output is padded with rows of -1.

    Note: as in OpenVINO, a score must exceed score_threshold; on the page it may also equal it.
    """

    departures = {
        "rows of -1": "omits the rows of -1",
        "no limit": _NO_LIMIT,
        "equal overlap": "suppresses a box whose overlap equals iou_threshold",
    }
    workarounds = {"no limit": LIMITED, "equal overlap": NEXT_THRESHOLD}

    inputs = (*_BOXES, *_SCALARS)
    outputs = (Out("selected_indices", "output_type"),)

    box_encoding: Encoding = attr("corner", doc=_ENCODING)
    sort_result_descending: bool = attr(True, doc=_SORTED)
    output_type: Literal["i64", "i32"] = attr("i64")

    def infer(self, boxes: Fact, scores: Fact, limit: Fact | None, *_thresholds: Fact | None) -> Shape:
        batches, classes, _, per_class = counts(boxes, scores, limit, 4)
        return Shape([batches * classes * per_class, 3])

    def run(self, boxes: Array, scores: Array, limit: Array | None, *thresholds: Array | None) -> Array:
        found = _select(self.box_encoding, self.sort_result_descending, boxes, scores, limit, *thresholds)
        batches, classes, boxes_each = scores.shape
        return _filled(found, batches * classes * min(boxes_each, number(limit)))


@op("NonMaxSuppression", opset=5, page="no-max-suppression-5")
class NonMaxSuppressionV5(Op):
    """Select boxes by score and class, omitting or decaying those that overlap a better one.

    With soft_nms_sigma, a box that overlaps by more than iou_threshold is still dropped.

    Note: as in OpenVINO, a score must exceed score_threshold. On the page it may also equal it, which with the default
    of 0 would restore every suppressed box. As in OpenVINO, scores are f32 whatever the type of the thresholds.
    """

    departures = {
        "no limit": _NO_LIMIT,
        "equal overlap": "suppresses a box whose overlap equals iou_threshold",
        "soft": "keeps boxes above iou_threshold with soft_nms_sigma",
        "nothing selected": "leaves valid_outputs unwritten where nothing is selected",
    }
    workarounds = {"no limit": LIMITED, "equal overlap": NEXT_THRESHOLD}

    alike = ((0, 1),)
    inputs = (*_BOXES, *_ONE_ELEMENT)
    outputs = (
        Out("selected_indices", "output_type", "rows of [batch, class, box]"),
        Out("selected_scores", F32, "rows of [batch, class, score]"),
        Out("valid_outputs", "output_type", "the number of rows"),
    )

    box_encoding: Encoding = attr("corner", doc=_ENCODING)
    sort_result_descending: bool = attr(True, doc=_SORTED)
    output_type: Literal["i64", "i32"] = attr("i64")

    def infer(self, boxes: Fact, scores: Fact, limit: Fact | None, *options: Fact | None) -> tuple[Shape, Shape, Shape]:
        _check_options(limit, *options)
        return selected_shapes(boxes, scores, limit, 4)

    def run(
        self, boxes: Array, scores: Array, limit: Array | None, *options: Array | None
    ) -> tuple[Array, Array, Array]:
        *thresholds, sigma = options
        found = _select(
            self.box_encoding,
            self.sort_result_descending,
            boxes,
            scores,
            limit,
            *thresholds,
            sigma=threshold(sigma),
            soft_drops=True,
        )
        return selected_outputs(found)


@op("NonMaxSuppression", opset=9)
class NonMaxSuppressionV9(Op):
    """Select boxes by score and class, omitting or decaying those that overlap a better one.

    With soft_nms_sigma, scores decay and iou_threshold is not used.

    Note: as in OpenVINO, a score must exceed score_threshold. On the page it may also equal it, which with the default
    of 0 would restore every suppressed box. As in OpenVINO, scores are f32 whatever the type of the thresholds.
    """

    departures = {
        "no limit": _NO_LIMIT,
        "equal overlap": "suppresses a box whose overlap equals iou_threshold",
        "nothing selected": "leaves valid_outputs unwritten where nothing is selected",
    }
    workarounds = {"no limit": LIMITED, "equal overlap": NEXT_THRESHOLD}

    alike = ((0, 1),)
    inputs = (*_BOXES, *_ONE_ELEMENT)
    outputs = (
        Out("selected_indices", "output_type", "rows of [batch, class, box]"),
        Out("selected_scores", F32, "rows of [batch, class, score]"),
        Out("valid_outputs", "output_type", "the number of rows"),
    )

    box_encoding: Encoding = attr("corner", doc=_ENCODING)
    sort_result_descending: bool = attr(True, doc=_SORTED)
    output_type: Literal["i64", "i32"] = attr("i64")

    def infer(self, boxes: Fact, scores: Fact, limit: Fact | None, *options: Fact | None) -> tuple[Shape, Shape, Shape]:
        _check_options(limit, *options)
        return selected_shapes(boxes, scores, limit, 4)

    def run(
        self, boxes: Array, scores: Array, limit: Array | None, *options: Array | None
    ) -> tuple[Array, Array, Array]:
        *thresholds, sigma = options
        found = _select(
            self.box_encoding,
            self.sort_result_descending,
            boxes,
            scores,
            limit,
            *thresholds,
            sigma=threshold(sigma),
        )
        return selected_outputs(found)


def _check_options(*options: Fact | None) -> None:
    check_single(tuple(port.name for port in _ONE_ELEMENT), options, first=2)


def _other_rows(declared: Shape, boxes: Fact, scores: Fact, limit: Fact | None) -> Iterator[Refutation]:
    """Refute a number of rows that is neither that of the page nor that of Model Optimizer.

    The inferred number is wider, since the actual tensor may have more rows.
    """
    if declared.rank != 2:
        return
    page, all_batches = _page_rows(boxes, scores, limit)
    rows = declared[0]
    if page.is_static and rows.is_static and not page.admits(rows.lo) and not all_batches.admits(rows.lo):
        what = f"axis 0 is {rows}, expected {page} rows by the specification page"
        yield Refutation(what, 0, shape=Shape([page, 3]))


def _page_rows(boxes: Fact, scores: Fact, limit: Fact | None) -> tuple[Dim, Dim]:
    """Return the number of output rows of versions 1 and 3: by the page, and by Model Optimizer.

    Model Optimizer counts the boxes of all batch elements.
    """
    batches, classes, boxes_each, _ = counts(boxes, scores, limit, 4)
    known = None if limit is None else limit.dims()
    most = classes * (known[0] if known else Dim.exactly(0)).maximum(0)
    return boxes_each.minimum(most), boxes_each.minimum(batches * most)


def _at_least_page_size(boxes: Fact, scores: Fact, limit: Fact | None) -> Shape:
    batches, classes, _, per_class = counts(boxes, scores, limit, 4)
    most = batches * classes * per_class
    page, _ = _page_rows(boxes, scores, limit)
    rows = page if page == most else Dim(page.lo, max(page.hi, most.hi))
    return Shape([rows, 3])


def _select(
    encoding: Encoding,
    descending: bool,
    boxes: Array,
    scores: Array,
    limit: Array | None,
    iou_threshold: Array | None,
    score_threshold: Array | None,
    *,
    sigma: float = 0.0,
    soft_drops: bool = False,
) -> SelectedBoxes:
    first, second = boxes[..., :2], boxes[..., 2:]
    if encoding == "center":
        corners = np.concatenate([first - second / 2, first + second / 2], axis=-1)
    else:
        corners = np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)
    found = select(
        corners,
        scores,
        number(limit),
        threshold(iou_threshold),
        threshold(score_threshold),
        iou,
        sigma=sigma,
        soft_drops=soft_drops,
    )
    return found.descending() if descending else found


def _filled(found: SelectedBoxes, rows: int) -> Array:
    """Return the selection as rows of [batch, class, box], padded with rows of -1 up to ``rows``."""
    result = np.full((max(rows, len(found.box)), 3), -1, np.int64)
    result[: len(found.box)] = found.triples(found.box)
    return result

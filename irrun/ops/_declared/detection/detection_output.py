from __future__ import annotations

import numpy as np

from irrun.kernels.detection_output import CodeType, detections
from irrun.ops import Array, Dim, Fact, In, Legacy, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import merge_all, ranked
from irrun.ops.declaration import MOST_IN_32_BITS
from irrun.ops.shapes import exact_quotient
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)

_INPUTS = (
    In("box_logits", T, "[N, num_prior_boxes * num_loc_classes * 4]", rank=2),
    In("class_preds", T, "[N, num_prior_boxes * num_classes]", rank=2),
    In("proposals", FLOAT, "[1 or N, 1 or 2, num_prior_boxes * 4 or 5]: boxes, and variances", rank=3),
    In("aux_class_preds", T, "[N, num_prior_boxes * 2]", optional=True, rank=2),
    In("aux_box_preds", T, "the shape of box_logits", optional=True, rank=2),
)
_OUTPUTS = (Out("output", T, "[1, 1, detections, 7]: batch_id, class_id, confidence, x1, y1, x2, y2"),)


@op("DetectionOutput", opset=1, page="detectionoutput-1")
class DetectionOutputV1(Op):
    """Decode boxes from priors and predicted offsets, and select the best of each class by score.

    Detections are ordered by class within an image, and by score within a class. A row of batch_id -1 ends the list,
    and the rest of the output is zero.

    Note: with normalized false, a prior whose first number is -1 ends the list of priors, as in OpenVINO.
    """

    departures = {
        "normalized": "divides by the size of the image twice, with additional predictions and normalized false",
    }

    inputs = _INPUTS
    outputs = _OUTPUTS
    legacy = (
        Legacy(
            *("eta", "height", "height_scale", "interp_mode", "label_map_file", "name_size_file", "num_test_image"),
            *("output_directory", "output_format", "output_name_prefix", "pad_mode", "pad_value", "prob"),
            *("resize_mode", "save_file", "visualize", "visualize_threshold", "width", "width_scale"),
            since="2019 R2",
            until="2021.2",
        ),
    )

    num_classes: int = attr(doc="classes, the background included", gt=0, le=MOST_IN_32_BITS)
    background_label_id: int = attr(0, doc="class to ignore; -1 for none", ge=-(2**31), le=MOST_IN_32_BITS)
    top_k: int = attr(-1, doc="maximum number of candidates of a class; -1 for all", ge=-1, le=MOST_IN_32_BITS)
    variance_encoded_in_target: bool = attr(False, doc="whether proposals come without variances")
    keep_top_k: tuple[int, ...] = attr(
        doc="maximum number of detections of an image; -1 for all", ge=-1, le=MOST_IN_32_BITS
    )
    code_type: CodeType = attr("caffe.PriorBoxParameter.CORNER", doc="encoding of boxes", exact=True)
    share_location: bool = attr(True, doc="whether all classes share the boxes")
    nms_threshold: float = attr(doc="the overlap above which a box is suppressed", openvino=0.0)
    confidence_threshold: float = attr(0.0, doc="the confidence that a detection must exceed")
    clip_after_nms: bool = attr(False, doc="whether detections are limited to 0..1")
    clip_before_nms: bool = attr(False, doc="whether decoded boxes are limited to 0..1")
    decrease_label_id: bool = attr(False, doc="whether each box has its best class only, as in MXNet")
    normalized: bool = attr(False, doc="whether proposals are in coordinates from 0 to 1")
    input_height: int = attr(1, doc="height of the image, unless normalized", gt=0)
    input_width: int = attr(1, doc="width of the image, unless normalized", gt=0)
    objectness_score: float = attr(0.0, doc="least additional confidence", ge=0)

    def verify(self) -> None:
        _check_keep(self.keep_top_k)

    def infer(
        self, logits: Fact, preds: Fact, proposals: Fact, aux_preds: Fact | None, aux_boxes: Fact | None
    ) -> Shape:
        return _infer(self, Dim.exactly(self.num_classes), logits, preds, proposals, aux_preds, aux_boxes)

    def run(
        self, logits: Array, preds: Array, proposals: Array, aux_preds: Array | None, aux_boxes: Array | None
    ) -> Array:
        return _run(self, self.num_classes, logits, preds, proposals, aux_preds, aux_boxes)


@op("DetectionOutput", opset=8, page="detectionoutput-8")
class DetectionOutputV8(Op):
    """Decode boxes from priors and predicted offsets, and select the best of each class by score.

    Detections are ordered by class within an image, and by score within a class. A row of batch_id -1 ends the list,
    and the rest of the output is zero.

    Note: with normalized false, a prior whose first number is -1 ends the list of priors, as in OpenVINO.
    """

    departures = {
        "normalized": "divides by the size of the image twice, with additional predictions and normalized false",
    }

    inputs = _INPUTS
    outputs = _OUTPUTS

    background_label_id: int = attr(0, doc="class to ignore; -1 for none", ge=-(2**31), le=MOST_IN_32_BITS)
    top_k: int = attr(-1, doc="maximum number of candidates of a class; -1 for all", ge=-1, le=MOST_IN_32_BITS)
    variance_encoded_in_target: bool = attr(False, doc="whether proposals come without variances")
    keep_top_k: tuple[int, ...] = attr(
        doc="maximum number of detections of an image; -1 for all", ge=-1, le=MOST_IN_32_BITS
    )
    code_type: CodeType = attr("caffe.PriorBoxParameter.CORNER", doc="encoding of boxes", exact=True)
    share_location: bool = attr(True, doc="whether all classes share the boxes")
    nms_threshold: float = attr(doc="the overlap above which a box is suppressed", openvino=0.0)
    confidence_threshold: float = attr(0.0, doc="the confidence that a detection must exceed")
    clip_after_nms: bool = attr(False, doc="whether detections are limited to 0..1")
    clip_before_nms: bool = attr(False, doc="whether decoded boxes are limited to 0..1")
    decrease_label_id: bool = attr(False, doc="whether each box has its best class only, as in MXNet")
    normalized: bool = attr(False, doc="whether proposals are in coordinates from 0 to 1")
    input_height: int = attr(1, doc="height of the image, unless normalized", gt=0)
    input_width: int = attr(1, doc="width of the image, unless normalized", gt=0)
    objectness_score: float = attr(0.0, doc="least additional confidence", ge=0)

    def verify(self) -> None:
        _check_keep(self.keep_top_k)

    def infer(
        self, logits: Fact, preds: Fact, proposals: Fact, aux_preds: Fact | None, aux_boxes: Fact | None
    ) -> Shape:
        return _infer(self, None, logits, preds, proposals, aux_preds, aux_boxes)

    def run(
        self, logits: Array, preds: Array, proposals: Array, aux_preds: Array | None, aux_boxes: Array | None
    ) -> Array:
        priors = proposals.shape[2] // _prior_size(self)
        classes = preds.shape[1] // max(priors, 1)
        return _run(self, classes, logits, preds, proposals, aux_preds, aux_boxes)


DetectionOutput = DetectionOutputV1 | DetectionOutputV8


def _check_keep(keep: tuple[int, ...]) -> None:
    if not keep:
        raise OpError("keep_top_k is empty, expected a number of detections or -1", attribute="keep_top_k")


def _prior_size(op: DetectionOutput) -> int:
    return 4 if op.normalized else 5


def _infer(
    op: DetectionOutput,
    classes: Dim | None,
    logits: Fact,
    preds: Fact,
    proposals: Fact,
    aux_preds: Fact | None,
    aux_boxes: Fact | None,
) -> Shape:
    if (aux_preds is None) != (aux_boxes is None):
        raise OpError("DetectionOutput has 4 inputs, expected 3 or 5", input=3)
    of_logits, of_preds, of_proposals = ranked(logits, 2), ranked(preds, 2), ranked(proposals, 3)
    images = merge_all([of_logits[0], of_preds[0]], "the batch sizes of box_logits and class_preds", input=1)
    if not of_proposals[0].admits(1):
        merge_all([images, of_proposals[0]], "the batch sizes of box_logits and proposals", input=2)
    rows = 1 if op.variance_encoded_in_target else 2
    if not of_proposals[1].admits(rows):
        raise OpError(
            f"the second size of proposals is {of_proposals[1]}, expected {rows}"
            f" (variance_encoded_in_target is {str(op.variance_encoded_in_target).lower()})",
            input=2,
        )
    priors = _priors(op, classes, of_logits, of_preds, of_proposals, aux_preds)
    classes = exact_quotient(of_preds[1], priors) if classes is None else classes
    if classes.hi == 0 < priors.lo:
        raise OpError("class_preds has no classes, expected 1 or more for each prior box", input=1)
    coordinates = priors * 4 if op.share_location else priors * classes * 4
    what = "box_logits and 4 for each prior box" + ("" if op.share_location else " and class")
    width = merge_all([of_logits[1], coordinates], f"the numbers of coordinates of {what}", input=0)
    every = merge_all(
        [of_preds[1], priors * classes], "the numbers of class_preds and of prior boxes times classes", input=1
    )
    if aux_preds is not None and aux_boxes is not None:
        of_aux, of_boxes = ranked(aux_preds, 2), ranked(aux_boxes, 2)
        merge_all([images, of_aux[0], of_boxes[0]], "the batch sizes of all inputs", input=3)
        merge_all([of_aux[1], priors * 2], "the numbers of aux_class_preds and 2 for each prior box", input=3)
        merge_all([of_boxes[1], width], "the numbers of aux_box_preds and box_logits", input=4)
    return Shape([1, 1, images * _per_image(op, classes, every), 7])


def _priors(
    op: DetectionOutput,
    classes: Dim | None,
    logits: Shape,
    preds: Shape,
    proposals: Shape,
    aux_preds: Fact | None,
) -> Dim:
    """Return the number of prior boxes, from the inputs that determine it."""
    size = _prior_size(op)
    if proposals[2].is_static and proposals[2].lo % size:
        raise OpError(f"the last size of proposals is {proposals[2]}, expected a multiple of {size}", input=2)
    known = [proposals[2] // size]
    if op.share_location:
        known.append(logits[1] // 4)
    elif classes is not None:
        known.append(logits[1] // (classes * 4))
    if classes is not None:
        known.append(preds[1] // classes)
    if aux_preds is not None:
        known.append(ranked(aux_preds, 2)[1] // 2)
    return next((dim for dim in known if dim.is_static), known[0]).as_dimension()


def _per_image(op: DetectionOutput, classes: Dim, every: Dim) -> Dim:
    """Return the number of output rows for each image."""
    keep = op.keep_top_k[0]
    if keep > 0:
        return Dim.exactly(keep)
    if keep == -1 and op.top_k > 0:
        return classes * op.top_k
    return every


def _run(
    op: DetectionOutput,
    classes: int,
    logits: Array,
    preds: Array,
    proposals: Array,
    aux_preds: Array | None,
    aux_boxes: Array | None,
) -> Array:
    size = _prior_size(op)
    priors = proposals.shape[2] // size
    images, locations = len(logits), 1 if op.share_location else classes
    of_priors = proposals[:, 0].reshape(len(proposals), priors, size)
    boxes, counts = of_priors[:, :, size - 4 :], np.full(len(proposals), priors)
    if not op.normalized:
        is_end = of_priors[:, :, 0] == -1
        counts = np.where(is_end.any(axis=1), is_end.argmax(axis=1), priors) if priors else counts
        boxes = boxes / np.array([op.input_width, op.input_height] * 2, boxes.dtype)
    variances = (
        None if op.variance_encoded_in_target else proposals[:, 1, : priors * 4].reshape(len(proposals), priors, 4)
    )
    rows = images * _per_image(op, Dim.exactly(classes), Dim.exactly(preds.shape[1])).lo
    result = np.zeros((rows, 7), logits.dtype)
    found = detections(
        logits.reshape(images, priors, locations, 4),
        preds.reshape(images, priors, classes),
        np.broadcast_to(boxes, (images, priors, 4)),
        None if variances is None else np.broadcast_to(variances, (images, priors, 4)),
        None if aux_preds is None else aux_preds.reshape(images, priors, 2),
        None if aux_boxes is None else aux_boxes.reshape(images, priors, locations, 4),
        np.broadcast_to(counts, images),
        op,
    )[:rows]
    result[: len(found)] = found
    result[len(found) : len(found) + 1, 0] = -1
    return result[None, None]

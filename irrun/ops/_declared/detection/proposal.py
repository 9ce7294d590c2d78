from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels.proposal import generate_anchors, propose
from irrun.ops import Array, Dim, Fact, In, Legacy, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import ranked
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)

_INPUTS = (
    In("class_probs", T, "[batch_size, 2 * K, H, W]: K scores of the background, then K of the foreground", rank=4),
    In("bbox_deltas", FLOAT, "[batch_size, 4 * K, H, W]", rank=4),
    In("image_shape", FLOAT, "[height, width, scale] or [height, width, scale of height, scale of width]", rank=1),
)


@op("Proposal", opset=1)
class ProposalV1(Op):
    """Move and scale anchors by predicted deltas, and select the best by score.

    Rows are ``[batch index, x1, y1, x2, y2]``. With fewer than post_nms_topn rows, -1 ends the list of an image, and
    its other rows are zero.
    """

    departures = {
        "few anchors": "crashes where there are few anchors",
        "min_size": "keeps boxes smaller than min_size, with a score of 0",
    }

    inputs = _INPUTS
    outputs = (Out("proposals", T, "[batch_size * post_nms_topn, 5]"),)
    legacy = (Legacy("for_deformable", since="2019 R2", until="2020.4"),)

    base_size: int = attr(doc="side of the anchor to which scale and ratio apply", gt=0)
    pre_nms_topn: int = attr(doc="maximum number of boxes before suppression", gt=0, openvino=0)
    post_nms_topn: int = attr(doc="number of boxes of each image after suppression", gt=0)
    nms_thresh: float = attr(doc="the overlap above which a box is suppressed", gt=0, openvino=0.0)
    feat_stride: int = attr(doc="distance of anchors, in pixels", gt=0, openvino=1)
    min_size: int = attr(doc="the least side of a box, before the scale of the image", gt=0, openvino=1)
    ratio: tuple[float, ...] = attr(doc="ratios of height to width of the anchors")
    scale: tuple[float, ...] = attr(doc="scales of the anchors")
    clip_before_nms: bool = attr(True)
    clip_after_nms: bool = attr(False)
    normalize: bool = attr(False, doc="whether the boxes are divided by the size of the image")
    box_size_scale: float = attr(1.0, doc="divisor of the deltas of sizes", gt=0)
    box_coordinate_scale: float = attr(1.0, doc="divisor of the deltas of coordinates", gt=0)
    framework: Literal["", "tensorflow"] = attr(
        "", doc="framework whose coordinates are used; Caffe where empty", exact=True
    )

    def infer(self, class_probs: Fact, bbox_deltas: Fact, image_shape: Fact) -> Shape:
        return Shape([_batches(class_probs, bbox_deltas, image_shape, _anchors(self)) * self.post_nms_topn, 5])

    def run(self, class_probs: Array, bbox_deltas: Array, image_shape: Array) -> Array:
        return _run(self, class_probs, bbox_deltas, image_shape)[0]


@op("Proposal", opset=4)
class ProposalV4(Op):
    """Move and scale anchors by predicted deltas, and select the best by score.

    Rows are ``[batch index, x1, y1, x2, y2]``, with separate scores. With fewer than post_nms_topn rows, -1 ends the
    list of an image, and its other rows are zero.
    """

    departures = {
        "few anchors": "crashes where there are few anchors",
        "min_size": "keeps boxes smaller than min_size, with a score of 0",
    }

    inputs = _INPUTS
    outputs = (
        Out("proposals", T, "[batch_size * post_nms_topn, 5]"),
        Out("probabilities", T, "[batch_size * post_nms_topn]"),
    )

    base_size: int = attr(doc="side of the anchor to which scale and ratio apply", gt=0)
    pre_nms_topn: int = attr(doc="maximum number of boxes before suppression", gt=0, openvino=0)
    post_nms_topn: int = attr(doc="number of boxes of each image after suppression", gt=0)
    nms_thresh: float = attr(doc="the overlap above which a box is suppressed", gt=0, openvino=0.0)
    feat_stride: int = attr(doc="distance of anchors, in pixels", gt=0, openvino=1)
    min_size: int = attr(doc="the least side of a box, before the scale of the image", gt=0, openvino=1)
    ratio: tuple[float, ...] = attr(doc="ratios of height to width of the anchors")
    scale: tuple[float, ...] = attr(doc="scales of the anchors")
    clip_before_nms: bool = attr(True)
    clip_after_nms: bool = attr(False)
    normalize: bool = attr(False, doc="whether the boxes are divided by the size of the image")
    box_size_scale: float = attr(1.0, doc="divisor of the deltas of sizes", gt=0)
    box_coordinate_scale: float = attr(1.0, doc="divisor of the deltas of coordinates", gt=0)
    framework: Literal["", "tensorflow"] = attr(
        "", doc="framework whose coordinates are used; Caffe where empty", exact=True
    )

    def infer(self, class_probs: Fact, bbox_deltas: Fact, image_shape: Fact) -> tuple[Shape, Shape]:
        rows = _batches(class_probs, bbox_deltas, image_shape, _anchors(self)) * self.post_nms_topn
        return Shape([rows, 5]), Shape([rows])

    def run(self, class_probs: Array, bbox_deltas: Array, image_shape: Array) -> tuple[Array, Array]:
        return _run(self, class_probs, bbox_deltas, image_shape)


def _anchors(op: ProposalV1 | ProposalV4) -> int:
    return len(op.ratio) * len(op.scale)


def _batches(class_probs: Fact, bbox_deltas: Fact, image_shape: Fact, anchors: int) -> Dim:
    probs, deltas = ranked(class_probs, 4), ranked(bbox_deltas, 4)
    batches = merge_dims(probs[0], deltas[0], "the batch sizes of class_probs and bbox_deltas", input=1)
    for index, (name, dim, times) in enumerate((("class_probs", probs[1], 2), ("bbox_deltas", deltas[1], 4))):
        if not dim.admits(times * anchors):
            raise OpError(
                f"{name} have {amount(dim, 'channel')}, expected {times * anchors}:"
                f" {times} for each of {anchors} anchors (ratio times scale)",
                input=index,
            )
    for axis, name in ((2, "heights"), (3, "widths")):
        merge_dims(probs[axis], deltas[axis], f"the {name} of class_probs and bbox_deltas", input=1)
    count = ranked(image_shape, 1)[0]
    if not count.admits(3) and not count.admits(4):
        raise OpError(f"image_shape has {amount(count, 'element')}, expected 3 or 4", input=2)
    return batches


def _run(
    op: ProposalV1 | ProposalV4, class_probs: Array, bbox_deltas: Array, image_shape: Array
) -> tuple[Array, Array]:
    batches, rows = len(class_probs), op.post_nms_topn
    kind = bbox_deltas.dtype.type
    scales = np.array([op.box_coordinate_scale] * 2 + [op.box_size_scale] * 2, kind)
    deltas = bbox_deltas / np.tile(scales, _anchors(op))[:, None, None]
    anchors = generate_anchors(op.base_size, op.ratio, op.scale, op.framework == "tensorflow")
    rois = np.zeros((batches, rows, 5), class_probs.dtype)
    probabilities = np.zeros((batches, rows), class_probs.dtype)
    for batch in range(batches):
        boxes, scores = propose(
            class_probs[batch, len(anchors) :],
            deltas[batch],
            image_shape,
            anchors,
            stride=op.feat_stride,
            min_size=op.min_size,
            threshold=op.nms_thresh,
            before=op.pre_nms_topn,
            after=rows,
            clip_before=op.clip_before_nms,
            clip_after=op.clip_after_nms,
            normalize=op.normalize,
            tensorflow=op.framework == "tensorflow",
        )
        rois[batch, : len(boxes), 0] = batch
        rois[batch, : len(boxes), 1:] = boxes
        rois[batch, len(boxes) : len(boxes) + 1, 0] = -1
        probabilities[batch, : len(scores)] = scores
    return rois.reshape(-1, 5), probabilities.reshape(-1)

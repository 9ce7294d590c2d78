"""Pooling of regions of images."""

from __future__ import annotations

import math

from irrun.ops._declared.detection.roi_align import ROIAlignV3, ROIAlignV9
from irrun.runtime.lowering.builder import Builder, Unsupported, has_f32, lowers, require_f32, share
from irrun.runtime.lowering.chains import emit_i64
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.view import Operand, View
from irrun_kernels.regions import Regions, pool_regions

_OFFSETS = {"asymmetric": (0.0, 0.0), "half_pixel_for_nn": (0.0, 0.5), "half_pixel": (0.5, 0.5)}
"""The numbers added to coordinates of the image, and subtracted from those of the feature map, by the mode."""


@lowers(ROIAlignV3, ROIAlignV9)
def lower_roi_align(
    op: ROIAlignV3 | ROIAlignV9, builder: Builder, data: Operand, rois: Operand, batches: Operand
) -> View:
    """Bins of regions as means or maxima of samples; regions that are nowhere are faults."""
    require_f32(data)
    require_f32(rois, holds=has_f32)
    if not op.pooled_h * op.pooled_w:
        raise Unsupported("regions without bins")
    mode = op.aligned_mode if isinstance(op, ROIAlignV9) else "asymmetric"
    x, boxes = emit_contiguous(builder, builder.view(data).moveaxis(1, -1)), emit_contiguous(builder, rois)
    indices = emit_contiguous(builder, emit_i64(builder, batches))
    images, height, width, channels = x.shape
    out = builder.empty((rois.shape[0], op.pooled_h, op.pooled_w, channels))
    lines = out.shape[0] * op.pooled_h
    each, tasks = share(lines, max(op.sampling_ratio, 2) ** 2 * 0.3 * out.size)
    before, after = _OFFSETS[mode]
    arguments = Regions(
        x=builder.address(x),
        boxes=builder.address(boxes),
        batches=builder.address(indices),
        out=builder.address(out),
        misfit=builder.failure,
        images=images,
        height=height,
        width=width,
        channels=channels,
        regions=out.shape[0],
        rows=op.pooled_h,
        columns=op.pooled_w,
        ratio=op.sampling_ratio,
        raises=int(op.mode == "max"),
        lines_per_task=each,
        before=before,
        scale=op.spatial_scale,
        after=after,
        least=1.0 if mode == "asymmetric" else -math.inf,
    )
    builder.call(pool_regions, arguments, tasks)
    return out.moveaxis(-1, 1)

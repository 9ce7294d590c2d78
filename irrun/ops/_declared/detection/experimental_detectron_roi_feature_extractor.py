from __future__ import annotations

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels.roi import align_all, pyramid_levels, regions_of
from irrun.ops import Array, Fact, In, Legacy, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, merge_all, ranked
from irrun.ops._declared.detection.roi_align import OUTSIDE
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("ExperimentalDetectronROIFeatureExtractor", opset=6)
class ExperimentalDetectronROIFeatureExtractor(Op):
    """Pool regions by ROIAlign, each from the level of a feature pyramid that suits its size.

    The second output is the regions unchanged. The features of a region without area are 0.
    """

    departures = {"beside nan": OUTSIDE}

    inputs = (
        In("rois", T, "[number_of_ROIs, 4] in coordinates of the image", rank=2),
        In("features", T, "[1, number_of_channels, height, width] for each level", rank=4, variadic=True),
    )
    outputs = (
        Out("rois_features", T, "[number_of_ROIs, number_of_channels, output_size, output_size]"),
        Out("rois", T, "[number_of_ROIs, 4]"),
    )
    legacy = (
        Legacy("distribute_rois_between_levels", "image_id", "preserve_rois_order", since="2019 R1", until="2021.2"),
    )

    output_size: int = attr(doc="rows and columns of the output", gt=0)
    sampling_ratio: int = attr(doc="samples along a bin; 0: about one per pixel", ge=0, openvino=0)
    pyramid_scales: tuple[int, ...] = attr(doc="sizes of the image by sizes of the levels", gt=0)
    aligned: bool = attr(False, doc="whether regions are moved by half a pixel of the level")

    def infer(self, rois: Fact, *features: Fact) -> tuple[Shape, Shape]:
        if len(self.pyramid_scales) < len(features):
            raise OpError(
                f"pyramid_scales has {amount(len(self.pyramid_scales), 'element')}, expected one for each of"
                f" {len(features)} levels",
                attribute="pyramid_scales",
            )
        of_rois = ranked(rois, 2)
        expect_size(of_rois[1], 4, "the last size of rois", input=0)
        levels = [ranked(level, 4) for level in features]
        for index, level in enumerate(levels, start=1):
            expect_size(level[0], 1, "the first size of a level", input=index)
        channels = merge_all([level[1] for level in levels], "the numbers of channels of all levels")
        return Shape([of_rois[0], channels, self.output_size, self.output_size]), Shape([of_rois[0], 4])

    def run(self, rois: Array, *features: Array) -> tuple[Array, Array]:
        level_of = pyramid_levels(rois, len(features))
        pooled = (self.output_size, self.output_size)
        result = np.zeros((len(rois), features[0].shape[1], *pooled), features[0].dtype)
        for level, (feature, scale) in enumerate(zip(features, self.pyramid_scales, strict=False)):
            chosen = np.flatnonzero(level_of == level)
            regions = regions_of(rois[chosen], 1 / scale, "half_pixel_for_nn" if self.aligned else "asymmetric")
            regions = [one._replace(width=max(one.width, 1.0), height=max(one.height, 1.0)) for one in regions]
            result[chosen] = align_all(feature, regions, np.zeros_like(chosen), pooled, self.sampling_ratio)
        return result, rois

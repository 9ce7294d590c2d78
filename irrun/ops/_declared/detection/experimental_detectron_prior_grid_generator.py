from __future__ import annotations

import numpy as np

from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, ranked
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("ExperimentalDetectronPriorGridGenerator", opset=6)
class ExperimentalDetectronPriorGridGenerator(Op):
    """Place priors at the centers of the cells of a grid.

    Note: where h and w make the grid smaller than the feature map, its priors come first and the rest of the output is
    zero; the page leaves the rest undefined. The numbers of channels of feature map and image may differ, as in the
    example of the page.
    """

    inputs = (
        In("priors", T, "[number_of_priors, 4]", rank=2),
        In("feature_map", T, "[1, number_of_channels, featmap_height, featmap_width]", rank=4),
        In("im_data", T, "[1, number_of_channels, image_height, image_width]", rank=4),
    )
    outputs = (Out("priors_grid", T, "2D, or [featmap_height, featmap_width, number_of_priors, 4]"),)

    flatten: bool = attr(True, doc="whether the output is 2D, else 4D", openvino=False)
    h: int = attr(0, doc="rows of the grid; 0: those of the feature map", ge=0)
    w: int = attr(0, doc="columns of the grid; 0: those of the feature map", ge=0)
    stride_x: float = attr(0.0, doc="width of a cell; 0: width of the image by columns", ge=0)
    stride_y: float = attr(0.0, doc="height of a cell; 0: height of the image by rows", ge=0)

    def infer(self, priors: Fact, feature_map: Fact, im_data: Fact) -> Shape:
        of_priors, of_map, of_image = ranked(priors, 2), ranked(feature_map, 4), ranked(im_data, 4)
        expect_size(of_priors[1], 4, "the last size of priors", input=0)
        merge_dims(of_map[0], of_image[0], "the numbers of batches of feature_map and im_data", input=2)
        count, height, width = of_priors[0], of_map[2], of_map[3]
        return Shape([height * width * count, 4]) if self.flatten else Shape([height, width, count, 4])

    def run(self, priors: Array, feature_map: Array, im_data: Array) -> Array:
        kind = priors.dtype.type
        height, width = feature_map.shape[2:]
        rows, columns = self.h or height, self.w or width
        step_x = kind(self.stride_x or im_data.shape[3] / max(columns, 1))
        step_y = kind(self.stride_y or im_data.shape[2] / max(rows, 1))
        x = (np.arange(columns) + 0.5).astype(kind) * step_x
        y = (np.arange(rows) + 0.5).astype(kind) * step_y
        centers = np.stack(np.broadcast_arrays(x, y[:, None]), axis=-1)
        grid = np.tile(centers, 2)[:, :, None] + priors
        shape = (height, width, len(priors), 4)
        result = np.zeros(shape, priors.dtype)
        flat = grid.reshape(-1)[: result.size]
        result.reshape(-1)[: flat.size] = flat
        return result.reshape(-1, 4) if self.flatten else result

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels.prior_box import Prior, lay_out, with_variances
from irrun.ops import Array, Fact, In, Legacy, Op, OpError, Out, Shape, attr, op
from irrun.ops._declared.detection.prior_box import check_variance, grid_shape, refuted_grid
from irrun.ops.refuting import Refutation
from irrun.tensor.element_type import F32, INTEGER


@op("PriorBoxClustered", opset=1)
class PriorBoxClustered(Op):
    """Generate boxes of given widths and heights around every cell of a grid.

    The first row of the output holds the corners, the second their variances.

    Note: the page has the same formula for both corners; the second is center plus half the size. It calls image_size
    optional, but neither the page nor OpenVINO works without it.
    """

    inputs = (
        In("output_size", INTEGER, "[height, width] of the grid", rank=1),
        In("image_size", INTEGER, "[height, width] of the image", rank=1),
    )
    outputs = (Out("output", F32, "[2, 4 * height * width * priors_per_point]"),)
    legacy = (Legacy("flip", "img_size", since="2019 R2", until="2021.2"), Legacy("img_h", "img_w", since="2019 R2"))

    width: tuple[float, ...] = attr((1.0,), doc="widths, in pixels", gt=0, openvino=())
    height: tuple[float, ...] = attr((1.0,), doc="heights, in pixels", gt=0, openvino=())
    clip: bool = attr(True, doc="whether coordinates are limited to 0..1")
    step: float = attr(0.0, doc="distance of centers in pixels; 0: of the cells", ge=0)
    step_w: float = attr(0.0, doc="horizontal distance of centers; 0: step", ge=0)
    step_h: float = attr(0.0, doc="vertical distance of centers; 0: step", ge=0)
    offset: float = attr(doc="offset of a center in its cell, in steps", ge=0, openvino=0.0)
    variance: tuple[float, ...] = attr((), doc="0, 1 or 4 variances", gt=0)

    def verify(self) -> None:
        check_variance(self.variance)
        if len(self.width) != len(self.height):
            raise OpError(
                f"height has {amount(len(self.height), 'element')}, expected as many as width ({len(self.width)})",
                attribute="height",
            )

    def infer(self, output_size: Fact, image_size: Fact) -> Shape:
        return grid_shape(output_size, image_size, len(self.width))

    def refute(self, declared: Sequence[Shape], output_size: Fact, image_size: Fact) -> Iterator[Refutation]:
        return refuted_grid(declared[0], len(self.width))

    def run(self, output_size: Array, image_size: Array) -> Array:
        rows, columns = (max(int(size), 0) for size in output_size)
        height, width = (int(size) for size in image_size)
        step_x, step_y = self.step_w or self.step, self.step_h or self.step
        if step_x == 0 and step_y == 0:
            step_x, step_y = width / max(columns, 1), height / max(rows, 1)
        priors = [Prior(w / 2, h / 2) for w, h in zip(self.width, self.height, strict=True)]
        center_x, center_y = (np.arange(columns) + self.offset) * step_x, (np.arange(rows) + self.offset) * step_y
        corners = lay_out(priors, center_x, center_y, width, height)
        if self.clip:
            corners = np.clip(corners, 0, 1)
        return with_variances(corners, self.variance, corners.size)

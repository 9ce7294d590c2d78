from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels.prior_box import distinct_ratios, fixed_priors, lay_out, sized_priors, with_variances
from irrun.ops import Array, Dim, Fact, In, Legacy, Op, OpError, Out, Shape, attr, op
from irrun.ops._declared.detection.boxes import expect_size, ranked
from irrun.ops.refuting import Refutation, unless_multiples
from irrun.tensor.element_type import F32, INTEGER

_MAX_DENSITY: Final = 1000

_INPUTS = (
    In("output_size", INTEGER, "[height, width] of the grid", rank=1),
    In("image_size", INTEGER, "[height, width] of the image", rank=1),
)


@op("PriorBox", opset=1)
class PriorBoxV1(Op):
    """Generate boxes of given sizes and aspect ratios around every cell of a grid.

    The first row of the output holds the corners, the second their variances.

    Note: without fixed_size a box extends by half its size to each side of its center, in fractions of the image.
    Boxes of fixed_size are clipped to the image. With scale_all_sizes false, min_size and step are in heights of the
    image, and a step of -1 is one cell.
    """

    departures = {
        "scale_all_sizes": "uses max_size even with scale_all_sizes false, and writes beyond the output buffer",
    }
    workarounds = {"scale_all_sizes": "leave max_size out"}

    inputs = _INPUTS
    outputs = (Out("output", F32, "[2, 4 * height * width * priors_per_point]"),)
    legacy = (Legacy("img_h", "img_size", "img_w", "step_h", "step_w", until="2019 R1"),)

    min_size: tuple[float, ...] = attr((), doc="smaller sides, in pixels", gt=0)
    max_size: tuple[float, ...] = attr((), doc="larger sides, in pixels", gt=0)
    aspect_ratio: tuple[float, ...] = attr((), doc="ratios of further boxes", gt=0)
    flip: bool = attr(False, doc="whether to use the inverse of each aspect_ratio too")
    clip: bool = attr(False, doc="whether coordinates are limited to 0..1")
    step: float = attr(0.0, doc="distance of centers in both directions, in pixels; 0 spreads the grid over the image")
    offset: float = attr(doc="offset of a center in its cell, in steps; 0.5 where step is 0", ge=0, openvino=0.0)
    variance: tuple[float, ...] = attr((), doc="0, 1 or 4 variances", gt=0)
    scale_all_sizes: bool = attr(True, doc="whether max_size is used, and aspect_ratio with every min_size")
    fixed_ratio: tuple[float, ...] = attr((), doc="aspect ratios of boxes of fixed_size", gt=0)
    fixed_size: tuple[float, ...] = attr((), doc="sides, in pixels", gt=0)
    density: tuple[float, ...] = attr((), doc="boxes in a row, for each fixed_size", gt=0)

    def verify(self) -> None:
        check_variance(self.variance)
        _check_density(self.density)

    def infer(self, output_size: Fact, image_size: Fact) -> Shape:
        return grid_shape(output_size, image_size, _priors_per_point(self))

    def refute(self, declared: Sequence[Shape], output_size: Fact, image_size: Fact) -> Iterator[Refutation]:
        return refuted_grid(declared[0], _priors_per_point(self))

    def run(self, output_size: Array, image_size: Array) -> Array:
        return _run(self, output_size, image_size, max_first=True)


@op("PriorBox", opset=8)
class PriorBoxV8(Op):
    """Generate boxes of given sizes and aspect ratios around every cell of a grid.

    The first row of the output holds the corners, the second their variances.

    Note: without fixed_size a box extends by half its size to each side of its center, in fractions of the image.
    Boxes of fixed_size are clipped to the image. With scale_all_sizes false, min_size and step are in heights of the
    image, and a step of -1 is one cell.
    """

    departures = {
        "scale_all_sizes": "uses max_size even with scale_all_sizes false, and writes beyond the output buffer",
        "order": "refuses min_max_aspect_ratios_order false",
    }
    workarounds = {"scale_all_sizes": "leave max_size out"}

    inputs = _INPUTS
    outputs = (Out("output", F32, "[2, 4 * height * width * priors_per_point]"),)

    min_size: tuple[float, ...] = attr((), doc="smaller sides, in pixels", gt=0)
    max_size: tuple[float, ...] = attr((), doc="larger sides, in pixels", gt=0)
    aspect_ratio: tuple[float, ...] = attr((), doc="ratios of further boxes", gt=0)
    flip: bool = attr(False, doc="whether to use the inverse of each aspect_ratio too")
    clip: bool = attr(False, doc="whether coordinates are limited to 0..1")
    step: float = attr(0.0, doc="distance of centers in both directions, in pixels; 0 spreads the grid over the image")
    offset: float = attr(doc="offset of a center in its cell, in steps; 0.5 where step is 0", ge=0, openvino=0.0)
    variance: tuple[float, ...] = attr((), doc="0, 1 or 4 variances", gt=0)
    scale_all_sizes: bool = attr(True, doc="whether max_size is used, and aspect_ratio with every min_size")
    fixed_ratio: tuple[float, ...] = attr((), doc="aspect ratios of boxes of fixed_size", gt=0)
    fixed_size: tuple[float, ...] = attr((), doc="sides, in pixels", gt=0)
    density: tuple[float, ...] = attr((), doc="boxes in a row, for each fixed_size", gt=0)
    min_max_aspect_ratios_order: bool = attr(True, doc="whether max_size comes before aspect_ratio")

    def verify(self) -> None:
        check_variance(self.variance)
        _check_density(self.density)

    def infer(self, output_size: Fact, image_size: Fact) -> Shape:
        return grid_shape(output_size, image_size, _priors_per_point(self))

    def refute(self, declared: Sequence[Shape], output_size: Fact, image_size: Fact) -> Iterator[Refutation]:
        return refuted_grid(declared[0], _priors_per_point(self))

    def run(self, output_size: Array, image_size: Array) -> Array:
        return _run(self, output_size, image_size, max_first=self.min_max_aspect_ratios_order)


def check_variance(variance: tuple[float, ...]) -> None:
    """Raise OpError unless there are 0, 1 or 4 variances."""
    if len(variance) not in (0, 1, 4):
        raise OpError(f"variance has {amount(len(variance), 'element')}, expected 0, 1 or 4", attribute="variance")


def _check_density(density: tuple[float, ...]) -> None:
    """Raise OpError where a density is NaN, or exceeds _MAX_DENSITY."""
    for number in density:
        if not number <= _MAX_DENSITY:
            raise OpError(f"density is {number:g}, expected at most {_MAX_DENSITY}", attribute="density")


def grid_shape(output_size: Fact, image_size: Fact, priors: int) -> Shape:
    """Return [2, 4 * height * width * priors], where height and width are the values of ``output_size``."""
    for index, (name, fact) in enumerate((("output_size", output_size), ("image_size", image_size))):
        expect_size(ranked(fact, 1)[0], 2, f"the number of elements of {name}", input=index)
    sizes = output_size.dims()
    if sizes is None or len(sizes) != 2:
        return Shape([2, Dim()])
    return Shape([2, sizes[0].as_dimension() * sizes[1].as_dimension() * (4 * priors)])


def refuted_grid(declared: Shape, priors: int) -> Iterator[Refutation]:
    """Refute a number of coordinates that is not that of whole cells."""
    return unless_multiples(declared, [Dim.exactly(4 * priors)], "the coordinates of a cell")


def _priors_per_point(op: PriorBoxV1 | PriorBoxV8) -> int:
    """Return the number of boxes around a cell.

    For several fixed_ratio it is not the number of combinations; boxes that exceed it are dropped.
    """
    ratios = len(distinct_ratios(op.aspect_ratio, op.flip))
    count = ratios * len(op.min_size) + len(op.max_size) if op.scale_all_sizes else ratios + len(op.min_size) - 1
    if op.fixed_size:
        count = ratios * len(op.fixed_size)
    more = sum(int(density) ** 2 - 1 for density in op.density)
    return count + (len(op.fixed_ratio) if op.fixed_ratio else ratios) * more


def _run(op: PriorBoxV1 | PriorBoxV8, output_size: Array, image_size: Array, *, max_first: bool) -> Array:
    rows, columns = (max(int(size), 0) for size in output_size)
    height, width = (int(size) for size in image_size)
    ratios = distinct_ratios(op.aspect_ratio, op.flip)
    priors = fixed_priors(op.fixed_size, op.density, op.fixed_ratio, ratios)
    step, min_size, max_size = op.step, op.min_size, op.max_size
    if not op.scale_all_sizes:
        step = height / rows if op.step == -1 else op.step * height
        min_size, max_size = tuple(size * height for size in op.min_size), ()
    priors += sized_priors(min_size, max_size, ratios, ratios_of_each=op.scale_all_sizes, max_first=max_first)
    offset, step_x, step_y = (
        (0.5, width / max(columns, 1), height / max(rows, 1)) if step == 0 else (op.offset, step, step)
    )
    corners = lay_out(
        priors, (np.arange(columns) + offset) * step_x, (np.arange(rows) + offset) * step_y, width, height
    )
    if op.clip:
        corners = np.clip(corners, 0, 1)
    return with_variances(corners, op.variance, 4 * rows * columns * _priors_per_point(op))

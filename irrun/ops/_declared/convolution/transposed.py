"""Attributes and shape rule of transposed convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from irrun.diagnostics import amount
from irrun.ops import Dim, Fact, OpError, Shape, attr
from irrun.ops._declared.convolution.base import IN_IR_7, Convolving, all_filters
from irrun.ops._declared.convolution.spatial import Windows, check_taps, per_axis
from irrun.ops.shapes import known_dims, within
from irrun.tensor import UNBOUNDED

_SOME: Final = Dim(1, UNBOUNDED)


class TransposedConvolving(Convolving):
    """The attributes of transposed convolutions."""

    legacy = (IN_IR_7,)

    output_padding: tuple[int, ...] = attr((), doc="elements to add to the end of each output axis", ge=0)

    def extra(self, axes: int) -> tuple[int, ...]:
        """Return output_padding for this number of spatial axes."""
        return per_axis(self.output_padding, axes, 0, "output_padding")

    def place(
        self, sizes: Sequence[int], taps: Sequence[int], wanted: Sequence[int] | None
    ) -> tuple[list[int], list[int]]:
        """Return the begin of the output within the full result, and its spatial sizes.

        With ``wanted`` sizes the padding is derived from them, and ``auto_pad`` determines the side of the odd element.
        """
        axes = len(sizes)
        windows, extra = self.windows(axes), self.extra(axes)
        begins, results = [], []
        if wanted is not None:
            _check_wanted([Dim.exactly(size) for size in wanted], axes)
        for axis in range(axes):
            check_taps(axis, taps[axis])
            full = (sizes[axis] - 1) * windows.strides[axis] + (taps[axis] - 1) * windows.dilations[axis] + 1
            if wanted is None:
                explicit = self.auto_pad == "explicit"
                begins.append(windows.begins[axis] if explicit else 0)
                end = windows.ends[axis] if explicit else 0
                results.append(full - begins[-1] - end + extra[axis])
                continue
            total = max(full - wanted[axis] + extra[axis], 0)
            begins.append(total - total // 2 if self.auto_pad == "same_upper" else total // 2)
            results.append(wanted[axis])
        return begins, results


def transposed_shape(op: TransposedConvolving, data: Fact, kernel: Fact, sizes: Fact | None, *, grouped: bool) -> Shape:
    """Return the output shape of a transposed convolution; a grouped kernel is [G, I, O, *K], any other [I, O, *K]."""
    leading = 3 if grouped else 2
    axes = op.spatial_axes(data.shape, kernel.shape, leading)
    wanted = sizes.dims() if sizes is not None else None
    if axes is None and wanted is not None:
        axes = len(wanted)
    if axes is None:
        return Shape.unknown()
    windows, extra = op.windows(axes), op.extra(axes)
    batch, channels, *spatial = known_dims(data.shape, axes + 2)
    depth, filters, *taps = known_dims(kernel.shape, axes + leading)[leading - 2 :]
    filters = all_filters(channels, kernel, depth, filters, grouped=grouped)
    if sizes is None:
        return Shape([batch, filters, *_transposed_sizes(windows, spatial, taps, extra)])
    if wanted is None:
        wanted = (_SOME,) * axes
    _check_wanted(wanted, axes)
    return Shape([batch, filters, *(within(size, Dim(max(size.lo, 1), size.hi)) for size in wanted)])


def _check_wanted(sizes: Sequence[Dim], axes: int) -> None:
    if len(sizes) != axes:
        raise OpError(
            f"output_shape has {amount(len(sizes), 'element')}, expected {axes}, one for each spatial axis", input=2
        )
    if any(size.hi < 1 for size in sizes):
        raise OpError(f"output_shape is {Shape(sizes)}, expected positive sizes", input=2)


def _transposed_sizes(windows: Windows, sizes: Sequence[Dim], taps: Sequence[Dim], extra: Sequence[int]) -> list[Dim]:
    results = []
    for axis, (size, taps_here) in enumerate(zip(sizes, taps, strict=True)):
        check_taps(axis, taps_here.hi)
        stride, taps_here = windows.strides[axis], within(taps_here, _SOME)
        pads = windows.begins[axis] + windows.ends[axis] if windows.auto_pad == "explicit" else 0
        rest = (taps_here - 1) * windows.dilations[axis] + 1 - pads + extra[axis]
        result = (size - 1) * stride + rest
        if result.hi < 1:
            raise OpError(f"padding leaves {result} elements on spatial axis {axis}", attribute="pads_begin")
        if result.lo < 1:
            least = (rest.lo - 1) % stride + 1 if rest.is_static else 1
            result = within(result, Dim(min(least, result.hi), UNBOUNDED))
        results.append(result)
    return results

"""The check of the axes input, shared by normalizations."""

from __future__ import annotations

from irrun.diagnostics import amount
from irrun.ops import Fact, OpError
from irrun.ops.shapes import axes_of


def check_axes(data: Fact, axes: Fact) -> None:
    """Raise OpError where an axis is outside the tensor, or where there are more axes than the tensor has."""
    if data.rank is None:
        return
    axes_of(axes, data.rank, input=1)
    if axes.shape.dims is not None and axes.shape.size.lo > max(data.rank, 1):
        raise OpError(f"got {amount(axes.shape.size, 'axis', 'axes')} for a tensor of rank {data.rank}", input=1)

"""Attributes and shape rules of the pooling operations."""

from __future__ import annotations

from collections.abc import Mapping

from irrun.diagnostics import amount
from irrun.ops import Dim, OpError, Shape
from irrun.ops._declared.convolution.spatial import AutoPad, Rounding, Windows, per_axis


def check_lengths(kernel: tuple[int, ...], lists: Mapping[str, tuple[int, ...]]) -> None:
    """Raise OpError where an attribute has another length than the kernel; an empty one stands for defaults."""
    for name, values in lists.items():
        if values and len(values) != len(kernel):
            raise OpError(
                f"{name} has {amount(len(values), 'element')}, expected {len(kernel)} as kernel has", attribute=name
            )


def pooling_windows(
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    begins: tuple[int, ...],
    ends: tuple[int, ...],
    auto_pad: AutoPad,
    rounding: Rounding,
) -> Windows:
    """Return the windows of a pooling operation."""
    axes = len(kernel)
    return Windows(
        strides=per_axis(strides, axes, 1, "strides"),
        dilations=per_axis(dilations, axes, 1, "dilations"),
        begins=per_axis(begins, axes, 0, "pads_begin"),
        ends=per_axis(ends, axes, 0, "pads_end"),
        auto_pad=auto_pad,
        rounding=rounding,
    )


def pooled_shape(data: Shape, kernel: tuple[int, ...], windows: Windows) -> Shape:
    """Return the shape of data [N, C, *S] after pooling."""
    if data.dims is None:
        return Shape.unknown(2 + len(kernel))
    if len(data) - 2 != len(kernel):
        raise OpError(
            f"kernel has {amount(len(kernel), 'element')}, expected {len(data) - 2}, one for each spatial axis",
            attribute="kernel",
        )
    return Shape([*data[:2], *windows.counts(data[2:], [Dim.exactly(taps) for taps in kernel])])


def adaptive_shape(data: Shape, sizes: tuple[Dim, ...] | None) -> Shape:
    """Return the shape of data [N, C, *S] pooled to the given spatial sizes."""
    if data.dims is None:
        return Shape.unknown(None if sizes is None else 2 + len(sizes))
    axes = len(data) - 2
    if sizes is None:
        return Shape([*data[:2], *(Dim() for _ in range(axes))])
    if len(sizes) != axes:
        raise OpError(
            f"output_shape has {amount(len(sizes), 'element')}, expected {axes}, one for each spatial axis", input=1
        )
    if any(size.hi < 0 for size in sizes):
        raise OpError(f"output_shape is [{','.join(map(str, sizes))}], expected no negative sizes", input=1)
    if any(whole.hi == 0 < part.lo for whole, part in zip(data[2:], sizes, strict=True)):
        raise OpError(f"data have shape {data}, expected elements along each pooled axis", input=0)
    return Shape([*data[:2], *sizes])

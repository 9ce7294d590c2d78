"""Words for operations that slide windows: convolutions and pooling."""

from __future__ import annotations

from typing import Any

from irrun.diagnostics import amount
from irrun.reporting.explain.words.register import Seen, Words, axes_text, says, times
from irrun.tensor import Dim


@says("Convolution", "GroupConvolution")
def convolution(seen: Seen) -> Words:
    op, data, kernel = seen.op, seen.sizes(), seen.sizes(1)
    if not kernel:
        return [op.spec.summary], []
    groups = kernel[0] if op.type == "GroupConvolution" else Dim.exactly(1)
    filters, channels, *taps = kernel[1:] if op.type == "GroupConvolution" else kernel
    whole = groups * filters
    first = f"Slide {whole} filters of {times(taps)} over {amount(data[1], 'channel')}{_steps(op, len(taps))}."
    about = []
    if op.type == "GroupConvolution":
        is_depthwise = channels == Dim.exactly(1) and groups == data[1]
        kind = "each channel has filters of its own (depthwise)" if is_depthwise else f"{groups} groups"
        about.append(f"The filters are in groups: {kind}; each filter reads {channels} of the channels.")
    about.append("Each output element is the sum of the products of a filter and the window under it.")
    shapes = [
        f"axis 0: the batch, {data[0]}",
        f"axis 1: {_channels(groups, filters)}",
        *(_count(op, axis, data[axis + 2], size, seen.result[axis + 2]) for axis, size in enumerate(taps)),
    ]
    return [first, *about], shapes


@says("ConvolutionBackpropData", "GroupConvolutionBackpropData")
def transposed(seen: Seen) -> Words:
    op, data, kernel = seen.op, seen.sizes(), seen.sizes(1)
    if not kernel:
        return [op.spec.summary], []
    grouped = op.type == "GroupConvolutionBackpropData"
    groups = kernel[0] if grouped else Dim.exactly(1)
    _, filters, *taps = kernel[1:] if grouped else kernel
    first = (
        f"Transposed convolution: each element of {data[1]} channels adds its multiple of a {times(taps)} filter to "
        f"the output, at distances of {times(_per_axis(op.strides, len(taps), 1))}."
    )
    shapes = [f"axis 0: the batch, {data[0]}", f"axis 1: {groups * filters} channels of the kernel"]
    extra = _per_axis(getattr(op, "output_padding", ()), len(taps), 0)
    for axis, size in enumerate(taps):
        name, made = f"axis {axis + 2}", seen.result[axis + 2]
        if len(seen.inputs) > 2 or op.auto_pad in ("same_upper", "same_lower"):
            shapes.append(f"{name}: {made}, by {'output_shape' if len(seen.inputs) > 2 else op.auto_pad}")
            continue
        stride, dilation = (_per_axis(item, len(taps), 1)[axis] for item in (op.strides, op.dilations))
        begin, end = _pads(op, axis, len(taps))
        shapes.append(
            f"{name}: ({data[axis + 2]} - 1) * {stride} + {_span(size, dilation)} - {begin} - {end} + {extra[axis]} = "
            f"{made}"
        )
    return [first], shapes


@says("MaxPool", "AvgPool")
def pooling(seen: Seen) -> Words:
    op, data = seen.op, seen.sizes()
    word = "greatest element" if op.type == "MaxPool" else "mean"
    first = f"The {word} of each {times(op.kernel)} window of each channel{_steps(op, len(op.kernel))}."
    about = []
    if op.type == "AvgPool":
        if _is_padded(op):
            counted = "does not count" if op.exclude_pad else "counts as zeros"
            about.append(f"Padding {counted} in the mean.")
    elif len(seen.outputs) > 1:
        about.append("Output 1 has the index of each greatest element.")
    shapes = [
        f"{axes_text([0, 1], len(data))}: batch and channels, {data[0]} and {data[1]}",
        *(
            _count(op, axis, data[axis + 2], Dim.exactly(size), seen.result[axis + 2])
            for axis, size in enumerate(op.kernel)
        ),
    ]
    return [first, *about], shapes


def _channels(groups: Dim, filters: Dim) -> str:
    if groups == Dim.exactly(1):
        return f"one channel for each filter, {filters}"
    return f"{groups} groups of {filters} filters = {groups * filters}"


def _steps(op: Any, rank: int) -> str:
    """Return the strides, padding and dilations in words."""
    parts = [f", {times(_per_axis(op.strides, rank, 1))} apart"]
    if op.auto_pad in ("same_upper", "same_lower"):
        parts.append(f", padded so that the output has the size of the input divided by the stride ({op.auto_pad})")
    elif op.auto_pad == "valid":
        parts.append(", without padding")
    else:
        begins, ends = _per_axis(op.pads_begin, rank, 0), _per_axis(op.pads_end, rank, 0)
        if any((*begins, *ends)):
            even = (
                f"{times(begins)} on both sides" if begins == ends else f"{times(begins)} before, {times(ends)} after"
            )
            parts.append(f", padded by {even}")
        else:
            parts.append(", without padding")
    dilations = _per_axis(getattr(op, "dilations", ()), rank, 1)
    if any(size != 1 for size in dilations):
        parts.append(f", with elements {times(dilations)} apart")
    return "".join(parts)


def _count(op: Any, axis: int, size: Dim, taps: Dim, made: Dim) -> str:
    """Return the rule for the number of windows on a spatial axis."""
    rank = len(op.strides) or axis + 1
    stride = _per_axis(op.strides, rank, 1)[axis]
    name = f"axis {axis + 2}"
    if op.auto_pad in ("same_upper", "same_lower"):
        return f"{name}: {size} / {stride}, rounded up = {made} ({op.auto_pad})"
    begin, end = _pads(op, axis, rank)
    span = _span(taps, _per_axis(getattr(op, "dilations", ()), rank, 1)[axis])
    whole = size + begin + end - int(span) if span.isdigit() else None
    is_exact = stride == 1 or (whole is not None and whole.is_static and whole.lo % stride == 0)
    word = "down" if getattr(op, "rounding_type", "floor") == "floor" else "up"
    rounded = "" if is_exact else f" rounded {word}"
    text = f"{name}: ({size} + {begin} + {end} - {span}) / {stride}{rounded} + 1"
    if whole is not None and whole.is_static and made == -(-whole.lo // stride) and word == "up" and not is_exact:
        return f"{text} - 1 = {made}, since the last window would begin in the padding"
    return f"{text} = {made}"


def _is_padded(op: Any) -> bool:
    if op.auto_pad in ("same_upper", "same_lower"):
        return True
    return op.auto_pad != "valid" and any((*op.pads_begin, *op.pads_end))


def _span(taps: Dim, dilation: int) -> str:
    return str(taps) if dilation == 1 else str((taps - 1) * dilation + 1)


def _pads(op: Any, axis: int, rank: int) -> tuple[int, int]:
    if op.auto_pad == "valid":
        return 0, 0
    return _per_axis(op.pads_begin, rank, 0)[axis], _per_axis(op.pads_end, rank, 0)[axis]


def _per_axis(values: tuple[int, ...], rank: int, default: int) -> tuple[int, ...]:
    return tuple(values) if values else (default,) * rank

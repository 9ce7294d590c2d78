"""Random cases of convolutions and pooling, by seed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tests.cases import Case
from tests.ops.random_draws import FLOATS, Arg, Random, case, generator

AUTO_PADS: Final = ("explicit", "explicit", "explicit", "same_upper", "same_lower", "valid")


class Sliding:
    """Attributes of a window over spatial axes, and sizes of data into which the window fits."""

    def __init__(self, random: Random, *, dilated: bool = True, most: int = 3) -> None:
        self.axes = axes = random.int(1, most)
        self.auto_pad = random.pick(AUTO_PADS)
        self.kernel = random.ints(axes, 1, 4)
        self.strides = random.ints(axes, 1, 3)
        self.dilations = random.ints(axes, 1, 2) if dilated and random.chance(0.5) else (1,) * axes
        self.begins = tuple(random.int(0, k - 1) for k in self.kernel)
        self.ends = tuple(random.int(0, k - 1) for k in self.kernel)
        self.sizes = tuple(
            random.int((k - 1) * d + 1, (k - 1) * d + 6) for k, d in zip(self.kernel, self.dilations, strict=True)
        )

    @property
    def attributes(self) -> dict[str, Any]:
        return {
            "strides": self.strides,
            "dilations": self.dilations,
            "pads_begin": self.begins,
            "pads_end": self.ends,
            "auto_pad": self.auto_pad,
        }


def _convolution(grouped: bool) -> None:
    type = "GroupConvolution" if grouped else "Convolution"

    @generator(f"{type}-1")
    def _(random: Random) -> Case:
        window = Sliding(random)
        kind = random.pick(FLOATS)
        batch, depth, filters, groups = random.int(1, 2), *random.ints(3, 1, 4)
        if not grouped:
            groups = 1
        if grouped and random.chance(0.4):
            depth = filters = 1
        kernel = ((groups,) if grouped else ()) + (filters, depth, *window.kernel)
        args = [random.array(kind, (batch, groups * depth, *window.sizes)), random.array(kind, kernel)]
        return case(type, 1, args, window.attributes, constant=(1,) if random.chance(0.7) else (), atol=1e-3)


_convolution(False)
_convolution(True)


def _transposed(grouped: bool) -> None:
    type = "GroupConvolutionBackpropData" if grouped else "ConvolutionBackpropData"

    @generator(f"{type}-1")
    def _(random: Random) -> Case:
        window = Sliding(random)
        window.sizes = random.ints(window.axes, 1, 5)
        given = {**window.attributes, "output_padding": tuple(random.int(0, s - 1) for s in window.strides)}
        full = [
            (size - 1) * s + (k - 1) * d + 1
            for size, s, k, d in zip(window.sizes, window.strides, window.kernel, window.dilations, strict=True)
        ]
        wanted: list[Arg] = []
        if random.chance(0.5):
            window.auto_pad = given["auto_pad"] = random.pick(("same_upper", "same_lower"))
            sizes = [size + random.int(0, s - 1) for size, s in zip(full, window.strides, strict=True)]
            given["output_padding"] = (0,) * window.axes
            sizes = [max(size - random.int(0, 3), 1) for size in full]
            wanted.append((np.asarray(sizes, random.pick((np.int32, np.int64))), "int64"))
        else:
            given["pads_begin"] = tuple(min(b, f - 1) for b, f in zip(window.begins, full, strict=True))
            given["pads_end"] = tuple(
                max(min(e, f - 1 - b), 0) for e, b, f in zip(window.ends, given["pads_begin"], full, strict=True)
            )
        kind = random.pick(FLOATS)
        batch, depth, filters, groups = random.int(1, 2), *random.ints(3, 1, 3)
        if not grouped:
            groups = 1
        kernel = ((groups,) if grouped else ()) + (depth, filters, *window.kernel)
        args = [random.array(kind, (batch, groups * depth, *window.sizes)), random.array(kind, kernel), *wanted]
        return case(type, 1, args, given, constant=(1, 2), atol=1e-3)


_transposed(False)
_transposed(True)


def _deformable(opset: int) -> None:
    @generator(f"DeformableConvolution-{opset}")
    def _(random: Random) -> Case:
        window = Sliding(random, most=2)
        while window.axes != 2:
            window = Sliding(random, most=2)
        group, deformable, each, filters = random.int(1, 2), random.int(1, 2), random.int(1, 2), random.int(1, 2)
        channels = group * deformable * each
        given = {**window.attributes, "group": group, "deformable_group": deformable}
        counts = placed(window)
        taps = window.kernel[0] * window.kernel[1]
        args = [
            random.array("f32", (1, channels, *window.sizes)),
            random.array("f32", (1, deformable * taps * 2, *counts), -2, 2),
            random.array("f32", (group * filters, channels // group, *window.kernel)),
        ]
        if opset == 8:
            given["bilinear_interpolation_pad"] = random.chance(0.5)
            if random.chance(0.6):
                args.append(random.array("f32", (1, deformable * taps, *counts), 0, 1))
        return case("DeformableConvolution", opset, args, given, constant=(2,), atol=1e-3)


def placed(window: Sliding) -> tuple[int, ...]:
    """Return the number of windows on each axis, rounded down."""
    counts = []
    for axis, size in enumerate(window.sizes):
        span, stride = (window.kernel[axis] - 1) * window.dilations[axis] + 1, window.strides[axis]
        if window.auto_pad in ("same_upper", "same_lower"):
            counts.append(-(-size // stride))
            continue
        pads = window.begins[axis] + window.ends[axis] if window.auto_pad == "explicit" else 0
        counts.append((size + pads - span) // stride + 1)
    return tuple(counts)


_deformable(1)
_deformable(8)


def _reached(window: Sliding) -> Iterator[bool]:
    """For each axis, yield True if the last window, with the count rounded up, has an element of the data."""
    if window.auto_pad in ("same_upper", "same_lower"):
        yield all(k >= s for k, s in zip(window.kernel, window.strides, strict=True))
        return
    explicit = window.auto_pad == "explicit"
    for axis, size in enumerate(window.sizes):
        begin, end = (window.begins[axis], window.ends[axis]) if explicit else (0, 0)
        span = (window.kernel[axis] - 1) * window.dilations[axis] + 1
        last = -(-(size + begin + end - span) // window.strides[axis]) * window.strides[axis]
        yield last < size + begin


def _pool(type: str, opset: int) -> None:
    @generator(f"{type}-{opset}")
    def _(random: Random) -> Case:
        dilated = (type == "MaxPool" and opset >= 8) or opset >= 16
        window = Sliding(random, dilated=dilated)
        given = {**window.attributes, "kernel": window.kernel}
        if not dilated:
            del given["dilations"]
        roundings = ["floor", "ceil", "ceil_torch"] if opset >= 14 else ["floor", "ceil"]
        if not all(_reached(window)):
            roundings.remove("ceil")
        given["rounding_type"] = random.pick(roundings)
        shape = (*random.ints(2, 1, 3), *window.sizes)
        kind = random.pick(FLOATS)
        if type == "AvgPool":
            given["exclude_pad"] = random.chance(0.5)
        elif opset >= 8:
            given["axis"] = random.int(-len(shape), len(shape) - 1)
            given["index_element_type"] = random.pick(("i32", "i64"))
            kind = random.pick(("f32", "f16", "i32", "i8", "u8"))
        outputs = 2 if type == "MaxPool" and opset >= 8 else 1
        return case(type, opset, [random.array(kind, shape, 1 if kind == "u8" else -4)], given, outputs=outputs)


for _type, _opset in (
    ("MaxPool", 1),
    ("MaxPool", 8),
    ("MaxPool", 14),
    ("AvgPool", 1),
    ("AvgPool", 14),
    ("AvgPool", 16),
):
    _pool(_type, _opset)


def _adaptive(type: str) -> None:
    @generator(f"{type}-8")
    def _(random: Random) -> Case:
        shape = (*random.ints(2, 1, 3), *random.ints(random.int(1, 3), 1, 7))
        sizes = np.asarray(random.ints(len(shape) - 2, 1, 8), random.pick((np.int32, np.int64)))
        args = [random.array(random.pick(("f32", "f32", "f16")), shape), (sizes, sizes.dtype.name)]
        if type == "AdaptiveAvgPool":
            return case(type, 8, args, constant=(1,))
        given = {"index_element_type": random.pick(("i32", "i64"))}
        return case(type, 8, args, given, constant=(1,), outputs=2)


_adaptive("AdaptiveAvgPool")
_adaptive("AdaptiveMaxPool")

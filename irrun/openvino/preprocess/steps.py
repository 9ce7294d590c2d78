"""The steps between the caller and the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from numbers import Integral, Real
from typing import Any, Final, Self

import numpy as np

from irrun.openvino.nodes.ports import Output
from irrun.openvino.nodes.records import element
from irrun.openvino.preprocess.flow import ColorFormat, Flow, node
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.layout import Layout
from irrun.tensor import Array, ElementType


class ResizeAlgorithm(Enum):
    """The interpolation of a resized image."""

    RESIZE_LINEAR = 0
    RESIZE_CUBIC = 1
    RESIZE_NEAREST = 2
    RESIZE_BILINEAR_PILLOW = 3
    RESIZE_BICUBIC_PILLOW = 4


class PaddingMode(Enum):
    """The values around a padded tensor."""

    CONSTANT = 0
    REFLECT = 2
    SYMMETRIC = 3


Step = tuple[str, Callable[[Flow], None]]
"""What a step does as a text, and the function that does it."""

_MODES: Final = {
    ResizeAlgorithm.RESIZE_LINEAR: "linear",
    ResizeAlgorithm.RESIZE_CUBIC: "cubic",
    ResizeAlgorithm.RESIZE_NEAREST: "nearest",
    ResizeAlgorithm.RESIZE_BILINEAR_PILLOW: "bilinear_pillow",
    ResizeAlgorithm.RESIZE_BICUBIC_PILLOW: "bicubic_pillow",
}
_PILLOW: Final = -0.5
"""The coefficient of Pillow's cubic interpolation."""

_PADDED: Final = {
    PaddingMode.REFLECT: "reflected from tensor",
    PaddingMode.SYMMETRIC: "symmetrically added from tensor",
}

_GRAY: Final = np.array([0.299, 0.587, 0.114], np.float32)


class PostProcessSteps:
    """Steps after the model, in the order of the calls."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.targets: list[Layout | list[int]] = []

    @property
    def orders(self) -> list[list[int]]:
        """The orders of axes to which ``convert_layout`` converts."""
        return [target for target in self.targets if not isinstance(target, Layout)]

    def _add(self, step: Callable[[Flow], None], title: str) -> Self:
        self.steps.append((title, step))
        return self

    def convert_element_type(self, type: Any = None) -> Self:
        """Convert the elements; without a type to that of the other end."""
        if type is None:
            return self._add(lambda flow: flow.convert(flow.type), "convert type (dynamic)")
        wanted = element(type)
        return self._add(lambda flow: flow.convert(wanted), f"convert type ({wanted})")

    @also_named("dst_layout", "dims")
    def convert_layout(self, dst_layout: Any = None) -> Self:
        """Reorder the axes to a layout or by a list of axes; without one to the layout of the other end."""
        if isinstance(dst_layout, list | tuple):
            order = _integers(dst_layout, "an order of axes")
            if not order:
                return self
            self.targets.append(order)
            return self._add(lambda flow: flow.transpose(order), f"convert layout {_listed(order)}")
        wanted = as_layout("" if dst_layout is None else dst_layout)
        self.targets.append(wanted)
        return self._add(lambda flow: flow.arrange(flow.wanted if wanted.empty else wanted), f"convert layout {wanted}")

    def custom(self, operation: Callable[..., Any]) -> Self:
        """Apply a function from an output to a node."""

        def step(flow: Flow) -> None:
            made = operation(flow.output)
            if not isinstance(made, Output):
                raise RuntimeError(f"a custom step returns an output, such as node.output(0), got {made!r}")
            flow.output = made

        return self._add(step, "custom")


class PreProcessSteps(PostProcessSteps):
    """Steps before the model, in the order of the calls."""

    @also_named("value", "values")
    def mean(self, value: float | Sequence[float]) -> Self:
        """Subtract a number, or one for each channel."""
        _require_numbers(value, "mean")
        return self._add(
            lambda flow: flow.apply("Subtract", _by_channel(flow, value, "mean")), f"mean {_listed(value)}"
        )

    @also_named("value", "values")
    def scale(self, value: float | Sequence[float]) -> Self:
        """Divide by a number, or by one for each channel."""
        _require_numbers(value, "scale")
        return self._add(
            lambda flow: flow.apply("Divide", _by_channel(flow, value, "scale")), f"scale {_listed(value)}"
        )

    def resize(self, alg: ResizeAlgorithm, dst_height: int | None = None, dst_width: int | None = None) -> Self:
        """Resize to a height and width, by default those of the model."""

        def step(flow: Flow) -> None:
            sizes = [dst_height, dst_width] if dst_height is not None and dst_width is not None else _spatial(flow)
            axes = np.array([flow.axis("H"), flow.axis("W")], np.int64)
            mode = _MODES[alg]
            settings: dict[str, Any] = {"mode": mode, "shape_calculation_mode": "sizes"}
            settings |= {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_floor"}
            settings |= {"cube_coeff": _PILLOW if mode == "bicubic_pillow" else -0.75}
            flow.apply("Interpolate", np.array(sizes, np.int64), axes, **settings)

        sizes = "model width/height" if dst_height is None or dst_width is None else f"({dst_height}, {dst_width})"
        return self._add(step, f"resize to {sizes}")

    def crop(self, begin: Sequence[int], end: Sequence[int]) -> Self:
        """Take a part of the tensor, from ``begin`` up to ``end`` along each axis."""
        begin, end = (_integers(item, "a corner") for item in (begin, end))

        def step(flow: Flow) -> None:
            sides = (begin, end, [1] * len(begin), range(len(begin)))
            bounds = (np.array(list(item), np.int64) for item in sides)
            flow.apply("Slice", *bounds)

        return self._add(step, f"Crop ({_bounds(begin)},{_bounds(end)})")

    def pad(self, pads_begin: Sequence[int], pads_end: Sequence[int], value: Any, mode: PaddingMode) -> Self:
        """Add elements before and after those of each axis."""
        pads_begin, pads_end = (_integers(item, "pads") for item in (pads_begin, pads_end))
        _require_numbers(value, "the value of pad")

        def step(flow: Flow) -> None:
            type = _float_of(flow, "pad")
            fill = np.array(value, type.external)
            sides = (np.array(list(item), np.int64) for item in (pads_begin, pads_end))
            flow.apply("Pad", *sides, fill, pad_mode=mode.name.lower())

        source = f"with {_listed(value)}" if mode is PaddingMode.CONSTANT else _PADDED[mode]
        return self._add(step, f"pad(begin {_listed(pads_begin)}, end {_listed(pads_end)}, {source})")

    def reverse_channels(self) -> Self:
        """Reverse the order of the channels."""
        return self._add(_reverse, "reverse channels")

    def convert_color(self, dst_format: ColorFormat) -> Self:
        """Convert the channels from the format of the tensor to this one."""
        as_color(dst_format)

        def step(flow: Flow) -> None:
            _recolor(flow, dst_format)
            flow.color = dst_format

        return self._add(step, f"convert color ({dst_format})")


def as_layout(value: Any) -> Layout:
    """Return a layout, which may be given as a text; TypeError for anything else."""
    if isinstance(value, Layout):
        return value
    if not isinstance(value, str):
        raise TypeError(f"a layout is a Layout or a text, got {value!r}")
    return Layout(value)


def as_color(value: Any) -> ColorFormat:
    """Return a colour format; TypeError for anything else."""
    if not isinstance(value, ColorFormat):
        raise TypeError(f"a colour format is a ColorFormat, got {value!r}")
    return value


def _integers(values: Any, what: str) -> list[int]:
    if not isinstance(values, list | tuple | np.ndarray) or not all(isinstance(item, Integral) for item in values):
        raise TypeError(f"{what}: expected a list of integers, got {values!r}")
    return [int(item) for item in values]


def _require_numbers(values: Any, what: str) -> None:
    listed = values if isinstance(values, list | tuple | np.ndarray) else [values]
    if not all(isinstance(item, Real) for item in listed):
        raise TypeError(f"{what}: expected a number or a list of numbers, got {values!r}")


def _bounds(values: Sequence[int]) -> str:
    return f"[ {', '.join(map(str, values))} ]"


def _listed(values: float | Sequence[float]) -> str:
    """Return numbers in brackets, as the text of a step has them."""
    return f"({','.join(f'{item:g}' for item in ([values] if isinstance(values, int | float) else values))})"


def _by_channel(flow: Flow, values: float | Sequence[float], what: str) -> Array:
    """Return constants for the channels in the type of the tensor; RuntimeError where its elements are integers."""
    type = _float_of(flow, what)
    if isinstance(values, int | float):
        return np.array(values, type.external)
    shape = [1] * flow.rank
    shape[flow.axis("C")] = len(values)
    return np.array(values, type.external).reshape(shape)


def _float_of(flow: Flow, what: str) -> ElementType:
    """Return the type of the elements; RuntimeError where they are integers."""
    type = flow.output.fact.type
    if not type.is_float:
        raise RuntimeError(f"{what} needs a float type, got {type}; convert_element_type comes before it")
    return type


def _spatial(flow: Flow) -> list[int]:
    """Return the height and width that the model takes."""
    if not flow.sizes:
        raise RuntimeError("the size to resize to is not known: give a height and a width")
    return list(flow.sizes)


def _reverse(flow: Flow) -> None:
    axis = flow.axis("C")
    dims = flow.output.fact.shape.dims
    if dims is not None and dims[axis].is_static:
        order: Any = np.arange(dims[axis].lo, dtype=np.int64)[::-1].copy()
    else:
        one, last = np.array(1, np.int64), np.array(-1, np.int64)
        sizes = node("ShapeOf", flow.output, output_type="i64")
        count = node("Gather", sizes, np.array(axis, np.int64), np.array(0, np.int64))
        order = node("Range", node("Subtract", count, one), last, last, output_type=element("i64"))
    flow.apply("Gather", order, np.array(axis, np.int64))


def _recolor(flow: Flow, format: ColorFormat) -> None:
    before, pair = flow.color, (flow.color, format)
    if before is format:
        return
    three = {ColorFormat.RGB, ColorFormat.BGR}
    if before in three and format in three:
        _reverse(flow)
    elif before in (ColorFormat.RGBX, ColorFormat.BGRX) and format in three:
        axis = flow.axis("C")
        if flow.output.fact.rank not in (None, 4):
            raise RuntimeError(f"an image of {before.name} has 4 axes, got rank {flow.rank}")
        flow.apply("Slice", *(np.array([item], np.int64) for item in (0, 3, 1, axis)))
        if before.name[:3] != format.name:
            _reverse(flow)
    elif before in three and format is ColorFormat.GRAY:
        _gray(flow, before)
    elif flow.planes and format is ColorFormat.GRAY:
        flow.planes = ()
    elif before is not None and before.name.startswith(("NV12", "I420")) and format in three:
        planes, flow.planes = flow.planes, ()
        flow.apply(f"{before.name[:4]}to{format.name}", *planes)
    else:
        names = " to ".join("UNDEFINED" if item is None else item.name for item in pair)
        raise RuntimeError(f"colours cannot be converted from {names}; set_color_format names those of the tensor")


def _gray(flow: Flow, before: ColorFormat | None) -> None:
    """Compute the luminance, rounded where the elements are integers."""
    weights = _GRAY if before is ColorFormat.RGB else _GRAY[::-1].copy()
    type = flow.output.fact.type
    axis = flow.axis("C")
    shape = [1] * flow.rank
    shape[axis] = 3
    real = flow.output if type.is_float else node("Convert", flow.output, destination_type=element("f32"))
    scaled = node("Multiply", real, weights.astype(real.fact.type.external).reshape(shape))
    flow.output = node("ReduceSum", scaled, np.array([axis], np.int64), keep_dims=True)
    if not type.is_float:
        rounded = node("Round", flow.output, mode="half_to_even")
        flow.output = node("Convert", rounded, destination_type=type)

"""Checks of layouts with more or fewer axes than tensors and models have, and of steps that do not fit them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

F = np.float32
Steps = Callable[[Any, Any, Any], Any]
"""A function of the processor, the module and its module ``preprocess``."""


def model(ov: Any, shape: Any) -> Any:
    x = ov.opset13.parameter(ov.PartialShape(shape), F, name="x")
    return ov.Model([ov.opset13.relu(x)], [x], "model")


def built(shape: Any, steps: Steps) -> Check:
    """Return a check that builds steps into a model, and runs it where its input is static."""

    def check(ov: Any) -> Any:
        preprocess = import_module(f"{ov.__name__}.preprocess")
        processor = preprocess.PrePostProcessor(model(ov, shape))
        steps(processor, ov, preprocess)
        made = processor.build()
        ports = [[port.partial_shape, port.element_type, port.node.layout] for port in (*made.inputs, *made.outputs)]
        if made.is_dynamic() or len(made.inputs) > 1:
            return ports
        array = np.arange(np.prod(made.input().shape)).reshape(made.input().shape)
        array = array.astype(made.input().element_type.to_dtype())
        result = ov.compile_model(made, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([array])[0]
        return [ports, result.astype(F) + F(0)]

    return check


def laid(outer: str, inner: str, is_explicit: bool = False, given: Any = None) -> Steps:
    """Return steps from one layout to another; an empty text sets none."""

    def steps(processor: Any, ov: Any, _: Any) -> None:
        info = processor.input()
        if outer:
            info.tensor().set_layout(ov.Layout(outer))
        if given is not None:
            info.tensor().set_shape(given)
        if inner:
            info.model().set_layout(ov.Layout(inner))
        if is_explicit:
            info.preprocess().convert_layout(inner)

    return steps


def before(step: Callable[[Any, Any], Any], layout: str = "", outer: str = "") -> Steps:
    def steps(processor: Any, ov: Any, preprocess: Any) -> None:
        if layout:
            processor.input().model().set_layout(ov.Layout(layout))
        if outer:
            processor.input().tensor().set_layout(ov.Layout(outer))
        step(processor.input(), preprocess)

    return steps


def after(inner: str, outer: str) -> Steps:
    def steps(processor: Any, ov: Any, _: Any) -> None:
        processor.output().model().set_layout(ov.Layout(inner))
        processor.output().tensor().set_layout(ov.Layout(outer))

    return steps


LAYOUTS = ("C", "HW", "HWC", "CHW", "NCHW", "NHWC", "NC??", "?HWC", "N...", "...C", "N...C", "NCDHW", "")
SHAPES = {1: [5], 2: [4, 5], 3: [3, 4, 5], 4: [1, 3, 4, 5], 5: [1, 3, 2, 4, 5]}
COLORS = ("BGR", "RGBX", "NV12_SINGLE_PLANE", "NV12_TWO_PLANES", "I420_THREE_PLANES", "GRAY")


def _colored(name: str, wanted: str = "RGB") -> Callable[[Any, Any], Any]:
    def step(info: Any, preprocess: Any) -> None:
        info.tensor().set_color_format(getattr(preprocess.ColorFormat, name))
        info.preprocess().convert_color(getattr(preprocess.ColorFormat, wanted))

    return step


def _in_color(name: str) -> Callable[[Any, Any], Any]:
    return lambda info, preprocess: info.tensor().set_color_format(getattr(preprocess.ColorFormat, name))


def _resized(info: Any, preprocess: Any) -> None:
    info.preprocess().resize(preprocess.ResizeAlgorithm.RESIZE_LINEAR)


def _resized_to(info: Any, preprocess: Any) -> None:
    info.preprocess().resize(preprocess.ResizeAlgorithm.RESIZE_NEAREST, 2, 2)


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "resize": _resized,
    "resize to": _resized_to,
    "spatial": lambda info, _: info.tensor().set_spatial_dynamic_shape(),
    "spatial static": lambda info, _: info.tensor().set_spatial_static_shape(7, 8),
    "mean": lambda info, _: info.preprocess().mean([1.0, 2.0, 3.0]),
    "mean of one": lambda info, _: info.preprocess().mean(1.0),
    "scale of two": lambda info, _: info.preprocess().scale([1.0, 2.0]),
    "reversed": lambda info, _: info.preprocess().reverse_channels(),
    "cropped": lambda info, _: info.preprocess().crop([0] * 4, [1, 3, 4, 4]),
    "cropped unevenly": lambda info, _: info.preprocess().crop([0, 0], [1, 2, 3]),
    "order": lambda info, _: info.preprocess().convert_layout([0, 5]),
    "order of four": lambda info, _: info.preprocess().convert_layout([0, 3, 1, 2]),
    "two orders": lambda info, _: info.preprocess().convert_layout([0, 3, 1, 2]).convert_layout([3, 0, 1, 2]),
    "order twice": lambda info, _: info.preprocess().convert_layout([0, 0]),
    "layout": lambda info, _: info.preprocess().convert_layout("NHWC"),
    "padded by two axes": lambda info, pp: info.preprocess().pad([0, 0], [1, 1], 0, pp.PaddingMode.CONSTANT),
    "padded unevenly": lambda info, pp: info.preprocess().pad([0] * 4, [0], 0, pp.PaddingMode.CONSTANT),
    "no mean": lambda info, _: info.preprocess().mean([]),
    **{f"color {name} as it is": _in_color(name) for name in (*COLORS, "UNDEFINED")},
    **{f"color {name} to gray": _colored(name, "GRAY") for name in COLORS if "PLANES" not in name},
    "padded": lambda info, pp: info.preprocess().pad([0] * 4, [0, 0, 1, 1], 0, pp.PaddingMode.CONSTANT),
    **{f"color {name}": _colored(name) for name in COLORS},
}

WRONG: dict[str, Callable[[Any, Any], Any]] = {
    "mean": lambda info, _: info.preprocess().mean("a"),
    "scale": lambda info, _: info.preprocess().scale(["a"]),
    "crop": lambda info, _: info.preprocess().crop("a", "b"),
    "crop, fewer corners": lambda info, _: info.preprocess().crop([0], [1, 1]),
    "pad": lambda info, pp: info.preprocess().pad([0, 0], [1, 1], "a", pp.PaddingMode.CONSTANT),
    "order": lambda info, _: info.preprocess().convert_layout(["a"]),
    "order of floats": lambda info, _: info.preprocess().convert_layout([1.0, 0.0]),
    "empty order": lambda info, _: info.preprocess().convert_layout([]),
    "layout": lambda info, _: info.preprocess().convert_layout(5),
    "tensor layout": lambda info, _: info.tensor().set_layout(None),
    "color": lambda info, _: info.preprocess().convert_color(5),
    "tensor color": lambda info, _: info.tensor().set_color_format(5),
    "spatial": lambda info, _: info.tensor().set_spatial_static_shape(-1, -1),
    "memory": lambda info, _: info.tensor().set_memory_type(5),
    "reflected": lambda info, pp: info.preprocess().pad([0, 0], [5, 5], 0, pp.PaddingMode.REFLECT),
}
CHECKS: dict[str, Check] = {
    **{
        f"rank, {outer or 'none'} to {inner or 'none'} of {shape}{', explicit' * is_explicit}": built(
            shape, laid(outer, inner, is_explicit)
        )
        for outer, inner in itertools.product(LAYOUTS, LAYOUTS)
        for shape in [SHAPES.get(len(inner), SHAPES[4])]
        for is_explicit in (False, True)
        if inner or not is_explicit
    },
    **{
        f"rank, {outer} of {given} to {inner} of {shape}": built(shape, laid(outer, inner, given=given))
        for outer, given, inner, shape in (
            ("HWC", [4, 5, 3], "NCHW", [1, 3, 4, 5]),
            ("HWC", [4, 5, 3], "NCHW", [-1, 3, -1, -1]),
            ("HWC", [-1, -1, 3], "NCHW", [1, 3, -1, -1]),
            ("HWC", [4, 5], "NCHW", [1, 3, 4, 5]),
            ("HWC", [4, 5, 3], "NCHW", [2, 3, 4, 5]),
            ("NHWC", [1, 4, 5, 3], "NCDHW", [1, 3, 1, 4, 5]),
            ("CHW", [3, 4, 5], "NHWC", [1, 4, 5, 3]),
        )
    },
    **{
        f"rank, {name} of {shape}, layout {layout or 'none'}, tensor {outer or 'none'}": built(
            shape, before(step, layout, outer)
        )
        for name, step in STEPS.items()
        for shape in ([2, 3], [3, 4, 6], [1, 3, 4, 6])
        for layout, outer in (("", ""), ("NCHW", ""), ("NCHW", "NHWC"), ("NCHW", "HWC"), ("CHW", "HWC"), ("", "NHWC"))
    },
    **{
        f"rank, color {name} to gray of one channel": built([1, 4, 6, 1], before(_colored(name, "GRAY"), "NHWC"))
        for name in COLORS
        if name != "NV12_SINGLE_PLANE"  # OpenVINO takes the image with its colours for one without.
    },
    **{f"rank, wrong argument of {name}": built([2, 3], before(step, "HW")) for name, step in WRONG.items()},
    **{
        f"rank, after, {inner} to {outer} of {shape}": built(shape, after(inner, outer))
        for inner, outer in itertools.permutations(("HWC", "NCHW", "NHWC", "N...", "NC??", "HW"), 2)
        for shape in ([2, 3], [3, 4, 5], [1, 3, 4, 5])
    },
}

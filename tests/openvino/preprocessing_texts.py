"""Checks of the text of a PrePostProcessor: the tensors at both ends of a model and the steps between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

F = np.float32
Steps = Callable[[Any, Any, Any], object]


def _text(shape: Sequence[int], *calls: Steps, inputs: int = 1) -> Check:
    """Return a check of the text after some calls, for a model ``y0 = relu(x0)``, ``y1 = relu(x1)``, ..."""

    def check(ov: Any) -> Any:
        pp, ops = import_module(f"{ov.__name__}.preprocess"), ov.opset13
        parameters = [ops.parameter(list(shape), F, name=f"x{index}") for index in range(inputs)]
        results = [ops.relu(parameter) for parameter in parameters]
        for index, ends in enumerate(zip(parameters, results, strict=True)):
            for name, node in zip("xy", ends, strict=True):
                node.output(0).set_names({f"{name}{index}"})
        ppp = pp.PrePostProcessor(ov.Model(results, parameters, "m"))
        for call in calls:
            call(ppp, ov, pp)
        return str(ppp).splitlines()

    return check


def _laid(outer: str = "NHWC", inner: str = "NCHW") -> Steps:
    def call(ppp: Any, ov: Any, _: Any) -> None:
        if outer:
            ppp.input().tensor().set_layout(ov.Layout(outer))
        if inner:
            ppp.input().model().set_layout(ov.Layout(inner))

    return call


def _colored(before: str, after: str = "", names: Sequence[str] = ()) -> Steps:
    def call(ppp: Any, ov: Any, pp: Any) -> None:
        ppp.input().tensor().set_element_type(ov.Type.u8).set_color_format(getattr(pp.ColorFormat, before), list(names))
        if after:
            ppp.input().preprocess().convert_color(getattr(pp.ColorFormat, after))

    return call


def _steps(use: Steps) -> Steps:
    return lambda ppp, ov, pp: use(ppp.input().preprocess(), ov, pp)


def _output(use: Steps) -> Steps:
    return lambda ppp, ov, pp: use(ppp.output(), ov, pp)


IMAGE = [1, 3, 6, 8]

TEXTS: dict[str, Check] = {
    "nothing": _text(IMAGE, lambda ppp, *_: ppp.input().tensor()),
    "the type of the model": _text(IMAGE, lambda ppp, ov, _: ppp.input().tensor().set_element_type(ov.Type.f32)),
    "the second of two inputs": _text(
        IMAGE, lambda ppp, ov, _: ppp.input(1).tensor().set_element_type(ov.Type.u8), inputs=2
    ),
    "a kind of memory": _text(IMAGE, lambda ppp, *_: ppp.input().tensor().set_memory_type("CPU_BUFFER")),
    "layouts": _text(IMAGE, _laid()),
    "a layout of the tensor": _text(IMAGE, _laid(inner="")),
    "a layout of the model": _text(IMAGE, _laid(outer="")),
    "equal layouts": _text(IMAGE, _laid("NCHW")),
    "a shape that does not fit": _text(IMAGE, lambda ppp, *_: ppp.input().tensor().set_shape([1, 3, 7, 8])),
    "any height and width": _text(
        IMAGE, _laid("NCHW"), lambda ppp, *_: ppp.input().tensor().set_spatial_dynamic_shape()
    ),
    "steps": _text(
        [-1, 3, -1, -1],
        _laid(),
        _steps(
            lambda s, ov, pp: (
                s.resize(pp.ResizeAlgorithm.RESIZE_LINEAR, 5, 6)
                .reverse_channels()
                .convert_layout([0, 3, 1, 2])
                .convert_element_type()
                .mean(1.5)
                .scale([1.0, 1e-7, 123.456789])
                .convert_layout(ov.Layout("NHWC"))
            )
        ),
    ),
    "a type and a layout of the other end": _text(
        IMAGE,
        _laid(),
        lambda ppp, ov, _: ppp.input().tensor().set_element_type(ov.Type.u8),
        _steps(lambda s, ov, _: s.convert_element_type().mean(1.0).convert_layout(ov.Layout())),
    ),
    "resize to the model": _text(
        IMAGE,
        _laid(inner=""),
        lambda ppp, *_: ppp.input().tensor().set_spatial_static_shape(12, 13),
        _steps(lambda s, _, pp: s.resize(pp.ResizeAlgorithm.RESIZE_NEAREST)),
    ),
    "crop and pads": _text(
        IMAGE,
        _steps(
            lambda s, _, pp: (
                s.crop([0, 0, 0, 0], [1, 2, 4, -1])
                .pad([0, 0, 0, 1], [0, 0, 1, -1], 0.5, pp.PaddingMode.CONSTANT)
                .pad([0, 0, 0, 1], [0, 0, 1, 0], 0.0, pp.PaddingMode.REFLECT)
                .pad([0, 0, 1, 0], [0, 0, 0, 0], 0.0, pp.PaddingMode.SYMMETRIC)
            )
        ),
    ),
    "a custom step": _text(IMAGE, _steps(lambda s, ov, _: s.custom(lambda output: ov.opset13.abs(output).output(0)))),
    **{
        f"colours, {before} to {after}": _text(
            IMAGE, _laid("" if "PLANE" in before else "NHWC"), _colored(before, after)
        )
        for before, after in (
            *(("RGB", "BGR"), ("BGR", "BGR"), ("BGRX", "RGB"), ("RGBX", "RGB"), ("GRAY", ""), ("UNDEFINED", "")),
            *(("NV12_SINGLE_PLANE", "BGR"), ("I420_SINGLE_PLANE", "RGB"), ("NV12_TWO_PLANES", "RGB")),
        )
    },
    "planes with names": _text(IMAGE, _laid(""), _colored("I420_THREE_PLANES", "BGR", "yuv")),
    "a model of gray images": _text(
        [1, 1, 6, 8],
        _laid(),
        lambda ppp, *_: ppp.input().tensor().set_shape([1, 6, 8, 3]),
        _colored("RGB", "GRAY"),
    ),
    "output, type": _text(IMAGE, _output(lambda o, ov, _: o.tensor().set_element_type(ov.Type.f16))),
    "output, layouts": _text(
        IMAGE,
        _output(lambda o, ov, _: (o.tensor().set_layout(ov.Layout("NHWC")), o.model().set_layout(ov.Layout("NCHW")))),
    ),
    "output, layout of the model": _text(IMAGE, _output(lambda o, ov, _: o.model().set_layout(ov.Layout("NCHW")))),
    "output, layout of the tensor": _text(IMAGE, _output(lambda o, ov, _: o.tensor().set_layout(ov.Layout("NCHW")))),
    "output, steps": _text(
        IMAGE,
        _output(
            lambda o, ov, _: (
                o.tensor().set_element_type(ov.Type.f16),
                o.postprocess()
                .convert_element_type(ov.Type.i32)
                .convert_layout([0, 2, 3, 1])
                .convert_layout(ov.Layout("NCHW"))
                .custom(lambda output: output),
            )
        ),
    ),
}

CHECKS: dict[str, Check] = {f"text, {name}": check for name, check in TEXTS.items()}

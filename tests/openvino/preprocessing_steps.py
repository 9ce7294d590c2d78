"""Checks of steps of pre- and post-processing, with static and dynamic shapes of the model and of the tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

RNG = np.random.default_rng(11)
IMAGE = RNG.integers(0, 256, (1, 12, 10, 3), np.uint8)
SMALL = RNG.integers(0, 256, (1, 6, 8, 3), np.uint8)
PLANAR = np.ascontiguousarray(SMALL.transpose(0, 3, 1, 2)).astype(np.float32)
STATIC, BATCH, SPATIAL, OPEN = [1, 3, 6, 8], [-1, 3, 6, 8], [1, 3, -1, -1], [-1, 3, -1, -1]
SHIFT = 0.0137  # keeps sums of halves away from ties
Steps = Callable[[Any, Any, Any], object]


def pipeline(shape: Sequence[int], array: Any, *calls: Steps, layout: str = "") -> Check:
    """Return a check of a model ``y = relu(x - 0.5)``: its ports and results, with steps before and after it."""

    def check(ov: Any) -> Any:
        ops, pp = ov.opset13, import_module(f"{ov.__name__}.preprocess")
        x = ops.parameter(list(shape), np.float32, name="x")
        if layout:
            x.set_layout(ov.Layout(layout))
        y = ops.relu(ops.subtract(x, np.float32(0.5)))
        x.output(0).set_names({"x"})
        y.output(0).set_names({"y"})
        ppp = pp.PrePostProcessor(ov.Model([y], [x], "m"))
        for call in calls:
            call(ppp, ov, pp)
        model = ppp.build()
        arrays = list(array) if isinstance(array, tuple) else [array]
        result = ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(arrays)[0]
        ports = [
            [port.partial_shape, port.element_type, sorted(port.names)] for port in (*model.inputs, *model.outputs)
        ]
        return [ports, [str(result.dtype), np.round(result.astype(np.float64) + SHIFT, 1)]]

    return check


def results_of(shape: Sequence[int], array: Any, *calls: Steps) -> Check:
    """Return a check of the results of such a model alone."""
    check = pipeline(shape, array, *calls)
    return lambda ov: check(ov)[1]


def tensor(**settings: Any) -> Steps:
    """Return a step that describes the tensor of the caller."""

    def step(ppp: Any, ov: Any, pp: Any) -> None:
        info = ppp.input().tensor()
        for name, value in settings.items():
            if name == "type":
                info.set_element_type(getattr(ov.Type, value))
            elif name == "layout":
                info.set_layout(ov.Layout(value))
            elif name == "shape":
                info.set_shape(value)
            elif name == "color":
                info.set_color_format(getattr(pp.ColorFormat, value))
            elif name == "size":
                info.set_spatial_static_shape(*value)
            else:
                info.set_spatial_dynamic_shape()

    return step


def model(layout: str) -> Steps:
    return lambda ppp, ov, pp: ppp.input().model().set_layout(ov.Layout(layout))


def steps(use: Callable[[Any, Any, Any], object]) -> Steps:
    return lambda ppp, ov, pp: use(ppp.input().preprocess(), ov, pp)


def after(use: Callable[[Any, Any, Any], object]) -> Steps:
    return lambda ppp, ov, pp: use(ppp.output().postprocess(), ov, pp)


BYTES, TO_F32 = tensor(type="u8", layout="NHWC"), steps(lambda s, ov, _: s.convert_element_type(ov.Type.f32))


def resize(name: str, *sizes: int) -> Steps:
    return steps(lambda s, _, pp: s.resize(getattr(pp.ResizeAlgorithm, name), *sizes))


def _opened(steps: Any, ov: Any, _: Any) -> None:
    """Add a step that returns the image, of a number of channels that only the values tell."""
    ops = ov.opset13

    def reshaped(image: Any) -> Any:
        axes = ops.constant(np.arange(4))
        channels = ops.convert(ops.reduce_max(ops.exp(ops.multiply(image, np.float32(0))), axes, False), "i64")
        sizes = [ops.slice(ops.shape_of(image, "i64"), *(ops.constant(np.array([item])) for item in (0, 3, 1)))]
        last = ops.reshape(ops.multiply(channels, ops.constant(np.int64(3))), ops.constant(np.array([1])), False)
        return ops.reshape(image, ops.concat([*sizes, last], 0), False).output(0)

    steps.custom(reshaped)


def _halved(ops: Any, output: Any) -> Any:
    return ops.multiply(output, ops.constant(np.float32(-0.5)))


def _decorated(ov: Any, function: Callable[[Any, Any], Any]) -> Any:
    """Return a function of the opset and an output as a step of preprocessing, made by the decorator."""

    def step(output: Any) -> Any:
        return function(ov.opset13, output)

    return import_module(f"{ov.__name__}.utils.decorators").custom_preprocess_function(step)


def _layouts(ov: Any) -> Any:
    """Return the layouts of the ports of models whose layouts are known for the model, for the tensors or for both."""
    ops, pp = ov.opset13, import_module(f"{ov.__name__}.preprocess")
    found = []
    for inner, outer, type in product(("", "NCHW"), ("", "NHWC"), ("f32", "u8")):
        x = ops.parameter([1, 3, 4, 4], np.float32)
        ppp = pp.PrePostProcessor(ov.Model([ops.relu(x)], [x], "m"))
        ppp.input().tensor().set_element_type(getattr(ov.Type, type))
        if inner:
            ppp.input().model().set_layout(ov.Layout(inner))
            ppp.output().model().set_layout(ov.Layout(inner))
        if outer:
            ppp.input().tensor().set_layout(ov.Layout(outer))
            ppp.output().tensor().set_layout(ov.Layout(outer))
        model = ppp.build()
        found.append([model.input().node.layout, model.output().node.layout, model.output().partial_shape])
    return found


MODES = ["RESIZE_LINEAR", "RESIZE_CUBIC", "RESIZE_NEAREST", "RESIZE_BILINEAR_PILLOW", "RESIZE_BICUBIC_PILLOW"]

PIPELINES: dict[str, Check] = {
    "layouts of ports": _layouts,
    "bytes to a dynamic batch": pipeline(BATCH, SMALL, BYTES, model("NCHW")),
    "bytes to dynamic sizes": pipeline(SPATIAL, SMALL, BYTES, model("NCHW")),
    "bytes to open shapes": pipeline(OPEN, SMALL, BYTES, model("NCHW")),
    "layout of the parameter": pipeline(STATIC, SMALL, BYTES, layout="NCHW"),
    "layout with dots": pipeline(STATIC, SMALL, tensor(type="u8", layout="N...C"), model("NC...")),
    "mean and scale of a dynamic batch": pipeline(
        BATCH, SMALL, BYTES, model("NCHW"), TO_F32, steps(lambda s, *_: s.mean([1.0, 2.0, 3.0]).scale([2.0, 4.0, 8.0]))
    ),
    "mean and scale of open shapes": pipeline(
        OPEN, SMALL, BYTES, model("NCHW"), TO_F32, steps(lambda s, *_: s.mean(5.0).scale([2.0, 4.0, 8.0]))
    ),
    "scale alone": pipeline(STATIC, PLANAR, steps(lambda s, *_: s.scale(255.0))),
    "scale by channel": pipeline(STATIC, PLANAR, model("NCHW"), steps(lambda s, *_: s.scale([1.0, 2.0, 4.0]))),
    "mean of a tuple": pipeline(STATIC, PLANAR, model("NCHW"), steps(lambda s, *_: s.mean((1.0, 2.0, 3.0)))),
    "mean of an array": pipeline(STATIC, PLANAR, model("NCHW"), steps(lambda s, *_: s.mean(np.array([1.0, 2.0, 3.0])))),
    "mean of integer": pipeline(STATIC, PLANAR, steps(lambda s, *_: s.mean(1))),
    **{
        f"{name} of any size": pipeline(STATIC, IMAGE, BYTES, model("NCHW"), tensor(dynamic=True), TO_F32, resize(name))
        for name in MODES
    },
    **{
        f"{name} of a dynamic batch": pipeline(
            BATCH, IMAGE, BYTES, model("NCHW"), tensor(size=(12, 10)), TO_F32, resize(name)
        )
        for name in MODES
    },
    "resize to a size of open shapes": pipeline(
        OPEN, IMAGE, BYTES, model("NCHW"), TO_F32, resize("RESIZE_LINEAR", 4, 5)
    ),
    "resize without a size": pipeline(SPATIAL, IMAGE, BYTES, model("NCHW"), TO_F32, resize("RESIZE_LINEAR")),
    "resize bytes": pipeline(STATIC, IMAGE, BYTES, model("NCHW"), tensor(size=(12, 10)), resize("RESIZE_NEAREST")),
    "resize bytes linearly": pipeline(
        STATIC, IMAGE, BYTES, model("NCHW"), tensor(size=(12, 10)), resize("RESIZE_LINEAR")
    ),
    "resize without layout": pipeline(STATIC, PLANAR, resize("RESIZE_LINEAR")),
    "shape of the tensor": pipeline(
        STATIC, IMAGE, BYTES, tensor(shape=[1, 12, 10, 3]), model("NCHW"), TO_F32, resize("RESIZE_LINEAR")
    ),
    "open shape of the tensor": pipeline(
        STATIC, IMAGE, BYTES, tensor(shape=[-1, -1, -1, 3]), model("NCHW"), TO_F32, resize("RESIZE_LINEAR")
    ),
    "shape that does not fit": pipeline(STATIC, IMAGE, BYTES, tensor(shape=[1, 12, 10, 3]), model("NCHW")),
    "static size without layout": pipeline(STATIC, PLANAR, tensor(size=(12, 10))),
    "colours of a dynamic batch": pipeline(
        BATCH,
        SMALL,
        BYTES,
        tensor(color="BGR"),
        model("NCHW"),
        steps(lambda s, _, pp: s.convert_color(pp.ColorFormat.RGB)),
    ),
    "colours of open shapes": pipeline(
        OPEN,
        SMALL,
        BYTES,
        tensor(color="RGB"),
        model("NCHW"),
        steps(lambda s, _, pp: s.convert_color(pp.ColorFormat.BGR)),
    ),
    "grey of bytes": pipeline(
        [1, 1, 6, 8],
        SMALL,
        tensor(type="u8", layout="NHWC", shape=[1, 6, 8, 3], color="RGB"),
        model("NCHW"),
        steps(lambda s, _, pp: s.convert_color(pp.ColorFormat.GRAY)),
    ),
    "planes of any size": pipeline(
        OPEN,
        RNG.integers(16, 200, (1, 9, 8, 1), np.uint8),
        tensor(type="u8", color="NV12_SINGLE_PLANE"),
        model("NCHW"),
        steps(lambda s, _, pp: s.convert_color(pp.ColorFormat.RGB)),
    ),
    "reversed channels of a dynamic batch": pipeline(
        BATCH, SMALL, BYTES, model("NCHW"), steps(lambda s, *_: s.reverse_channels())
    ),
    "reversed channels of an open number": results_of(
        STATIC, SMALL, BYTES, TO_F32, model("NCHW"), steps(_opened), steps(lambda s, *_: s.reverse_channels())
    ),
    "colours of an open number of channels": results_of(
        STATIC,
        SMALL,
        tensor(type="u8", layout="NHWC", color="BGR"),
        TO_F32,
        model("NCHW"),
        steps(_opened),
        steps(lambda s, _, pp: s.convert_color(pp.ColorFormat.RGB)),
    ),
    "reversed channels without layout": pipeline(STATIC, PLANAR, steps(lambda s, *_: s.reverse_channels())),
    "crop of a dynamic batch": pipeline(
        BATCH,
        IMAGE,
        BYTES,
        tensor(shape=[-1, 12, 10, 3]),
        model("NCHW"),
        steps(lambda s, *_: s.crop([0, 3, 1, 0], [1, 9, 9, 3])),
    ),
    "crop by negative ends": pipeline(
        STATIC,
        IMAGE,
        BYTES,
        tensor(shape=[1, 12, 10, 3]),
        model("NCHW"),
        steps(lambda s, *_: s.crop([0, 3, 1, 0], [1, -3, -1, 3])),
    ),
    **{
        f"pad by {mode}": pipeline(
            STATIC,
            np.ascontiguousarray(PLANAR[:, :, :5, :7]),
            tensor(shape=[1, 3, 5, 7]),
            steps(lambda s, _, pp, mode=mode: s.pad([0, 0, 0, 1], [0, 0, 1, 0], 3.0, getattr(pp.PaddingMode, mode))),
        )
        for mode in ("CONSTANT", "EDGE", "REFLECT", "SYMMETRIC")
    },
    "pad by a list": pipeline(
        STATIC,
        np.ascontiguousarray(PLANAR[:, :, :5]),
        tensor(shape=[1, 3, 5, 8]),
        steps(lambda s, _, pp: s.pad([0, 0, 0, 0], [0, 0, 1, 0], [1.0, 2.0], pp.PaddingMode.CONSTANT)),
    ),
    "layout by a list": pipeline(
        STATIC, SMALL, tensor(type="u8", shape=[1, 6, 8, 3]), steps(lambda s, *_: s.convert_layout([0, 3, 1, 2]))
    ),
    "layout by a text": pipeline(STATIC, SMALL, BYTES, steps(lambda s, ov, _: s.convert_layout(ov.Layout("NCHW")))),
    "layout of a dynamic batch": pipeline(
        BATCH, SMALL, BYTES, steps(lambda s, ov, _: s.convert_layout(ov.Layout("NCHW")))
    ),
    "type without a type": pipeline(STATIC, SMALL, BYTES, model("NCHW"), steps(lambda s, *_: s.convert_element_type())),
    "type without a type before a mean": pipeline(
        STATIC, SMALL, BYTES, model("NCHW"), steps(lambda s, *_: s.convert_element_type().mean([1.0, 2.0, 3.0]))
    ),
    "order of axes before a layout": pipeline(
        STATIC, SMALL, BYTES, model("NCHW"), steps(lambda s, *_: s.convert_layout([0, 2, 1, 3]))
    ),
    "resize with the layout of the tensor alone": pipeline(
        STATIC,
        np.ascontiguousarray(PLANAR[:, :, :5, :4]),
        tensor(layout="NCHW", size=(5, 4)),
        resize("RESIZE_LINEAR"),
    ),
    "custom node": pipeline(STATIC, PLANAR, steps(lambda s, ov, _: s.custom(lambda out: ov.opset13.abs(out)))),
    "custom function with a model step": pipeline(
        STATIC, PLANAR, steps(lambda s, ov, _: s.custom(lambda out: ov.opset13.multiply(out, np.float32(2)).output(0)))
    ),
    "decorated function": pipeline(STATIC, PLANAR, steps(lambda s, ov, _: s.custom(_decorated(ov, _halved)))),
    "decorated function of dynamic shapes": pipeline(
        OPEN, PLANAR, steps(lambda s, ov, _: s.custom(_decorated(ov, _halved)))
    ),
    "decorated function after the model": pipeline(
        STATIC, PLANAR, after(lambda s, ov, _: s.custom(_decorated(ov, _halved)))
    ),
    "decorated function that returns a number": pipeline(
        STATIC, PLANAR, steps(lambda s, ov, _: s.custom(_decorated(ov, lambda _, __: 3)))
    ),
    "decorated function has its name": lambda ov: _decorated(ov, _halved).__name__,
    "output to half": pipeline(BATCH, PLANAR, lambda ppp, ov, _: ppp.output().tensor().set_element_type(ov.Type.f16)),
    "output layout of open shapes": pipeline(
        OPEN,
        PLANAR,
        lambda ppp, ov, _: [
            ppp.output().model().set_layout(ov.Layout("NCHW")),
            ppp.output().tensor().set_layout(ov.Layout("NHWC")),
        ],
    ),
    "output by steps": pipeline(
        STATIC,
        PLANAR,
        after(lambda s, ov, _: s.convert_element_type(ov.Type.i32).convert_layout([0, 2, 3, 1])),
    ),
    "output type of steps alone": pipeline(STATIC, PLANAR, after(lambda s, *_: s.convert_element_type())),
    "output by name": pipeline(
        STATIC, PLANAR, lambda ppp, ov, _: ppp.output("y").tensor().set_element_type(ov.Type.f64)
    ),
    "output unknown": pipeline(STATIC, PLANAR, lambda ppp, *_: ppp.output("zzz")),
    "input chained": pipeline(
        STATIC,
        SMALL,
        lambda ppp, ov, _: (
            ppp.input().tensor().set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC")).set_shape([1, 6, 8, 3])
        ),
        model("NCHW"),
    ),
    "text for a type": pipeline(STATIC, PLANAR, lambda ppp, *_: ppp.input().tensor().set_element_type("f16")),
    "memory type": pipeline(STATIC, PLANAR, lambda ppp, *_: ppp.input().tensor().set_memory_type("CPU_BUFFER")),
    "shape as text": pipeline(STATIC, SMALL, BYTES, tensor(shape="[1,6,8,3]"), model("NCHW")),
    "text for a layout": pipeline(STATIC, SMALL, lambda ppp, *_: ppp.input().tensor().set_layout("NHWC")),
}


CHECKS: dict[str, Check] = {f"pipeline, {name}": check for name, check in PIPELINES.items()}

"""Checks of pre- and post-processing."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

RNG = np.random.default_rng(7)
BYTES = RNG.integers(0, 256, (1, 6, 8, 3), np.uint8)
LARGE = RNG.integers(0, 256, (1, 12, 10, 3), np.uint8)
LUMA = np.random.default_rng(8).integers(16, 200, (1, 6, 8, 1), np.uint8)
CHROMA = np.random.default_rng(9).integers(16, 200, (1, 3, 4, 2), np.uint8)
FLOATS = RNG.standard_normal((1, 3, 6, 8)).astype(np.float32)


def image_model(ov: Any) -> Any:
    ops = ov.opset13
    x = ops.parameter([1, 3, 6, 8], np.float32, name="x")
    x.output(0).set_names({"x"})
    y = ops.relu(ops.subtract(x, ops.constant(np.full((1, 3, 1, 1), 0.5, np.float32))))
    y.output(0).set_names({"y"})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image.xml"
        ov.save_model(ov.Model([ops.result(y, name="out")], [x], "image"), path, compress_to_fp16=False)
        return ov.Core().read_model(path)


def run(steps: Any, array: Any) -> Check:
    def check(ov: Any) -> Any:
        from importlib import import_module

        pp = import_module(f"{ov.__name__}.preprocess")
        ppp = pp.PrePostProcessor(image_model(ov))
        steps(ppp, ov, pp)
        model = ppp.build()
        arrays = list(array) if isinstance(array, tuple) else array
        result = ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(arrays)[0]
        ports = [
            [port.partial_shape, port.element_type, sorted(port.names)] for port in (*model.inputs, *model.outputs)
        ]
        rounded = np.round(np.asarray(result, np.float64), 1) + 0.0
        return [ports, [str(result.dtype), rounded]]

    return check


def _bytes(ppp: Any, ov: Any, _pp: Any) -> None:
    ppp.input().tensor().set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC"))
    ppp.input().model().set_layout(ov.Layout("NCHW"))


def _normalized(ppp: Any, ov: Any, pp: Any) -> None:
    _bytes(ppp, ov, pp)
    ppp.input().preprocess().convert_element_type(ov.Type.f32).mean([1.0, 2.0, 3.0]).scale([2.0, 4.0, 8.0])


def _resized(name: str) -> Any:
    def steps(ppp: Any, ov: Any, pp: Any) -> None:
        _bytes(ppp, ov, pp)
        ppp.input().tensor().set_spatial_static_shape(12, 10)
        ppp.input().preprocess().convert_element_type(ov.Type.f32).resize(getattr(pp.ResizeAlgorithm, name))

    return steps


def _colors(before: str, after: str) -> Any:
    def steps(ppp: Any, ov: Any, pp: Any) -> None:
        ppp.input().tensor().set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC")).set_color_format(
            getattr(pp.ColorFormat, before)
        )
        ppp.input().model().set_layout(ov.Layout("NCHW"))
        ppp.input().preprocess().convert_color(getattr(pp.ColorFormat, after))

    return steps


def _planes(format: str, names: list[str]) -> Any:
    def steps(ppp: Any, ov: Any, pp: Any) -> None:
        ppp.input().tensor().set_element_type(ov.Type.u8).set_color_format(getattr(pp.ColorFormat, format), names)
        ppp.input().model().set_layout(ov.Layout("NCHW"))
        ppp.input().preprocess().convert_color(pp.ColorFormat.RGB)

    return steps


def _order(*calls: Any) -> Any:
    def steps(ppp: Any, ov: Any, pp: Any) -> None:
        for call in calls:
            call(ppp, ov, pp)

    return steps


CHECKS: dict[str, Check] = {
    "ppp nothing": run(lambda ppp, ov, pp: None, FLOATS),
    "ppp order of the same axes": run(
        lambda ppp, ov, pp: ppp.input().preprocess().convert_layout([0, 1, 2, 3]), FLOATS
    ),
    "ppp order without layout": run(
        lambda ppp, ov, pp: ppp.input().preprocess().convert_layout([0, 3, 1, 2]), BYTES.astype(np.float32)
    ),
    "ppp BGRX to BGR": run(_colors("BGRX", "BGR"), np.concatenate([BYTES, BYTES[..., :1]], -1)),
    "ppp bytes in NHWC": run(_bytes, BYTES),
    "ppp layouts as text": run(
        lambda ppp, ov, pp: (
            ppp.input().tensor().set_layout(ov.Layout("NHWC")),
            ppp.input().model().set_layout(ov.Layout("NCHW")),
        ),
        BYTES.astype(np.float32),
    ),
    "ppp mean and scale": run(_normalized, BYTES),
    "ppp mean of all": run(lambda ppp, ov, pp: ppp.input().preprocess().mean(0.5).scale(2.0), FLOATS),
    "ppp mean of integers": run(lambda ppp, ov, pp: (_bytes(ppp, ov, pp), ppp.input().preprocess().mean(1.0)), BYTES),
    "ppp mean without layout": run(lambda ppp, ov, pp: ppp.input().preprocess().mean([1.0, 2.0, 3.0]), FLOATS),
    "ppp mean of wrong number": run(
        lambda ppp, ov, pp: (
            ppp.input().model().set_layout(ov.Layout("NCHW")),
            ppp.input().preprocess().mean([1.0, 2.0]),
        ),
        FLOATS,
    ),
    "ppp element type": run(
        lambda ppp, ov, pp: ppp.input().tensor().set_element_type(ov.Type.f16), FLOATS.astype(np.float16)
    ),
    "ppp element type i32": run(
        lambda ppp, ov, pp: ppp.input().tensor().set_element_type(ov.Type.i32), FLOATS.astype(np.int32)
    ),
    "ppp resize linear": run(_resized("RESIZE_LINEAR"), LARGE),
    "ppp resize cubic": run(_resized("RESIZE_CUBIC"), LARGE),
    "ppp resize nearest": run(_resized("RESIZE_NEAREST"), LARGE),
    "ppp resize dynamic": run(
        lambda ppp, ov, pp: (
            _bytes(ppp, ov, pp),
            ppp.input().tensor().set_spatial_dynamic_shape(),
            ppp.input().preprocess().convert_element_type(ov.Type.f32).resize(pp.ResizeAlgorithm.RESIZE_LINEAR),
        ),
        LARGE,
    ),
    "ppp resize to a size": run(
        lambda ppp, ov, pp: (
            _bytes(ppp, ov, pp),
            ppp.input().tensor().set_spatial_static_shape(12, 10),
            ppp.input().preprocess().convert_element_type(ov.Type.f32).resize(pp.ResizeAlgorithm.RESIZE_LINEAR, 6, 8),
        ),
        LARGE,
    ),
    "ppp resize in NCHW": run(
        lambda ppp, ov, pp: (
            ppp.input().tensor().set_layout(ov.Layout("NCHW")).set_spatial_static_shape(3, 4),
            ppp.input().model().set_layout(ov.Layout("NCHW")),
            ppp.input().preprocess().resize(pp.ResizeAlgorithm.RESIZE_LINEAR),
        ),
        FLOATS[:, :, ::2, ::2].copy(),
    ),
    "ppp BGR to RGB": run(_colors("BGR", "RGB"), BYTES),
    "ppp RGB to BGR": run(_colors("RGB", "BGR"), BYTES),
    "ppp RGB to RGB": run(_colors("RGB", "RGB"), BYTES),
    "ppp BGRX to RGB": run(
        _order(_colors("BGRX", "RGB"), lambda ppp, ov, pp: ppp.input().tensor().set_shape([1, 6, 8, 4])),
        np.concatenate([BYTES, BYTES[..., :1]], -1),
    ),
    "ppp NV12 to RGB": run(_colors("NV12_SINGLE_PLANE", "RGB"), RNG.integers(16, 200, (1, 9, 8, 1), np.uint8)),
    "ppp I420 to BGR": run(_colors("I420_SINGLE_PLANE", "BGR"), RNG.integers(16, 200, (1, 9, 8, 1), np.uint8)),
    "ppp NV12 in two planes": run(_colors("NV12_TWO_PLANES", "RGB"), (LUMA, CHROMA)),
    "ppp NV12 in two named planes": run(_planes("NV12_TWO_PLANES", ["y", "uv"]), (LUMA, CHROMA)),
    "ppp I420 in three planes": run(_colors("I420_THREE_PLANES", "BGR"), (LUMA, CHROMA[..., :1], CHROMA[..., 1:])),
    "ppp planes with a name too few": run(_planes("NV12_TWO_PLANES", ["y"]), (LUMA, CHROMA)),
    "ppp planes without conversion": run(
        lambda ppp, ov, pp: ppp.input().tensor().set_color_format(pp.ColorFormat.NV12_TWO_PLANES), (LUMA, CHROMA)
    ),
    "ppp colour without format": run(
        lambda ppp, ov, pp: ppp.input().preprocess().convert_color(pp.ColorFormat.RGB), FLOATS
    ),
    "ppp reverse channels": run(
        lambda ppp, ov, pp: (_bytes(ppp, ov, pp), ppp.input().preprocess().reverse_channels()), BYTES
    ),
    "ppp crop": run(
        lambda ppp, ov, pp: (
            _bytes(ppp, ov, pp),
            ppp.input().tensor().set_shape([1, 12, 10, 3]),
            ppp.input().preprocess().crop([0, 3, 1, 0], [1, 9, 9, 3]),
        ),
        LARGE,
    ),
    "ppp pad": run(
        lambda ppp, ov, pp: (
            ppp.input().tensor().set_shape([1, 3, 5, 6]),
            ppp.input().preprocess().pad([0, 0, 0, 1], [0, 0, 1, 1], 2.0, pp.PaddingMode.CONSTANT),
        ),
        FLOATS[:, :, :5, :6].copy(),
    ),
    "ppp convert layout": run(
        lambda ppp, ov, pp: (
            _bytes(ppp, ov, pp),
            ppp.input()
            .preprocess()
            .convert_layout(ov.Layout("NCHW"))
            .convert_element_type(ov.Type.f32)
            .mean([1.0, 2.0, 3.0]),
        ),
        BYTES,
    ),
    "ppp custom": run(
        lambda ppp, ov, pp: ppp.input().preprocess().custom(lambda output: ov.opset13.abs(output).output(0)), FLOATS
    ),
    "ppp set from array": run(
        lambda ppp, ov, pp: (
            ppp.input().tensor().set_from(BYTES).set_layout(ov.Layout("NHWC")),
            ppp.input().model().set_layout(ov.Layout("NCHW")),
        ),
        BYTES,
    ),
    "ppp set from tensor": run(
        lambda ppp, ov, pp: (
            ppp.input().tensor().set_from(ov.Tensor(BYTES)).set_layout(ov.Layout("NHWC")),
            ppp.input().model().set_layout(ov.Layout("NCHW")),
        ),
        BYTES,
    ),
    "ppp output type": run(lambda ppp, ov, pp: ppp.output().tensor().set_element_type(ov.Type.f16), FLOATS),
    "ppp output layout": run(
        lambda ppp, ov, pp: (
            ppp.output().model().set_layout(ov.Layout("NCHW")),
            ppp.output().tensor().set_layout(ov.Layout("NHWC")),
        ),
        FLOATS,
    ),
    "ppp output steps": run(lambda ppp, ov, pp: ppp.output().postprocess().convert_element_type(ov.Type.i32), FLOATS),
    "ppp output custom": run(
        lambda ppp, ov, pp: ppp.output().postprocess().custom(lambda output: ov.opset13.negative(output).output(0)),
        FLOATS,
    ),
    "ppp input by name": run(
        lambda ppp, ov, pp: ppp.input("x").tensor().set_element_type(ov.Type.u8), FLOATS.astype(np.uint8)
    ),
    "ppp input by index": run(
        lambda ppp, ov, pp: ppp.input(0).tensor().set_element_type(ov.Type.u8), FLOATS.astype(np.uint8)
    ),
    "ppp unknown input": run(lambda ppp, ov, pp: ppp.input("zzz"), FLOATS),
    "ppp wrong index": run(lambda ppp, ov, pp: ppp.input(3), FLOATS),
    "ppp all together": run(
        _order(
            _resized("RESIZE_LINEAR"),
            lambda ppp, ov, pp: (
                ppp.input().preprocess().mean([10.0, 20.0, 30.0]).scale(50.0),
                ppp.output().tensor().set_element_type(ov.Type.f32),
            ),
        ),
        LARGE,
    ),
    "ppp layouts that differ": run(
        lambda ppp, ov, pp: (
            ppp.input().tensor().set_layout(ov.Layout("NHWD")),
            ppp.input().model().set_layout(ov.Layout("NCHW")),
        ),
        FLOATS,
    ),
}

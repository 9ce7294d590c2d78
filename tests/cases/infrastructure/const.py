from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from irrun.document.writer import Writer
from irrun.tensor import ElementType, Fact, Shape
from irrun.tensor.element_type import F32
from tests.cases import Array, ModelCase, boolean, f32, f64, i32, i64, u8


def constant(type: str, values: Array) -> Callable[[Writer], None]:
    """Return a builder of a model whose output is a constant."""
    return partial(_write, kind=ElementType.named(type), values=values, converted=False)


def converted(type: str, values: Array) -> Callable[[Writer], None]:
    """Return a builder of a model whose output is a constant converted to f32."""
    return partial(_write, kind=ElementType.named(type), values=values, converted=True)


def _write(ir: Writer, kind: ElementType, values: Array, converted: bool) -> None:
    handle = ir.constant(values, kind)
    if converted:
        fact = Fact(F32, Shape(values.shape))
        (handle,) = ir.layer("Convert", "opset1", [handle], [fact], {"destination_type": "f32"})
    ir.result(handle)


def _surplus(ir: Writer) -> None:
    """Write a constant of two elements that declares the bytes of three."""
    ir.result(ir.constant(f32([1, 2, 3]), F32))
    data = {"element_type": "f32", "shape": "2", "offset": "0", "size": "12"}
    ir.result(ir.layer("Const", "opset1", [], [Fact(F32, Shape([2]))], data)[0])


_STORED = {
    "f32": f32([1.5, -np.inf, np.nan]),
    "f64": f64([1e30, -0.1]),
    "i32": i32([[-(2**31)], [2**31 - 1]]),
    "i64": i64([-1, 2**30]),
    "u8": u8([0, 255]),
    "boolean": boolean([True, False]),
    "string": np.array(["", "dé", "xyz"], dtype=object),
}
_PACKED = {
    "f16": f32([1.5, 65504, -0.00006103515625]),
    "bf16": f32([1.5, 3.3895313892515355e38]),
    "f8e4m3": f32([448, -0.001953125, 1.125]),
    "f8e5m2": f32([57344, -0.5]),
    "f8e8m0": f32([0.5, 64]),
    "nf4": f32([-1, 0, 1]),
    "f4e2m1": f32([0.5, -6, 1.5]),
    "i4": np.array([-8, 7, -1], np.int8),
    "u4": u8([1, 15, 8]),
    "u6": u8([1, 63, 32, 5, 6]),
    "u3": u8([1, 2, 3, 4, 5, 6, 7, 0, 3]),
    "u2": u8([1, 2, 3, 0, 1]),
    "u1": u8([1, 0, 0, 0, 0, 0, 1, 1, 1, 0]),
}

MODELS = [
    *(ModelCase("Const", 1, constant(type, values), [], [values], name=type) for type, values in _STORED.items()),
    *(ModelCase("Const", 1, converted(type, values), [], [f32(values)], name=type) for type, values in _PACKED.items()),
    ModelCase("Const", 1, constant("f64", f64([1e300])), [], [f64([1e300])], name="f64 beyond f32", departs="f64"),
    ModelCase("Const", 1, constant("f32", f32(2)), [], [f32(2)], name="scalar"),
    ModelCase("Const", 1, _surplus, [], [f32([1, 2, 3]), f32([1, 2])], name="more bytes than needed"),
    ModelCase("Const", 1, constant("f32", f32(np.zeros((2, 0)))), [], [f32(np.zeros((2, 0)))], name="empty"),
]

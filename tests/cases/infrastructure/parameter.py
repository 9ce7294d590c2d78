from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from irrun.document.writer import Writer
from irrun.tensor import ElementType, Shape
from tests.cases import ModelCase, boolean, f32, f64, i32, i64, u8


def passed(type: str, shape: str) -> Callable[[Writer], None]:
    """Write an input that is also the output."""
    return partial(_write, kind=ElementType.named(type), shape=Shape.parse(shape))


def _write(ir: Writer, kind: ElementType, shape: Shape) -> None:
    ir.result(ir.parameter("x", kind, shape))


_VALUES = {
    "f32": f32([1.5, -np.inf, np.nan]),
    "f16": f32([1.5, 65504]),
    "bf16": f32([1.5, 3.3895313892515355e38]),
    "f64": f64([1e300, -0.1]),
    "i64": i64([2**62, -1]),
    "i32": i32([-(2**31), 2**31 - 1]),
    "u8": u8([0, 255]),
    "i4": np.array([-8, 7, -1], np.int8),
    "boolean": boolean([True, False]),
    "string": np.array(["", "dé"], dtype=object),
}

MODELS = [
    *(
        ModelCase("Parameter", 1, passed(type, str(values.size)), [values], [values], name=type)
        for type, values in _VALUES.items()
    ),
    ModelCase("Parameter", 1, passed("f32", "?,2..3"), [f32([[1, 2]])], [f32([[1, 2]])], name="dynamic"),
    ModelCase(
        "Parameter",
        1,
        passed("f32", "..."),
        [f32([[1, 2]])],
        [f32([[1, 2]])],
        name="dynamic rank",
        departs="dynamic rank",
    ),
    ModelCase("Parameter", 1, passed("u1", "3"), [u8([1, 0, 1])], [u8([1, 0, 1])], name="u1", departs="u1"),
    ModelCase("Parameter", 1, passed("f32", ""), [f32(3)], [f32(3)], name="scalar"),
]

from __future__ import annotations

import math

import numpy as np

from irrun.ops import Array, Fact, In, Op, Out, Shape, op
from irrun.tensor.element_type import BOOLEAN, F32, F64, I8, I16, I32, I64, STRING, U8, U16, U32, U64

_TYPES = frozenset({BOOLEAN, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64})


@op("NumericToString", opset="openvino_tokenizers")
class NumericToString(Op):
    """Numbers as text: integers in decimal, floats with six digits.

    Note: as OpenVINO's CPU plugin converts types first, booleans are 1 and 0, integers of 64 bits and u32 wrap to i32,
    and f64 saturates to f32.
    """

    inputs = (In("data", _TYPES),)
    outputs = (Out("output", STRING, "the shape of data"),)

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        if data.dtype.kind == "f":
            largest = np.finfo(np.float32).max
            numbers = data if data.dtype == np.float32 else np.clip(data, -largest, largest).astype(np.float32)
            texts = [_of_float(number) for number in numbers.reshape(-1).tolist()]
        else:
            texts = [str(number) for number in data.astype(np.int32).reshape(-1).tolist()]
        found = np.empty(data.size, object)
        found[:] = texts
        return found.reshape(data.shape)


def _of_float(number: float) -> str:
    return "-nan" if math.isnan(number) and math.copysign(1, number) < 0 else f"{number:g}"

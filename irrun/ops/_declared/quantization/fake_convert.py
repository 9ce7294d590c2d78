from __future__ import annotations

from typing import Final, Literal

import numpy as np

from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.departures import NAN_SELECTED
from irrun.ops.shapes import broadcast_pdpd, broadcasts_onto
from irrun.tensor.element_type import BF16, F16, F32
from irrun.tensor.rounding import round_to

T_F = TypeVar("T_F", frozenset({F16, BF16, F32}))

_GREATEST: Final = {"f8e4m3": 448.0, "f8e5m2": 57344.0}


@op("FakeConvert", opset=13)
class FakeConvert(Op):
    """Round to an 8-bit float type, after a scale and a shift that are then undone.

    The result is (convert(data * scale - shift) + shift) / scale.

    Note: as in OpenVINO, values are rounded to f16 first, and those beyond the range of the type become its greatest
    finite number. NaN stays NaN.
    """

    departures = {"nan": "returns the least number for NaN"}
    workarounds = {"nan": NAN_SELECTED}

    inputs = (
        In("data", T_F),
        In("scale", T_F, "factor before the conversion"),
        In("shift", T_F, "subtrahend before the conversion; 0 where absent", optional=True),
    )
    outputs = (Out("output", T_F),)

    destination_type: Literal["f8e4m3", "f8e5m2"] = attr(doc="the type that is emulated", openvino="f8e4m3")

    def infer(self, data: Fact, scale: Fact, shift: Fact | None) -> Shape:
        shape = data.shape
        for index, (name, fact) in enumerate((("scale", scale), ("shift", shift)), start=1):
            if fact is None or data.shape.dims is None or fact.shape.dims is None:
                continue
            if len(fact.shape) > len(data.shape) or not broadcasts_onto(fact.shape, data.shape):
                raise OpError(f"{name} {fact.shape} does not broadcast to data {data.shape}", input=index)
            shape = broadcast_pdpd(shape, fact.shape, -1)
        if shift is not None and not shift.shape.compatible(scale.shape):
            raise OpError(f"shift has shape {shift.shape}, expected that of scale, {scale.shape}", input=2)
        return shape

    def run(self, data: Array, scale: Array, shift: Array | None) -> Array:
        scaled = np.asarray(data * scale)
        if shift is not None:
            scaled -= shift
        greatest = _GREATEST[self.destination_type]
        np.clip(scaled, -greatest, greatest, out=scaled)
        rounded = round_to(round_to(scaled, "f16"), self.destination_type)
        return np.asarray((rounded if shift is None else rounded + shift) / scale)

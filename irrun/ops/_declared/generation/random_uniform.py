from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.kernels.philox import unit_floats, words
from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.tensor.element_type import BF16, F16, F32, F64, I32, I64
from irrun.tensor.rounding import round_to

T = TypeVar("T", frozenset({F16, BF16, F32, F64, I32, I64}))


@op("RandomUniform", opset=8)
class RandomUniform(Op):
    """Uniformly distributed random numbers in [minval, maxval).

    The seeds determine the numbers: by Philox with the TensorFlow alignment, by the Mersenne Twister with that of
    PyTorch. With two seeds of zero every run differs.
    """

    departures = {"stream": "continues the stream with each run; irrun restarts it"}

    inputs = (
        In("shape", frozenset({I32, I64}), "the shape of the output", rank=1),
        In("minval", T, "one element", rank=(0, 1)),
        In("maxval", T, "one element", rank=(0, 1)),
    )
    outputs = (Out("output", "output_type"),)
    foldable = Fold.NEVER

    output_type: Literal["f16", "bf16", "f32", "f64", "i32", "i64"] = attr(doc="the type of the output")
    global_seed: int = attr(0, doc="the key of Philox, or the seed of the Mersenne Twister", ge=0)
    op_seed: int = attr(0, doc="the counter of Philox", ge=0)
    alignment: Literal["tensorflow", "pytorch"] = attr("tensorflow", doc="the framework whose numbers are generated")

    def infer(self, shape: Fact, minval: Fact, maxval: Fact) -> Shape:
        for index, fact in ((1, minval), (2, maxval)):
            if fact.shape.dims is not None and not fact.shape.size.admits(1):
                raise OpError(f"input {index} has shape {fact.shape}, expected one number", input=index)
            if fact.type.is_known and fact.type.name != self.output_type:
                raise OpError(
                    f"input {index} is {fact.type}, expected {self.output_type}, the output_type", input=index
                )
        if (
            minval.constant is not None
            and maxval.constant is not None
            and minval.constant.size
            and maxval.constant.size
        ):
            low, high = minval.constant.item(), maxval.constant.item()
            if not low < high:
                raise OpError(f"minval ({low}) is not below maxval ({high})", input=1)
        return shape.as_shape()

    def run(self, shape: Array, minval: Array, maxval: Array) -> Array:
        sizes = tuple(shape.tolist())
        low, high = minval.reshape(()), maxval.reshape(())
        count = int(np.prod(sizes, dtype=np.int64))
        floats = self.output_type in ("f16", "bf16", "f32", "f64")
        return (self._floats if floats else self._integers)(count, low, high).reshape(sizes)

    def _floats(self, count: int, low: Array, high: Array) -> Array:
        kind = self.output_type
        if kind == "i32" or kind == "i64":
            raise TypeError(f"{kind} is not a float")
        stream = words(count * 2 if kind == "f64" else count, self.global_seed, self.op_seed, self.alignment)
        units = unit_floats(stream, kind, self.alignment)
        spread = _on_grid(high - low, kind)
        product = units * spread
        return (product if self.alignment == "pytorch" else _on_grid(product, kind)) + low

    def _integers(self, count: int, low: Array, high: Array) -> Array:
        wide = self.output_type == "i64" and self.alignment == "pytorch" and max(int(low), int(high)) >= 1 << 32
        stream = words(count * 2 if wide else count, self.global_seed, self.op_seed, self.alignment).astype(np.uint64)
        numbers = (stream[0::2] << np.uint64(32)) | stream[1::2] if wide else stream
        rest = numbers % np.uint64(int(high) - int(low))
        return rest.astype(np.int64) + np.int64(low)


def _on_grid(values: Array, kind: str) -> Array:
    return round_to(np.asarray(values), kind) if kind in ("f16", "bf16") else values

from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.kernels.philox import sample_classes, unit_floats, words
from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, attr, op
from irrun.tensor.element_type import FLOAT, INTEGER


@op("Multinomial", opset=13)
class Multinomial(Op):
    """Classes drawn at random by given probabilities.

    The seeds determine the classes, by the f64 stream of RandomUniform; with two seeds of zero every run differs.
    """

    departures = {"generator": "uses another random generator"}

    inputs = (
        In("probs", FLOAT, "[batch, classes]; only their relations matter", rank=2),
        In("num_samples", INTEGER, "number of classes to draw, one element", rank=(0, 1)),
    )
    outputs = (Out("output", "convert_type", "[batch, num_samples]"),)
    foldable = Fold.NEVER

    convert_type: Literal["i32", "i64"] = attr(doc="the type of the output")
    with_replacement: bool = attr(doc="whether a class can be drawn again", openvino=False)
    log_probs: bool = attr(doc="whether the input holds logarithms", openvino=False)
    global_seed: int = attr(0, doc="the key of Philox", ge=0)
    op_seed: int = attr(0, doc="the counter of Philox", ge=0)

    def infer(self, probs: Fact, num_samples: Fact) -> Shape:
        if num_samples.shape.dims is not None and not num_samples.shape.size.admits(1):
            raise OpError(f"num_samples has shape {num_samples.shape}, expected one number", input=1)
        count = (num_samples.dims() or (Dim.anything(),))[0]
        if count.hi < 0:
            raise OpError(f"num_samples is {count}, expected 0 or more", input=1)
        batch, classes = probs.shape if probs.shape.dims is not None else Shape.unknown(2)
        if classes.hi == 0 < count.lo:
            raise OpError(f"probs has no classes, expected 1 or more for {count} samples", input=0)
        if not self.with_replacement and count.lo > classes.hi:
            raise OpError(f"{count} samples without replacement are more than {classes} classes", input=1)
        return Shape([batch, count])

    def run(self, probs: Array, num_samples: Array) -> Array:
        weights = np.exp(probs.astype(np.float64)) if self.log_probs else probs
        shape = (probs.shape[0], int(num_samples.item()))
        stream = words(2 * shape[0] * shape[1], self.global_seed, self.op_seed, "tensorflow")
        samples = unit_floats(stream, "f64", "tensorflow").reshape(shape)
        return sample_classes(weights, samples, with_replacement=self.with_replacement)

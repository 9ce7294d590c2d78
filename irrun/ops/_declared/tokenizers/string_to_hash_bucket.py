from __future__ import annotations

import numpy as np

from irrun.kernels.text.farmhash import fingerprint64
from irrun.ops import Array, Fact, Op, Out, Shape, attr, op
from irrun.ops._declared.tokenizers.ports import TEXT, same_shape, texts
from irrun.tensor.element_type import I64


@op("StringToHashBucket", opset="extension")
class StringToHashBucket(Op):
    """The fingerprint of each string, modulo a number of buckets.

    The fingerprint is FarmHash's Fingerprint64, without sign.
    """

    inputs = TEXT
    outputs = (Out("buckets", I64, "the shape of begins"),)

    num_buckets: int = attr(doc="the number of buckets", ge=1)

    def infer(self, begins: Fact, ends: Fact, chars: Fact) -> Shape:
        return same_shape(begins, ends, input=0)

    def run(self, begins: Array, ends: Array, chars: Array) -> Array:
        found = [fingerprint64(text) % self.num_buckets for text in texts(begins, ends, chars, input=0)]
        return np.array(found, np.int64).reshape(begins.shape)

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from irrun.kernels.text.kept import kept
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, op
from irrun.ops._declared.tokenizers.ports import TEXT, flat, same_shape, strings, texts
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import I32, I64

T = TypeVar("T", frozenset({I32, I64}))


@kept
def _table(begins: Array, ends: Array, chars: Array, values: Array) -> Mapping[bytes, int]:
    pairs = list(zip(texts(begins, ends, chars, input=3), values.reshape(-1).tolist(), strict=True))
    return dict(reversed(pairs))


@op("VocabEncoder", opset="extension")
class VocabEncoder(Op):
    """The value of each string in a table; the first of equal keys counts."""

    inputs = (
        *TEXT,
        *strings("keys", "the keys of the table"),
        In("values", T, "[keys], their values"),
        In("default", T, "the value of strings that are not keys"),
    )
    outputs = (Out("ids", T, "[strings], the values"),)

    def infer(self, begins: Fact, ends: Fact, chars: Fact, *table: Fact) -> Shape:
        keys = same_shape(*table[:2], input=3)
        merge_dims(flat(keys), flat(table[3].shape), "the numbers of keys and of values", input=6)
        return Shape([flat(same_shape(begins, ends, input=0))])

    def run(self, begins: Array, ends: Array, chars: Array, *table: Array) -> Array:
        known, default = _table(*table[:4]), int(table[4].reshape(-1)[0])
        found = [known.get(text, default) for text in texts(begins, ends, chars, input=0)]
        return np.array(found, table[3].dtype)

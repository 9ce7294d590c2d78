from __future__ import annotations

import math

import numpy as np

from irrun.kernels.text.strings import packed
from irrun.ops import Array, Fact, In, Op, Shape, op
from irrun.ops._declared.tokenizers.ports import OUT_STRINGS, TEXT, UNKNOWN, same_shape, texts
from irrun.ops.shapes import normalize_axis
from irrun.tensor.element_type import I32, I64, U8


@op("ContribStringJoin", opset="extension")
class ContribStringJoin(Op):
    """Strings joined along an axis, with a separator between them. A scalar stays as it is."""

    workspace = 1024

    inputs = (
        *TEXT,
        In("separator", U8, "its bytes", rank=1),
        In("axis", frozenset({I32, I64}), "the axis that vanishes, one number", rank=(0, 1)),
    )
    alike = ((0, 1),)
    outputs = OUT_STRINGS

    def infer(self, begins: Fact, ends: Fact, chars: Fact, separator: Fact, axis: Fact) -> tuple[Shape, ...]:
        strings, known = same_shape(begins, ends, input=0), axis.ints()
        if strings.dims is None:
            return strings, strings, UNKNOWN
        if len(strings) == 0:
            joined = strings
        elif known is None:
            joined = Shape.unknown(len(strings) - 1)
        else:
            at = normalize_axis(known[0], len(strings), attribute=None, input=4)
            joined = Shape([dim for index, dim in enumerate(strings.dims) if index != at])
        return joined, joined, UNKNOWN

    def run(self, begins: Array, ends: Array, chars: Array, separator: Array, axis: Array) -> tuple[Array, ...]:
        given = np.empty(begins.size, object)
        given[:] = texts(begins, ends, chars, input=0)
        if begins.ndim == 0:
            return packed(given.tolist(), ())
        at = normalize_axis(int(axis.reshape(-1)[0]), begins.ndim, attribute=None, input=4)
        table: Array = np.moveaxis(given.reshape(begins.shape), at, -1)
        between = separator.tobytes()
        *shape, length = table.shape
        lines = table.reshape(math.prod(shape), length).tolist()
        return packed(map(between.join, lines), tuple(shape))

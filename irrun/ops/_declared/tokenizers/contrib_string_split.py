from __future__ import annotations

import numpy as np

from irrun.kernels.text.strings import packed
from irrun.ops import Array, Dim, Fact, In, Op, Out, Shape, op
from irrun.ops._declared.tokenizers.ports import TEXT, UNKNOWN, same_shape, texts
from irrun.tensor.element_type import BOOLEAN, I8, I32, I64, U8


@op("ContribStringSplit", opset="extension")
class ContribStringSplit(Op):
    """The parts of strings between delimiters, as a sparse tensor of strings.

    Without empty parts the others keep their places. An empty delimiter splits after each byte.
    """

    workspace = 64

    inputs = (
        *TEXT,
        In("delimiter", U8, "its bytes", rank=1),
        In("skip_empty", frozenset({BOOLEAN, U8, I8}), "whether empty parts are left out", rank=(0, 1)),
    )
    alike = ((0, 1, 2),)
    outputs = (
        Out("indices", I64, "[parts, rank + 1], the place of each part"),
        Out("begins", I32, "[parts], offset of each part"),
        Out("ends", I32, "[parts], offset of the end of each part"),
        Out("chars", U8, "[bytes], the bytes of all parts"),
        Out("shape", I64, "[rank + 1], the shape of the sparse tensor"),
    )

    def infer(self, begins: Fact, ends: Fact, *_: Fact) -> tuple[Shape, ...]:
        rank = same_shape(begins, ends, input=0).rank
        axes = Dim() if rank is None else Dim.exactly(rank + 1)
        return Shape([Dim(), axes]), UNKNOWN, UNKNOWN, UNKNOWN, Shape([axes])

    def run(self, begins: Array, ends: Array, chars: Array, delimiter: Array, skip: Array) -> tuple[Array, ...]:
        between, skips_empty = delimiter.tobytes(), bool(skip.reshape(-1)[0])
        places, found, most = [], [], 0
        for index, text in zip(np.ndindex(begins.shape), texts(begins, ends, chars, input=0), strict=True):
            parts = text.split(between) if between else [text[at : at + 1] for at in range(len(text))]
            most = max(most, len(parts))
            for place, part in enumerate(parts):
                if part or not skips_empty:
                    places.append((*index, place))
                    found.append(part)
        indices = np.array(places, np.int64).reshape(-1, begins.ndim + 1)
        return indices, *packed(found), np.array([*begins.shape, most], np.int64)

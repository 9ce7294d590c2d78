from __future__ import annotations

import numpy as np

from irrun.ops import Array, Dim, Fact, In, Op, Out, Shape, op
from irrun.tensor.element_type import I32, STRING, U8


@op("StringTensorUnpack", opset=15)
class StringTensorUnpack(Op):
    """The concatenated UTF-8 bytes of all strings, and the begin and end of each string."""

    workspace = 48

    inputs = (In("data", STRING),)
    outputs = (
        Out("begins", I32, "the shape of data"),
        Out("ends", I32, "the shape of data"),
        Out("symbols", U8, "[bytes]"),
    )

    def infer(self, data: Fact) -> tuple[Shape, Shape, Shape]:
        return data.shape, data.shape, Shape([Dim()])

    def run(self, data: Array) -> tuple[Array, Array, Array]:
        encoded = [text.encode("utf-8", "surrogateescape") for text in data.reshape(-1).tolist()]
        lengths = np.array([len(text) for text in encoded], np.int32)
        ends = np.cumsum(lengths, dtype=np.int32)
        symbols = np.frombuffer(b"".join(encoded), np.uint8)
        return (ends - lengths).reshape(data.shape), ends.reshape(data.shape), symbols

from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels.text.strings import packed_texts
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, attr, op
from irrun.tensor.element_type import I32, STRING, U8


@op("StringTensorUnpack", opset=15)
class StringTensorUnpack(Op):
    """The concatenated UTF-8 bytes of all strings, and the begin and end of each string."""

    workspace = 48

    inputs = (In("data", STRING),)
    alike = ((0, 1),)
    outputs = (
        Out("begins", I32, "the shape of data"),
        Out("ends", I32, "the shape of data"),
        Out("symbols", U8, "[bytes]"),
    )

    def infer(self, data: Fact) -> tuple[Shape, Shape, Shape]:
        return _of_strings(data)

    def run(self, data: Array) -> tuple[Array, Array, Array]:
        return _unpacked(data)


@op("StringTensorUnpack", opset="extension", page="tokenizers")
class StringTensorUnpackOfTokenizers(Op):
    """The bytes of all strings, and the begin and end of each string.

    Strings may also be packed as bytes: their number, the offsets from the first to the end of the last one, all i32,
    and the bytes of all strings.
    """

    workspace = 48

    inputs = (In("data", frozenset({STRING, U8})),)
    alike = ((0, 1),)
    outputs = (
        Out("begins", I32, "the shape of data, or [strings]"),
        Out("ends", I32, "the shape of data, or [strings]"),
        Out("symbols", U8, "[bytes]"),
    )

    mode: Literal["begins_ends"] = attr("begins_ends", doc="the only form", exact=True)

    def infer(self, data: Fact) -> tuple[Shape, Shape, Shape]:
        if data.type is STRING:
            return _of_strings(data)
        if not data.type.is_known:
            return Shape.unknown(), Shape.unknown(), Shape([Dim()])
        if data.rank not in (None, 1):
            raise OpError(f"strings packed as bytes have rank {data.rank}, expected 1", input=0)
        if data.constant is None:
            return Shape([Dim()]), Shape([Dim()]), Shape([Dim()])
        begins, ends, symbols = _unpacked_bytes(data.constant)
        return Shape(begins.shape), Shape(ends.shape), Shape(symbols.shape)

    def run(self, data: Array) -> tuple[Array, Array, Array]:
        return _unpacked_bytes(data) if data.dtype == np.uint8 else _unpacked(data)


def _of_strings(data: Fact) -> tuple[Shape, Shape, Shape]:
    if data.constant is None:
        return data.shape, data.shape, Shape([Dim()])
    size = len("".join(data.constant.reshape(-1).tolist()).encode("utf-8", "surrogateescape"))
    return data.shape, data.shape, Shape([size])


def _unpacked(data: Array) -> tuple[Array, Array, Array]:
    return packed_texts(data.reshape(-1).tolist(), data.shape)


def _unpacked_bytes(data: Array) -> tuple[Array, Array, Array]:
    count = int(np.ascontiguousarray(data[:4]).view("<i4")[0]) if data.size >= 4 else -1
    if count < 0:
        raise OpError(f"{amount(data.size, 'byte')} cannot hold a number of strings", input=0)
    if data.size < 8 + 4 * count:
        raise OpError(f"{amount(data.size, 'byte')} cannot hold the offsets of {amount(count, 'string')}", input=0)
    edges = np.ascontiguousarray(data[4 : 8 + 4 * count]).view("<i4").astype(np.int32)
    symbols = data[8 + 4 * count :]
    if edges[0] < 0 or (np.diff(edges) < 0).any() or edges[-1] > symbols.size:
        raise OpError(f"the offsets of {amount(count, 'string')} are outside {amount(symbols.size, 'byte')}", input=0)
    return edges[:-1], edges[1:], symbols

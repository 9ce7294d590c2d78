from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.tensor.element_type import I32, I64, STRING, U8

TI = TypeVar("T_IDX", frozenset({I32, I64}))


@op("StringTensorPack", opset=15)
class StringTensorPack(Op):
    """Strings decoded from ranges of UTF-8 bytes.

    Note: bytes that are not UTF-8 become lone surrogates, which StringTensorUnpack turns back into the same bytes.
    """

    inputs = (
        In("begins", TI, "offset of each string"),
        In("ends", TI, "offset of the end of each string, exclusive"),
        In("symbols", U8, "the bytes of all strings", rank=1),
    )
    outputs = (Out("output", STRING, "the shape of begins"),)

    def infer(self, begins: Fact, ends: Fact, _: Fact) -> Shape:
        return _shape(begins, ends)

    def run(self, begins: Array, ends: Array, symbols: Array) -> Array:
        return _decoded(begins, ends, symbols)


@op("StringTensorPack", opset="extension", page="tokenizers")
class StringTensorPackOfTokenizers(Op):
    """Strings decoded from ranges of UTF-8 bytes, as StringTensorPack of opset15.

    Note: without any byte OpenVINO returns one arbitrary byte for each string.
    """

    workspace = 48

    inputs = (
        In("begins", I32, "offset of each string"),
        In("ends", I32, "offset of the end of each string, exclusive"),
        In("symbols", U8, "the bytes of all strings", rank=1),
    )
    outputs = (Out("output", STRING, "the shape of begins"),)

    mode: Literal["begins_ends"] = attr("begins_ends", doc="the only form", exact=True)

    def infer(self, begins: Fact, ends: Fact, _: Fact) -> Shape:
        return _shape(begins, ends)

    def run(self, begins: Array, ends: Array, symbols: Array) -> Array:
        return _decoded(begins, ends, symbols)


def _shape(begins: Fact, ends: Fact) -> Shape:
    shape = begins.shape.merge(ends.shape)
    if shape is None:
        raise OpError(f"begins and ends must have one shape, got {begins.shape} and {ends.shape}", input=1)
    return shape


def _decoded(begins: Array, ends: Array, symbols: Array) -> Array:
    text = symbols.tobytes()
    bounds = list(zip(begins.reshape(-1).tolist(), ends.reshape(-1).tolist(), strict=True))
    for begin, end in bounds:
        if not 0 <= begin <= end <= len(text):
            raise OpError(f"a string from {begin} to {end} is outside {len(text)} symbols")
    result = np.empty(len(bounds), object)
    result[:] = [text[begin:end].decode("utf-8", "surrogateescape") for begin, end in bounds]
    return result.reshape(begins.shape)

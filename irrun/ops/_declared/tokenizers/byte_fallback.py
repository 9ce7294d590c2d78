from __future__ import annotations

import re

from irrun.kernels.text.strings import packed
from irrun.ops import Array, Fact, Op, Shape, op
from irrun.ops._declared.tokenizers.ports import OUT_STRINGS, TEXT, UNKNOWN, same_shape, texts

_BYTES = {f"<0x{byte:02X}>".encode(): bytes((byte,)) for byte in range(256)}
_SHAPE = re.compile(rb"<[^<>]{4}>", re.DOTALL)


@op("ByteFallback", opset="extension")
class ByteFallback(Op):
    """Strings in which the token of a byte, such as <0x0A>, is the byte.

    Any other string of six bytes with its only < at the begin and its only > at the end is the byte 255.
    """

    inputs = TEXT
    alike = ((0, 1),)
    outputs = OUT_STRINGS

    def infer(self, begins: Fact, ends: Fact, chars: Fact) -> tuple[Shape, ...]:
        strings = same_shape(begins, ends, input=0)
        return strings, strings, UNKNOWN

    def run(self, begins: Array, ends: Array, chars: Array) -> tuple[Array, ...]:
        found = texts(begins, ends, chars, input=0)
        for index, text in enumerate(found):
            if len(text) == 6 and _SHAPE.fullmatch(text) is not None:
                found[index] = _BYTES.get(text, b"\xff")
        return packed(found, begins.shape)

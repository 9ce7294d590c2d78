from __future__ import annotations

from irrun.kernels.text.strings import packed
from irrun.kernels.text.utf8 import REPLACEMENT, repaired
from irrun.ops import Array, Fact, Op, Shape, attr, op
from irrun.ops._declared.tokenizers.ports import OUT_STRINGS, TEXT, UNKNOWN, same_shape, texts


@op("UTF8Validate", opset="extension")
class UTF8Validate(Op):
    """Strings without the bytes that are not UTF-8, or with U+FFFD in their place.

    A stray byte and a sequence that breaks off count once, an overlong sequence for each of its bytes.

    Note: surrogates, and code points up to 1FFFFF, are kept.
    """

    inputs = TEXT
    alike = ((0, 1),)
    outputs = OUT_STRINGS

    replace_mode: bool = attr(False, doc="whether wrong bytes become U+FFFD, or are dropped")

    def infer(self, begins: Fact, ends: Fact, chars: Fact) -> tuple[Shape, ...]:
        strings = same_shape(begins, ends, input=0)
        return strings, strings, UNKNOWN

    def run(self, begins: Array, ends: Array, chars: Array) -> tuple[Array, ...]:
        replacement = REPLACEMENT if self.replace_mode else b""
        return packed([repaired(text, replacement) for text in texts(begins, ends, chars, input=0)], begins.shape)

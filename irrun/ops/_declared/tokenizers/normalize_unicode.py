from __future__ import annotations

from typing import Literal

from irrun.kernels.text.normal_forms import map_of
from irrun.ops import Array, Fact, Op, Shape, attr, op
from irrun.ops._declared.tokenizers import normalization


@op("NormalizeUnicode", opset="extension")
class NormalizeUnicode(Op):
    """Strings in a normalization form of Unicode.

    Note: marks are never reordered, and bytes that are not UTF-8 become U+FFFD each: the maps are those of
    CharsMapNormalization.
    """

    inputs = normalization.INPUTS
    alike = ((0, 1),)
    outputs = normalization.OUTPUTS

    normalization_form: Literal["NFC", "NFD", "NFKC", "NFKD"] = attr(doc="the form", exact=True)

    def infer(self, begins: Fact, ends: Fact, chars: Fact, flags: Fact | None) -> tuple[Shape, ...]:
        return normalization.infer(begins, ends, flags)

    def run(self, begins: Array, ends: Array, chars: Array, flags: Array | None) -> tuple[Array, ...]:
        change = map_of(self.normalization_form.lower(), case_fold=False).replaced_each
        return normalization.run(begins, ends, chars, flags, change)

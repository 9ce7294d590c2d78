from __future__ import annotations

from typing import Literal

from irrun.kernels.text.characters import CharacterMap
from irrun.kernels.text.normal_forms import map_of
from irrun.ops import Array, Fact, Op, OpError, Shape, attr, op
from irrun.ops._declared.tokenizers import normalization

_LOWER = CharacterMap(lambda character: character.lower() if character.isascii() else character)
_UPPER = CharacterMap(lambda character: character.upper() if character.isascii() else character)


@op("CaseFold", opset="extension")
class CaseFold(Op):
    """Strings with folded case: by Unicode's simple folding, or of ASCII letters only.

    Note: with the encoding "utf-8" bytes that are not UTF-8 become U+FFFD each.
    """

    inputs = normalization.INPUTS
    alike = ((0, 1),)
    outputs = normalization.OUTPUTS

    encoding: Literal["utf-8", ""] = attr("utf-8", doc="empty for ASCII letters only", exact=True)
    lower: bool = attr(True, doc="whether ASCII letters become lower case, or upper case")

    def verify(self) -> None:
        if self.encoding and not self.lower:
            raise OpError('lower is false, expected true with the encoding "utf-8"', attribute="lower")

    def infer(self, begins: Fact, ends: Fact, chars: Fact, flags: Fact | None) -> tuple[Shape, ...]:
        if flags is not None and not self.encoding:
            raise OpError("CaseFold of ASCII letters has flags, expected 3 inputs", input=3)
        return normalization.infer(begins, ends, flags)

    def run(self, begins: Array, ends: Array, chars: Array, flags: Array | None) -> tuple[Array, ...]:
        if self.encoding:
            change = map_of("identity", case_fold=True).replaced_each
        else:
            change = (_LOWER if self.lower else _UPPER).replaced_each
        return normalization.run(begins, ends, chars, flags, change)

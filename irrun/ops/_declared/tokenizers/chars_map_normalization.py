from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.kernels.text.charsmap import CharsMap, Normalizer, compiled_map
from irrun.kernels.text.kept import kept
from irrun.kernels.text.normal_forms import map_of
from irrun.ops import Array, Fact, In, Op, OpError, Shape, attr, op
from irrun.ops._declared.tokenizers import normalization
from irrun.ops._declared.tokenizers.ports import TEXT, expect_type, said
from irrun.tensor.element_type import BOOLEAN, U8


@kept
def _given(map: Array) -> CharsMap:
    return said(compiled_map, map.tobytes(), input=3)


@op("CharsMapNormalization", opset="extension")
class CharsMapNormalization(Op):
    """Strings in which the longest keys of a map of characters are replaced, as SentencePiece normalizes.

    The map is that of a form of Unicode, or the one that SentencePiece compiled. Bytes that are not UTF-8 become U+FFFD
    each.

    Note: the forms never reorder marks. They are those of the Unicode of Python's ``unicodedata``; OpenVINO's are of
    Unicode 14, the version of Python 3.11. A map counts only without a form.
    """

    workspace = 64

    inputs = (
        *TEXT,
        In("flags", frozenset({BOOLEAN, U8}), "[strings], which strings are passed through; or the map", optional=True),
        In("map", U8, "the map that SentencePiece compiled, where there are flags", rank=1, optional=True),
    )
    alike = ((0, 1),)
    outputs = normalization.OUTPUTS

    normalization_form: Literal["", "nfc", "nfd", "nfkc", "nfkd", "identity"] = attr("", doc="the form of Unicode")
    case_fold: bool = attr(False, doc="whether the map of a form folds the case")
    add_dummy_prefix: bool = attr(False, doc="whether text begins with a space")
    remove_extra_whitespaces: bool = attr(True, doc="whether spaces at the ends, and all but one in a row, are removed")
    escape_whitespaces: bool = attr(False, doc="whether spaces become U+2581")
    nmt: bool = attr(False, doc="no effect")

    def verify(self) -> None:
        if self.normalization_form == "identity" and not self.case_fold:
            what = 'normalization_form "identity" needs case_fold, expected true'
            raise OpError(what, attribute="case_fold")

    def infer(self, begins: Fact, ends: Fact, chars: Fact, flags: Fact | None, map: Fact | None) -> tuple[Shape, ...]:
        if map is not None and flags is not None:
            expect_type(flags, BOOLEAN, "flags", 3)
        is_map = flags is not None and flags.type is U8
        if not self.normalization_form and not is_map and map is None:
            raise OpError("CharsMapNormalization without normalization_form has no map", attribute="normalization_form")
        return normalization.infer(begins, ends, None if is_map else flags)

    def run(
        self, begins: Array, ends: Array, chars: Array, flags: Array | None, map: Array | None
    ) -> tuple[Array, ...]:
        if flags is not None and flags.dtype == np.uint8:
            flags, map = None, flags
        form = self.normalization_form
        found = map_of(form, case_fold=self.case_fold) if form or map is None else _given(map)
        normalizer = Normalizer(found, self.add_dummy_prefix, self.remove_extra_whitespaces, self.escape_whitespaces)
        return normalization.run(begins, ends, chars, flags, normalizer.normalized_each)

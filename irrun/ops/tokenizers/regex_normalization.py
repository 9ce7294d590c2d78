from __future__ import annotations

from irrun.kernels.text.strings import encoded
from irrun.kernels.text.substitution import substituted, template
from irrun.ops import Array, Fact, In, Op, Shape, attr, op
from irrun.ops.tokenizers import normalization
from irrun.ops.tokenizers.patterns import normalizing
from irrun.ops.tokenizers.ports import TEXT, expect_count, expect_type
from irrun.tensor.element_type import BOOLEAN, U8


@op("RegexNormalization", opset="extension")
class RegexNormalization(Op):
    """Strings in which the matches of a regular expression are replaced.

    The replacement may name groups, as ``$1``, ``${1}``, ``${name}`` or ``\\1``. A string stays whole where the pattern
    does not compile, where a group of the replacement took no part in a match, or where the result is too long: it may
    have less than 4 (text + n replacement) bytes, where n - 1 is the last group in the first match.
    """

    workspace = 1024

    inputs = (
        *TEXT,
        In("flags", frozenset({BOOLEAN, U8}), "[strings], which are passed through; the pattern where there are none"),
        In("pattern", U8, "the bytes of the pattern; the replacement where there are no flags", rank=1),
        In("replacement", U8, "the bytes of the replacement, where there are flags", rank=1, optional=True),
    )
    outputs = normalization.OUTPUTS

    global_replace: bool = attr(True, doc="whether all matches are replaced, or the first one")

    def infer(self, begins: Fact, ends: Fact, chars: Fact, *more: Fact | None) -> tuple[Shape, ...]:
        count = expect_count(more, 3, (5, 6), self.type)
        flags = more[0]
        assert flags is not None
        expect_type(flags, *((U8, "pattern") if count == 5 else (BOOLEAN, "flags")), 3)
        return normalization.infer(begins, ends, flags if count == 6 else None)

    def run(self, begins: Array, ends: Array, chars: Array, *more: Array | None) -> tuple[Array, ...]:
        flags, pattern, replacement = more if more[2] is not None else (None, *more[:2])
        assert pattern is not None
        assert replacement is not None
        search = normalizing(pattern.tobytes())
        parts = None
        if search is not None:
            parts = template(replacement.tobytes().decode("utf-8", "surrogateescape"), search.groupindex.get)
        size, every = replacement.size, self.global_replace

        def normalized(text: bytes) -> bytes:
            if search is None or parts is None:
                return text
            decoded = text.decode("utf-8", "surrogateescape")
            found = substituted(decoded, search.finditer, parts, size, every=every)
            return text if found is decoded else encoded(found)

        return normalization.run(begins, ends, chars, flags, normalized)

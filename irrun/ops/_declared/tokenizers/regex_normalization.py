from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from irrun.kernels.text.characters import CharacterMap
from irrun.kernels.text.substitution import is_short, substituted, template
from irrun.ops import Array, Fact, In, Op, Shape, attr, op
from irrun.ops._declared.tokenizers import normalization
from irrun.ops._declared.tokenizers.patterns import normalizing
from irrun.ops._declared.tokenizers.ports import TEXT, expect_count, expect_type
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
    alike = ((0, 1),)
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
        change = _change(pattern.tobytes(), replacement.tobytes(), self.global_replace)
        return normalization.run(begins, ends, chars, flags, *change)


class _Change(NamedTuple):
    """The function that replaces the matches in texts, and whether there may be some in ASCII text."""

    replaced_each: Callable[[list[str]], Sequence[str]]
    may_change: Callable[[str], bool]


@functools.lru_cache(512)
def _change(pattern: bytes, replacement: bytes, every: bool) -> _Change:
    search = normalizing(pattern)
    parts = None if search is None else template(replacement.decode("utf-8", "surrogateescape"), search.group)
    if search is None or parts is None:
        return _Change(lambda texts: texts, lambda _: False)
    change = functools.partial(
        substituted, find=search.find, parts=parts, bytes_of_template=len(replacement), every=every
    )
    if every and is_short(parts, search.groups):
        if search.is_character and not search.repeats:
            characters = CharacterMap(change)
            return _Change(characters.replaced_each, characters.changes)
        if search.literal is not None and all(isinstance(part, str) for part in parts):
            old, new = search.literal, "".join(map(str, parts))
            return _Change(lambda texts: [text.replace(old, new) for text in texts], lambda text: old in text)
    return _Change(lambda texts: [*map(change, texts)], search.search if search.is_local else lambda _: True)

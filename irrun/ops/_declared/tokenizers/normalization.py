"""Normalizations, which map each string without a flag to another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from irrun.kernels.text.strings import decoded, packed_texts, without_gaps
from irrun.ops import Array, Fact, In, Out, Shape
from irrun.ops._declared.tokenizers.ports import (
    OUT_FLAGS,
    OUT_STRINGS,
    TEXT,
    UNKNOWN,
    check_bounds,
    check_flags,
    same_shape,
)
from irrun.tensor.element_type import BOOLEAN

FLAGS = In("flags", BOOLEAN, "[strings], which strings are passed through", optional=True)
INPUTS = (*TEXT, FLAGS)
OUTPUTS: tuple[Out, ...] = (*OUT_STRINGS, OUT_FLAGS)


def infer(begins: Fact, ends: Fact, flags: Fact | None) -> tuple[Shape, ...]:
    """Return the shapes of the strings, and of the flags where there are any."""
    strings = same_shape(begins, ends, input=0)
    marks = () if flags is None else (check_flags(flags, strings, input=3),)
    return strings, strings, UNKNOWN, *marks


def run(
    begins: Array,
    ends: Array,
    chars: Array,
    flags: Array | None,
    normalized: Callable[[list[str]], Sequence[str]],
    may_change: Callable[[str], bool] | None = None,
) -> tuple[Array, ...]:
    """Return the strings, packed, and the flags where there are any. ``normalized`` gets those without a flag.

    It gets none where ``may_change`` is false of all strings in one, which is asked of ASCII only.
    """
    check_bounds(begins, ends, chars.size, "a string", input=0)
    if may_change is not None and (data := chars.tobytes()).isascii() and not may_change(data.decode("ascii")):
        return *without_gaps(begins, ends, chars), *(() if flags is None else (flags,))
    texts = decoded(begins, ends, chars).texts
    if flags is None:
        return packed_texts(normalized(texts), begins.shape)
    marks = flags.reshape(-1).tolist()
    if not any(marks):
        found = normalized(texts)
    else:
        others = iter(normalized([text for text, mark in zip(texts, marks, strict=True) if not mark]))
        found = [text if mark else next(others) for text, mark in zip(texts, marks, strict=True)]
    return *packed_texts(found, begins.shape), flags

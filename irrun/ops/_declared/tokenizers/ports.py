"""The ports that operations of tokenizers share: strings, rows of strings, and rows of numbers.

A tensor of strings is three tensors: begins and ends, the offsets of each string, and the bytes of all of them. A
ragged tensor is begins and ends of rows, and the elements of all of them. A string with a flag is passed through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels.text.splitting import Strings
from irrun.kernels.text.strings import Array, split
from irrun.kernels.text.strings import rows as element_rows
from irrun.kernels.text.word_ids import WordIds
from irrun.ops import Dim, Fact, In, OpError, Out, Shape
from irrun.ops.calling import WrongInputCount
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import BOOLEAN, I32, U8

LIBRARY = "openvino_tokenizers"
Result = TypeVar("Result")


def strings(name: str, doc: str, *, optional: bool = False) -> tuple[In, In, In]:
    """Declare the three inputs of a tensor of strings."""
    return (
        In(f"{name}_begins", I32, f"offset of each string: {doc}", optional=optional),
        In(f"{name}_ends", I32, "offset of the end of each string, exclusive", optional=optional),
        In(f"{name}_chars", U8, "the bytes of all strings, UTF-8", rank=1, optional=optional),
    )


def rows(doc: str = "rows of strings") -> tuple[In, In]:
    """Declare the two inputs with the rows of a ragged tensor."""
    return (
        In("ragged_begins", I32, f"the first element of each row: {doc}"),
        In("ragged_ends", I32, "the end of each row, exclusive"),
    )


TEXT = strings("text", "the texts")
ROWS_OF_TEXT = (*rows(), *TEXT)
VOCABULARY = strings("vocab", "the tokens; the index of a token is its id")

OUT_STRINGS = (
    Out("begins", I32, "offset of each string"),
    Out("ends", I32, "offset of the end of each string"),
    Out("chars", U8, "[bytes], the bytes of all strings"),
)
OUT_ROWS = (
    Out("ragged_begins", I32, "the first element of each row"),
    Out("ragged_ends", I32, "the end of each row"),
)
OUT_IDS = (*OUT_ROWS, Out("ids", I32, "[tokens], the ids of the tokens of all rows"))
OUT_FLAGS = Out("flags", BOOLEAN, "[strings], which strings are passed through; where the inputs have flags")
UNKNOWN = Shape([Dim()])


def same_shape(begins: Fact, ends: Fact, *, input: int) -> Shape:
    """Return the shape of begins and ends, of which ``input`` is the first; OpError where they differ."""
    shape = begins.shape.merge(ends.shape)
    if shape is None:
        what = f"begins and ends must have one shape, got {begins.shape} and {ends.shape}"
        raise OpError(what, input=input + 1)
    return shape


def flat(shape: Shape) -> Dim:
    """Return the number of elements of a tensor."""
    return Dim() if shape.dims is None else shape.size


def check_flags(flags: Fact, strings: Shape, *, input: int) -> Shape:
    """Return the shape of the flags of strings; OpError where it is not one for each string."""
    if flags.shape.rank is not None:
        merge_dims(flat(strings), flat(flags.shape), "the numbers of strings and of flags", input=input)
    return flags.shape


def expect_type(fact: Fact, type: Any, name: str, input: int) -> None:
    """Raise OpError where an input whose meaning depends on the number of inputs has another type."""
    if fact.type.is_known and fact.type is not type:
        raise OpError(f"input {input} ({name}) is {fact.type}, expected {type}", input=input)


def expect_count(given: Sequence[Fact | None], first: int, counts: Sequence[int], type: str) -> int:
    """Return the number of inputs, of which ``first`` precede ``given``; OpError where it is none of ``counts``."""
    found = first + sum(fact is not None for fact in given)
    if found not in counts:
        *most, last = map(str, counts)
        raise WrongInputCount(f"{type} has {amount(found, 'input')}, expected {', '.join(most)} or {last}")
    return found


def check_bounds(begins: Array, ends: Array, size: int, what: str, *, input: int) -> None:
    """Raise OpError where a range is not inside ``size`` elements."""
    if begins.shape != ends.shape:
        raise OpError(f"begins and ends must have one shape, got {begins.shape} and {ends.shape}", input=input + 1)
    wrong = (begins < 0) | (ends < begins) | (ends > size)
    if wrong.any():
        at = np.unravel_index(int(wrong.argmax()), wrong.shape)
        raise OpError(f"{what} from {begins[at]} to {ends[at]} is outside {amount(size, 'element')}", input=input)


def texts(begins: Array, ends: Array, chars: Array, *, input: int) -> list[bytes]:
    """Return strings as bytes; OpError where one is outside of ``chars``."""
    check_bounds(begins, ends, chars.size, "a string", input=input)
    return split(begins, ends, chars)


def word_edges(inputs: Sequence[Array]) -> tuple[Array, Array]:
    """Return begins and ends of the strings of rows, ``ROWS_OF_TEXT``, in the order of the rows.

    OpError where an offset is outside.
    """
    _, first, last = checked_rows(*inputs).in_rows()
    return first, last


def words(inputs: Sequence[Array]) -> list[bytes]:
    """Return the strings of rows, ``ROWS_OF_TEXT``, in the order of the rows; OpError where an offset is outside."""
    return split(*word_edges(inputs), inputs[4])


def word_ids(inputs: Sequence[Array], ids: WordIds) -> tuple[Array, Array, Array]:
    """Return the outputs ``OUT_IDS`` for rows of strings, ``ROWS_OF_TEXT``; OpError where an offset is outside."""
    counts, found = ids.of_each(*word_edges(inputs), inputs[4])
    return *element_rows(inputs[0], inputs[1], counts), found


def checked_rows(row_begins: Array, row_ends: Array, begins: Array, ends: Array, chars: Array) -> Strings:
    """Return rows of strings; OpError where an offset is outside."""
    check_bounds(row_begins, row_ends, begins.size, "a row", input=0)
    check_bounds(begins, ends, chars.size, "a string", input=2)
    return Strings(row_begins, row_ends, begins, ends)


def said(make: Callable[..., Result], *arguments: Any, input: int, **options: Any) -> Result:
    """Return what a kernel returns; its ValueError is about an input."""
    try:
        return make(*arguments, **options)
    except ValueError as error:
        raise OpError(str(error), input=input) from None

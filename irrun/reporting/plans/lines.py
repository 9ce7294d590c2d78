"""Lines of the texts about plans."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from irrun.ops import Fact
from irrun.ops._declared.fused.base import Fused
from irrun.runtime.plan import Step
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import dtype_text

WIDTH: Final = 100
"""Columns of a text where the output is no terminal."""

_SOLID: Final = "\N{NO-BREAK SPACE}"

_FEW: Final = 8
"""Integers of a constant that are shown."""


class Named(NamedTuple):
    """An input, a result or a constant, as text."""

    name: str
    value: str


def line(text: str, width: int, indent: int = 0, further: int | None = None) -> list[str]:
    """Break a text at spaces; the first line is indented by ``indent``, the others by ``further``.

    A comment, behind ``#``, is not parted from its sign, nor words that `solid` joined.
    """
    behind = " " * (indent + 4 if further is None else further)
    lines = textwrap.wrap(
        text.replace("# ", solid("# ")),
        width,
        initial_indent=" " * indent,
        subsequent_indent=behind,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [each.replace(_SOLID, " ") for each in lines]


def solid(text: str) -> str:
    """Return a text that `line` does not break."""
    return text.replace(" ", _SOLID)


def table(title: str, rows: Iterable[str], width: int) -> list[str]:
    """Return a title, and its rows indented; nothing for no rows."""
    lines = [each for row in rows for each in line(row, width, 2)]
    return [title, *lines, ""] if lines else []


def layers_of(step: Step) -> list[str]:
    """Return the names of the layers that a step computes."""
    op = step.node.op
    parts = op.parts if isinstance(op, Fused) and op.parts else (step.node.name or str(step.node.id),)
    return [printable(part) for part in parts]


def printable(name: str) -> str:
    """Return a name with escapes for what a terminal would not show."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in name)


def array_text(array: Array) -> str:
    return f"{dtype_text(array.dtype)}[{','.join(map(str, array.shape))}]"


def constant_text(array: Array) -> str:
    """Return the type and shape of a constant, and its values if they are few."""
    few = array.size <= _FEW if array.dtype.kind in "iub" else array.size == 1 and array.dtype.kind == "f"
    values = ",".join(f"{value:g}" for value in array.reshape(-1).tolist()) if few else ""
    return f"{array_text(array)}{{{values}}}" if values else array_text(array)


def fact_text(fact: Fact) -> str:
    return f"{fact.type}{fact.shape}" if isinstance(fact.type, ElementType) else str(fact.shape)


def as_data(value: Any) -> Any:
    """Return a listing as dictionaries, lists, numbers and texts."""
    if hasattr(value, "_asdict"):
        return {name: as_data(item) for name, item in value._asdict().items()}
    if isinstance(value, dict):
        return {key: as_data(item) for key, item in value.items()}
    return list(map(as_data, value)) if isinstance(value, tuple) else value


def counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def bytes_text(count: int | str) -> str:
    return f"{count:,} B" if isinstance(count, int) else f"{count} B"

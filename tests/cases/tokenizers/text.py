"""Strings, rows of strings and rows of ids as the inputs of operations of tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, i32

Text = str | bytes


def case(
    type: str, inputs: Sequence[Array], expected: Sequence[Array], attributes: dict[str, Any] | None = None, **more: Any
) -> Case:
    """Return a case of an operation of openvino_tokenizers, which the CPU plugin alone does not know."""
    return Case(type, "extension", inputs, expected, attributes or {}, departs="unknown", **more)


def invalid(
    type: str, inputs: Sequence[Array | str], message: str, attributes: dict[str, Any] | None = None, **more: Any
) -> Invalid:
    return Invalid(type, "extension", inputs, message, attributes or {}, **more)


def chars(text: Text) -> Array:
    """Return the bytes of a text."""
    return np.frombuffer(text if isinstance(text, bytes) else text.encode(), np.uint8)


def strings(*texts: Text) -> list[Array]:
    """Return begins, ends and bytes of strings."""
    encoded = [chars(text) for text in texts]
    begins, ends = _edges([len(text) for text in encoded])
    return [begins, ends, np.concatenate([*encoded, chars("")])]


def rows(*texts: Sequence[Text]) -> list[Array]:
    """Return rows of strings."""
    return [*_edges([len(row) for row in texts]), *strings(*(text for row in texts for text in row))]


def ids(*numbers: Sequence[int]) -> list[Array]:
    """Return rows of i32."""
    return [*_edges([len(row) for row in numbers]), i32([id for row in numbers for id in row])]


def _edges(lengths: Sequence[int]) -> tuple[Array, Array]:
    ends = np.cumsum(lengths).astype(np.int32)
    return ends - i32(lengths), ends

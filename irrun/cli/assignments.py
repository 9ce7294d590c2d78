"""Parses ``NAME[SHAPE]``, where the name may itself contain these characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from irrun.cli.failures import Failure
from irrun.evaluation.files.naming import listed, longest, unknown_input
from irrun.model import Port
from irrun.tensor import Shape

_BARE: Final = r"[\d?.,\s-]+"
"""A shape without name and brackets."""


def split_shape(text: str, ports: Sequence[Port]) -> tuple[Port, Shape]:
    """Split ``NAME[1,3,?,2..5]`` into the input and its shape.

    For a model with one input the name is optional, and without it the brackets are.
    """
    if len(ports) == 1 and re.fullmatch(_BARE, text) is not None:
        text = f"[{text}]"
    found = longest(text, ports, "[")
    if found is None:
        name, bracket, _ = text.partition("[")
        if not bracket or not text.endswith("]"):
            raise Failure(f"--shape {text} is not of the form NAME[1,3,?,2..5]")
        if name:
            raise Failure(unknown_input(name, ports))
        if len(ports) != 1:
            raise Failure(f"--shape {text} names no input; the model has {listed(ports)}")
        found = ports[0], text
    port, written = found
    try:
        if not written.endswith("]"):
            raise ValueError
        return port, Shape.parse(written)
    except ValueError:
        what = f'--shape {text}: "{written}" is not a shape, expected sizes, ? or intervals such as [1,3,?,2..5]'
        raise Failure(what) from None

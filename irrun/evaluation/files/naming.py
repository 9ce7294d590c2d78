"""Inputs of a model by the names that a user writes: ``NAME=FILE``, ``NAME[SHAPE]``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from irrun.diagnostics import IRError, near_match
from irrun.diagnostics.requests import RequestError
from irrun.model import Loaded, Port
from irrun.runtime.soundness import sound
from irrun.tensor import Dim, Shape

_BARE: Final = r"[\d?.,\s-]+"
"""A shape without name and brackets."""


def split_input(text: str, ports: Sequence[Port]) -> tuple[Port | None, Path]:
    """Split ``NAME=FILE`` or ``NAME:FILE`` into the input and the file; None and the file for a bare ``FILE``."""
    named = longest(text, ports, "=:")
    if named is not None:
        port, rest = named
        if len(rest) == 1:
            raise RequestError(f'-i {text}: no file for input "{port.any_name}"')
        return port, Path(rest[1:])
    path = Path(text)
    cut = min((text.index(sign) for sign in "=:" if sign in text), default=0)
    is_drive = cut == 1 and text[1] == ":" and text[2:3] in ("\\", "/")
    if cut == 0 or is_drive or path.exists():
        return None, path
    raise RequestError(unknown_input(text[:cut], ports))


def split_shape(text: str, ports: Sequence[Port]) -> tuple[Port, Shape]:
    """Split ``NAME[1,3,?,2..5]``, whose name may itself contain these characters, into the input and its shape.

    For a model with one input the name is optional, and without it the brackets are.
    """
    if len(ports) == 1 and re.fullmatch(_BARE, text) is not None:
        text = f"[{text}]"
    found = longest(text, ports, "[")
    if found is None:
        name, bracket, _ = text.partition("[")
        if not bracket or not text.endswith("]"):
            raise RequestError(f"--shape {text} is not of the form NAME[1,3,?,2..5]")
        if name:
            raise RequestError(unknown_input(name, ports))
        if len(ports) != 1:
            raise RequestError(f"--shape {text} names no input; the model has {listed(ports)}")
        found = ports[0], text
    port, written = found
    try:
        if not written.endswith("]"):
            raise ValueError
        return port, Shape.parse(written)
    except ValueError:
        what = f'--shape {text}: "{written}" is not a shape, expected sizes, ? or intervals such as [1,3,?,2..5]'
        raise RequestError(what) from None


def reshape(model: Loaded, texts: Sequence[str]) -> tuple[Loaded, dict[int, Shape]]:
    """Return the model with inputs of the shapes that ``NAME[SHAPE]`` texts say, and those shapes by place."""
    given: dict[int, Shape] = {}
    for text in texts:
        port, shape = split_shape(text, model.inputs)
        if port.index in given:
            raise RequestError(f'--shape {text}: input "{port.any_name}" is given a shape twice')
        given[port.index] = shape
    return (_reshaped(model, given) if given else model), given


def _reshaped(model: Loaded, shapes: Mapping[int, Shape] | Mapping[str, Shape]) -> Loaded:
    from irrun.surgery.shapes import reshape as relaxed

    return relaxed(model, shapes)


def takes(model: Loaded, shapes: Mapping[str, Shape]) -> bool:
    """Return whether a model can be reshaped so."""
    return _takes(model, tuple(shapes.items()))


@lru_cache(maxsize=2)
def _takes(model: Loaded, shapes: tuple[tuple[str, Shape], ...]) -> bool:
    try:
        reshaped = _reshaped(model, dict(shapes))
        sound(reshaped.bound.graph, reshaped.facts)
    except IRError:
        return False
    return True


def with_batch(model: Loaded, size: int | None) -> str:
    """Return the options that give all inputs this first dim, or a dynamic one; empty where the model refuses it."""
    first = Dim() if size is None else Dim.exactly(size)
    shapes = {
        port.any_name: Shape((first, *port.partial_shape.dims[1:])) for port in model.inputs if port.partial_shape.dims
    }
    if len(shapes) != len(model.inputs) or not takes(model, shapes):
        return ""
    return " ".join(f"--shape '{name}{shape}'" for name, shape in shapes.items())


def unknown_input(name: str, ports: Sequence[Port]) -> str:
    """Return the message for a name that no input has."""
    known = [name for port in ports for name in port.all_names if name]
    return f'no input "{name}"{near_match(name, known) or f"; the model has {listed(ports)}"}'


def listed(ports: Sequence[Port]) -> str:
    """Return the inputs as ``"a" (f32[1,3]), "b" (i64[?])``."""
    return ", ".join(f'"{port.any_name}" ({port.element_type}{port.partial_shape})' for port in ports) or "no inputs"


def longest(text: str, ports: Sequence[Port], signs: str) -> tuple[Port, str] | None:
    """Find the longest input name that precedes one of the signs; return the input and the text after the name."""
    best: tuple[int, Port] | None = None
    for port in ports:
        for name in port.all_names:
            fits = name and text.startswith(name) and text[len(name) : len(name) + 1] in tuple(signs)
            if fits and (best is None or len(name) > best[0]):
                best = len(name), port
    return None if best is None else (best[1], text[best[0] :])

"""The arguments of pipelines that openvino_genai tells apart by their kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from irrun.generation.errors import GenerationError
from irrun.generation.tokenizer import Tokenizer
from irrun.openvino.running.properties_table import require_device

Given = Tokenizer | str | Mapping[str, Any] | None
"""A tokenizer, the name of a device, or settings of ``compile_model``."""


class Arguments(NamedTuple):
    """The settings of ``compile_model``, and the tokenizer, None for that of the folder."""

    config: dict[str, Any]
    tokenizer: Tokenizer | None


def given_of(arguments: Sequence[Given], settings: Mapping[str, Any]) -> Arguments:
    """Sort the arguments after the folder: a tokenizer, a device, settings, each at most once, in this order.

    ``settings`` are arguments by name, among which ``tokenizer``, ``device`` and ``config`` may be. GenerationError for
    a device that there is not, and for other arguments.
    """
    named = dict(settings)
    found: dict[str, Any] = {"tokenizer": None, "device": None, "config": None}
    kinds = {"tokenizer": Tokenizer, "device": str, "config": Mapping}
    order = list(kinds)
    for given in arguments:
        if given is None:
            continue
        name = next((name for name in order if isinstance(given, kinds[name])), None)
        if name is None:
            raise GenerationError(f"an argument is {given!r}, expected {' or '.join(_WORDS[name] for name in order)}")
        del order[: order.index(name) + 1]
        found[name] = given
    for name in kinds:
        if name in named:
            if found[name] is not None:
                raise GenerationError(f"{_WORDS[name]} is given twice")
            found[name] = named.pop(name)
            if found[name] is not None and not isinstance(found[name], kinds[name]):
                raise GenerationError(f"{name} is {found[name]!r}, expected {_WORDS[name]}")
    require_cpu(found["device"] or "CPU")
    return Arguments({**(found["config"] or {}), **named}, found["tokenizer"])


def require_cpu(device: str) -> None:
    """Raise GenerationError for a device other than the CPU."""
    try:
        require_device(device)
    except RuntimeError as error:
        raise GenerationError(str(error)) from None


_WORDS = {"tokenizer": "a Tokenizer", "device": "the name of a device", "config": "a table of settings"}

"""Names that can be imported but not used, since what they stand for is not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from irrun.openvino.importing.absent import ABSENT

Refused = Callable[..., NoReturn]
"""A function that raises."""


def refused_class(name: str, reason: str = "") -> type:
    """Return a class of which no object can be made: RuntimeError with the reason, by default that of its name."""
    refuse = refused_function(name, reason)

    def init(_self: Any, *_arguments: Any, **_named: Any) -> None:
        refuse()

    return type(name, (), {"__init__": init, "__doc__": refuse.__doc__})


def refused_function(name: str, reason: str = "") -> Refused:
    """Return a function that raises RuntimeError with the reason, by default that of its name."""
    what = f"irrun has no {name}: {reason or ABSENT[name]}"

    def refuse(*_arguments: Any, **_named: Any) -> NoReturn:
        raise RuntimeError(what)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raise RuntimeError: {what}."
    return refuse

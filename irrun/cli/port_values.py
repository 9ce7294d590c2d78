"""Values of inputs on the command line: ``PORT=1,2,3``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def port_value(text: str) -> tuple[str, tuple[float, ...]]:
    """Parse ``PORT=1,2,3``."""
    name, equals, elements = text.partition("=")
    try:
        if not equals or not name.strip():
            raise ValueError
        return name.strip(), tuple(_number(item) for item in elements.strip("[] ").split(",") if item.strip())
    except ValueError:
        raise click.BadParameter(f"{text!r} is not of the form PORT=1,2,3") from None


def values_option(help: str, name: str = "values") -> Callable[[Any], Any]:
    return click.option("--value", name, type=port_value, multiple=True, metavar="PORT=1,2,3", help=help)


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)

"""Decorators of options that several commands share."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import click

MOST: Final = (1 << 63) - 1
"""The limit on numbers of things."""

Command = TypeVar("Command", bound=Callable[..., Any])


class Decorator(Protocol):
    """A decorator that adds options to a command."""

    def __call__(self, command: Command, /) -> Command: ...


class Number(click.FloatRange):
    """A real number in a range, not NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


def count_option(
    *names: str, help: str, least: int = 1, most: int | None = None, default: int | None = None
) -> Decorator:
    """Return an option for a whole number ``N`` of at least ``least``."""
    type, is_shown = click.IntRange(min=least, max=most), default is not None
    return click.option(*names, type=type, metavar="N", default=default, show_default=is_shown, help=help)


def output_option(help: str, *, folders: bool = True, required: bool = False) -> Decorator:
    """Return the option ``--output``: a file, or a folder where ``folders`` are possible."""
    path = click.Path(dir_okay=folders, path_type=Path)
    return click.option("-o", "--output", type=path, required=required, help=help)


def together(*options: Callable[[Any], Any]) -> Decorator:
    """Return a decorator that adds several options, in the order of the help."""

    def decorated(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def as_record(name: str, record: Any, *options: Callable[[Any], Any]) -> Decorator:
    """Return a decorator that adds several options, whose values the command gets as one ``record``, a NamedTuple."""

    def decorated(command: Command) -> Any:
        @functools.wraps(command)
        def with_record(**given: Any) -> Any:
            fields = {field: given.pop(field) for field in record._fields}
            return command(**given, **{name: record(**fields)})

        return together(*options)(with_record)

    return decorated

"""What a command says besides its result: notes and details on stderr, as loud as ``-v`` and ``-q`` allow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_KEY = "irrun.verbosity"
_Command = TypeVar("_Command", bound=Callable[..., Any])


def verbosity(command: _Command) -> _Command:
    """Give a command the options ``-v`` and ``-q``."""
    quiet = click.option("-q", "--quiet", count=True, expose_value=False, callback=_quieter, help="Say less.")
    return click.option("-v", "--verbose", count=True, expose_value=False, callback=_louder, help="Say more.")(
        quiet(command)
    )


def text_or_json(command: _Command) -> _Command:
    """Give a command ``--format``, and ``--json`` for one of the formats; its parameter is ``output_format``."""
    name, formats = "output_format", click.Choice(["text", "json"])
    choice = click.option("--format", "--output-format", name, type=formats, default="text", show_default=True)
    return click.option(
        "--json", name, type=formats, flag_value="json", default="text", help="The same as --format json."
    )(choice(command))


def level() -> int:
    """How often ``-v`` was given, less how often ``-q``."""
    return int(click.get_current_context().meta.get(_KEY, 0))


def result(text: str) -> None:
    """What the command was asked for, on stdout."""
    click.echo(text)


def note(text: str) -> None:
    """What the user should know, on stderr; silenced by ``-q``."""
    if level() >= 0:
        click.echo(f"{click.style('note:', fg='cyan')} {text}", err=True)


def warn(text: str) -> None:
    """What may make the result other than expected, on stderr; silenced by ``-q``."""
    if level() >= 0:
        click.echo(f"{click.style('warning:', fg='yellow')} {text}", err=True)


def detail(text: str) -> None:
    """What only ``-v`` shows, on stderr."""
    if level() > 0:
        click.echo(text, err=True)


def _louder(ctx: click.Context, _parameter: click.Parameter, count: int) -> None:
    ctx.meta[_KEY] = ctx.meta.get(_KEY, 0) + count


def _quieter(ctx: click.Context, _parameter: click.Parameter, count: int) -> None:
    ctx.meta[_KEY] = ctx.meta.get(_KEY, 0) - count

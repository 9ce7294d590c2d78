"""The option ``--extension``: Python files with operations and rules of users."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from irrun.cli.options import Command

_KEY: Final = "irrun.extensions"


def extension_option(command: Command) -> Command:
    """Add the repeatable option ``--extension`` to a command; ``extensions`` returns the files."""
    return _option(_taken)(command)


def rules_option(command: Command) -> Command:
    """Add ``--extension`` to a command about rules; those of the files apply until the command ends."""
    return _option(_with_rules)(command)


def extensions() -> tuple[str, ...]:
    """Return the files of ``--extension``."""
    given: tuple[str, ...] = click.get_current_context().meta.get(_KEY, ())
    return given


def _taken(context: click.Context, _parameter: click.Parameter, files: tuple[Path, ...]) -> None:
    context.meta[_KEY] = tuple(str(path) for path in files)


def _with_rules(context: click.Context, parameter: click.Parameter, files: tuple[Path, ...]) -> None:
    from irrun.cli.failures import Failure
    from irrun.linter.rule import adding
    from irrun.ops.extending import ExtensionError

    _taken(context, parameter, files)
    try:
        context.with_resource(adding(files))
    except ExtensionError as error:
        raise Failure(str(error)) from None


def _option(callback: Callable[..., None]) -> Callable[[Command], Command]:
    return click.option(
        "--extension",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=callback,
        metavar="FILE.py",
        help="A Python file with your operations and rules, which is run; repeatable.",
    )

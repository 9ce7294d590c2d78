"""The option ``--extension``: Python files with operations and rules of users."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, cast

import click

from irrun.cli.options import Command

_KEY: Final = "irrun.extensions"


def extension_option(command: Command) -> Command:
    """Add the repeatable option ``--extension`` to a command; ``extensions`` returns the files."""
    return click.option(
        "--extension",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=_taken,
        metavar="FILE.py",
        help="A Python file with your operations and rules, which is executed; repeatable.",
    )(command)


def rules_option(command: Command) -> Command:
    """Add ``--extension`` to a command about rules, which runs with those of the files."""

    @functools.wraps(command)
    def with_rules(*given: Any, **named: Any) -> Any:
        with added_rules():
            return command(*given, **named)

    return extension_option(cast(Command, with_rules))


@contextmanager
def added_rules() -> Iterator[None]:
    """Add the rules of the files of ``--extension``, within the context; Failure for unusable ones."""
    from irrun.cli.failures import Failure
    from irrun.linter.rule import adding
    from irrun.ops.extending import ExtensionError

    with ExitStack() as stack:
        try:
            stack.enter_context(adding(extensions()))
        except ExtensionError as error:
            raise Failure(str(error)) from None
        yield


def extensions() -> tuple[str, ...]:
    """Return the files of ``--extension``; none outside of a command."""
    context = click.get_current_context(silent=True)
    given: tuple[str, ...] = () if context is None else context.meta.get(_KEY, ())
    return given


def _taken(context: click.Context, _parameter: click.Parameter, files: tuple[Path, ...]) -> None:
    context.meta[_KEY] = tuple(str(path) for path in files)

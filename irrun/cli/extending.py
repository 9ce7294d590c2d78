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
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=_taken,
        metavar="FILE.py",
        help="A Python file, or module, with your operations, rules and passes, which is executed; repeatable.",
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
    from irrun.ops.extending import all_additions
    from irrun.ops.importing import ExtensionError

    with ExitStack() as stack:
        try:
            stack.enter_context(adding(all_additions(extensions())))
        except ExtensionError as error:
            raise Failure(str(error)) from None
        yield


def extensions() -> tuple[str, ...]:
    """Return the files of ``--extension``; none outside of a command."""
    context = click.get_current_context(silent=True)
    given: tuple[str, ...] = () if context is None else context.meta.get(_KEY, ())
    return given


def _taken(context: click.Context, _parameter: click.Parameter, sources: tuple[str, ...]) -> None:
    from irrun.ops.importing import is_module_name

    for source in sources:
        if not is_module_name(source) and not Path(source).exists():
            raise click.BadParameter(f"File {source!r} does not exist.")
    context.meta[_KEY] = sources

"""The option ``--extension``: Python files with operations and rules of users."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, cast

import click

from irrun.cli.options import Command

_KEY: Final = "irrun.extensions"

TRUST: Final = "IRRUN_TRUST"
"""The environment variable that loads the extensions of the current project, as ``--trust`` does."""

_FILES: Final = ("irrun.toml", "pyproject.toml")


def extension_option(command: Command) -> Command:
    """Add ``--extension``, which is repeatable, and ``--trust`` to a command; ``extensions`` returns the sources."""
    given = click.option(
        "--extension",
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=_taken,
        metavar="FILE.py",
        help="A Python file, or module, with your operations, rules and passes, which is executed; repeatable.",
    )
    trusted = click.option(
        "--trust",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_trusted,
        help="Also execute the extensions that the configuration of the current folder names.",
    )
    return given(trusted(command))


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
    """Return the sources of ``--extension`` and ``--trust``; none outside of a command."""
    context = click.get_current_context(silent=True)
    given: tuple[str, ...] = () if context is None else context.meta.get(_KEY, ())
    return given


def _trusted(context: click.Context, _parameter: click.Parameter, given: bool) -> None:
    """Add the extensions of the current project; without trust, say that there are some."""
    given = given or os.environ.get(TRUST) == "1"
    if context.resilient_parsing or not (given or _may_name_extensions()):
        return
    from irrun.cli.console import note
    from irrun.cli.failures import Failure
    from irrun.ops.importing import at
    from irrun.settings import BadConfiguration, Projects
    from irrun.settings.resolving import short

    try:
        project = Projects().of(Path.cwd())
    except BadConfiguration as error:
        if given:
            raise Failure(str(error)) from None
        return
    if given:
        found = tuple(at(item, project.root) for item in project.extensions)
        context.meta[_KEY] = (*found, *context.meta.get(_KEY, ()))
    elif project.extensions:
        note(f"{short(project.file)} names extensions, which --trust or {TRUST}=1 loads")


def _may_name_extensions() -> bool:
    """Return whether the configuration of the current folder has the word, before all of it is read."""
    try:
        folder = Path.cwd()
        files = (parent / name for parent in (folder, *folder.parents) for name in _FILES)
        return any(path.is_file() and b"extensions" in path.read_bytes() for path in files)
    except OSError:
        return False


def _taken(context: click.Context, _parameter: click.Parameter, sources: tuple[str, ...]) -> None:
    from irrun.ops.importing import is_module_name

    for source in sources:
        if not is_module_name(source) and not Path(source).exists():
            raise click.BadParameter(f"File {source!r} does not exist.")
    context.meta[_KEY] = (*context.meta.get(_KEY, ()), *sources)

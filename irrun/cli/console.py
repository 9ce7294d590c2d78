"""Output of commands: results on stdout; notes and details on stderr, subject to ``-v`` and ``-q``."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from irrun.cli.options import Command
from irrun.cli.progress import erase
from irrun.diagnostics.foreign import TRACEBACK
from irrun.diagnostics.naming import naming

STDOUT: Final = "the standard output"

_KEY = "irrun.verbosity"
_QUIET = "Suppress notes and warnings; -qq suppresses results too."
_TRACEBACK = "irrun.traceback"


def verbosity(command: Command) -> Command:
    """Add the options ``-v``, ``-q`` and ``--traceback`` to a command."""
    quiet = click.option("-q", "--quiet", count=True, expose_value=False, callback=_quieter, help=_QUIET)
    loud = click.option("-v", "--verbose", count=True, expose_value=False, callback=_louder, help="Print more details.")
    where = "Show the traceback if an extension or irrun itself fails."
    return loud(
        quiet(click.option("--traceback", is_flag=True, expose_value=False, callback=_tracing, help=where)(command))
    )


def text_or_json(command: Command) -> Command:
    """Add ``--format`` and its shorthand ``--json`` to a command; the parameter is ``output_format``."""
    name, formats = "output_format", click.Choice(["text", "json"])
    choice = click.option("--format", "--output-format", name, type=formats, default="text", show_default=True)
    return click.option(
        "--json", name, type=formats, flag_value="json", default="text", help="The same as --format json."
    )(choice(command))


def level() -> int:
    """Return the number of ``-v`` options minus the number of ``-q`` options."""
    return int(click.get_current_context().meta.get(_KEY, 0))


def wants_traceback() -> bool:
    """Return whether ``--traceback`` is given."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_TRACEBACK, False))


def result(text: str) -> None:
    """Print the result of the command on stdout, unless ``-qq`` is given."""
    if level() > -2:
        with naming(STDOUT):
            _say(text, err=False)


def note(text: str) -> None:
    """Print information for the user on stderr, unless ``-q`` is given."""
    if level() >= 0:
        _say(f"{click.style('note:', fg='cyan')} {text}")


def warn(text: str) -> None:
    """Print a warning about a possibly unexpected result on stderr, unless ``-q`` is given."""
    if level() >= 0:
        _say(f"{click.style('warning:', fg='yellow')} {text}")


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Print Python's warnings of some code as those of the command."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", UserWarning)
        yield
    for item in found:
        warn(str(item.message))


def fail(text: str) -> None:
    """Print an error on stderr, after which the command goes on."""
    _say(f"{click.style('error:', fg='red', bold=True)} {text}")


def detail(text: str) -> None:
    """Print a detail on stderr where ``-v`` is given."""
    if level() > 0:
        _say(text)


def _say(text: str, *, err: bool = True) -> None:
    erase()
    click.echo(text, err=err)


def _tracing(ctx: click.Context, _parameter: click.Parameter, given: bool) -> None:
    ctx.meta[_TRACEBACK] = ctx.meta.get(_TRACEBACK, False) or given
    if given and TRACEBACK not in os.environ:
        os.environ[TRACEBACK] = "1"
        ctx.find_root().call_on_close(lambda: os.environ.pop(TRACEBACK, None))


def _louder(ctx: click.Context, _parameter: click.Parameter, count: int) -> None:
    ctx.meta[_KEY] = ctx.meta.get(_KEY, 0) + count


def _quieter(ctx: click.Context, _parameter: click.Parameter, count: int) -> None:
    ctx.meta[_KEY] = ctx.meta.get(_KEY, 0) - count

"""Turns failures into a message on stderr and an exit status, never into a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import click

from irrun.cli.console import STDOUT, wants_traceback
from irrun.diagnostics import Diagnostic, IRError, OpError
from irrun.diagnostics.naming import naming, of_system

if TYPE_CHECKING:
    from irrun.diagnostics.render import Source

CANNOT: Final = 2
OWN_FAULT: Final = 70
INTERRUPTED: Final = 130
CLOSED_PIPE: Final = 141
MOST_DIAGNOSTICS: Final = 10


class Failure(click.ClickException):
    """A request that cannot be carried out. The message is one line: subject, what is wrong, what was expected."""

    exit_code = CANNOT

    def show(self, file: IO[Any] | None = None) -> None:
        from irrun.diagnostics.render import plain

        message = "\n".join(map(plain, self.message.split("\n")))
        text = f"{click.style('error:', fg='red', bold=True)} {message}"
        click.echo(text, file=file, err=file is None, color=self.show_color)


class _OwnFault(Failure):
    """A fault of irrun itself."""

    exit_code = OWN_FAULT


class _Diagnosed(click.ClickException):
    """A failure explained by the diagnostics of a file."""

    exit_code = CANNOT

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(self.message, file=file, err=file is None, color=self.show_color)


@contextmanager
def reported() -> Iterator[None]:
    """Convert every exception that ends a command into a message and an exit status."""
    try:
        yield
        with naming(STDOUT):
            sys.stdout.flush()
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _drop_output()
        raise click.exceptions.Exit(CLOSED_PIPE) from None
    except IRError as error:
        raise _Diagnosed(diagnosed(error)) from None
    except OSError as error:
        if error.filename == STDOUT:
            _drop_output()
        raise Failure(_named(error)) from None
    except MemoryError as error:
        raise Failure(f"not enough memory: {error}" if str(error) else "not enough memory") from None
    except Exception as error:
        if isinstance(error, OpError) and error.of_extension:
            raise Failure(str(error)) from None
        ended = _ended(error)
        if isinstance(ended, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        if ended is not None:
            raise ended from None
        from irrun.diagnostics.internal import InternalError
        from irrun.diagnostics.requests import RequestError
        from irrun.model import InputError

        if isinstance(error, OpError | InputError | RequestError):
            raise Failure(str(error)) from None
        if wants_traceback():
            import traceback

            traceback.print_exc()
        fault = error if isinstance(error, InternalError) else InternalError(error)
        raise _OwnFault(f"{fault}{'' if wants_traceback() else ' (--traceback shows where)'}") from None


def _ended(error: BaseException | None) -> KeyboardInterrupt | SystemExit | None:
    """Return the end of the process that an error stands for, as where a signal arrives while a class is made."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            return error
        error = error.__cause__ or error.__context__
    return None


def _drop_output() -> None:
    """Let the interpreter discard what it could not print, instead of trying again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def diagnosed(error: IRError) -> str:
    """Format the diagnostics of an error for a terminal, each with its place where the file can be read."""
    from irrun.diagnostics.render import Finding, full

    source = _source(error.filename)
    shown = error.diagnostics[:MOST_DIAGNOSTICS]
    more = len(error.diagnostics) - len(shown)
    rest = f"\nand {more} more; irrun lint {error.filename} shows them all" if more else ""
    if source is None:
        return "\n".join(_without_place(item, error.filename) for item in shown) + rest
    return full([Finding(item, error.filename, source) for item in shown], colour=True) + rest


def _named(error: OSError) -> str:
    """Describe an error that ends a command; one without a file may be that of the current folder."""
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "the current folder no longer exists"
    return of_system(error)


def _source(filename: str) -> Source | None:
    from irrun.document import read
    from irrun.document.source_map import SourceMap

    if not filename:
        return None
    try:
        return read(Path(filename)).source_map
    except IRError:
        return SourceMap(Path(filename).read_bytes())
    except OSError:
        return None


def _without_place(item: Diagnostic, filename: str) -> str:
    where = f"{filename}: " if filename else ""
    layer = f'layer "{item.layer.name}" ({item.layer.type}): ' if item.layer is not None else ""
    return f"{where}{item.severity}: {layer}{item.message} [{item.code}]"

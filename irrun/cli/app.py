"""The group of all commands."""

from __future__ import annotations

import functools
import importlib
import os
import pkgutil
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import irrun.cli.commands as package
from irrun.cli.console import STDOUT, level, verbosity
from irrun.cli.failures import reported
from irrun.cli.progress import shown
from irrun.diagnostics.foreign import on_stderr
from irrun.diagnostics.naming import naming
from irrun.diagnostics.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


_NARROW: Final = 60
"""The width below which texts of options do not fit beside them."""


def _width() -> int | None:
    """Return the width of help on a narrow terminal; None for Click's choice, which is never narrow."""
    width = shutil.get_terminal_size().columns
    return width if width < _NARROW else None


class _Formatter(click.HelpFormatter):
    """Help whose options have their texts below them on a narrow terminal."""

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        if self.width >= _NARROW:
            super().write_dl(rows, col_max, col_spacing)
            return
        for term, text in rows:
            self.write(f"{'':{self.current_indent}}{term}\n")
            with self.indentation():
                self.write_text(text)


class _Context(click.Context):
    def make_formatter(self) -> click.HelpFormatter:
        return _Formatter(width=_width(), max_width=self.max_content_width)


class LazyGroup(click.Group):
    """A group whose commands are the modules of ``irrun.cli.commands``, imported on first use."""

    context_class: type[click.Context] = _Context

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return _names()

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _names():
            return None
        command: click.Command = importlib.import_module(f"{package.__name__}.{cmd_name}").command
        command.context_class = _Context
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _names() and not name.startswith("-"):
            raise click.UsageError(f'no command "{name}"{_suggestion(name)}', ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(name)) for name in _names()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names = [name for name in _names() if name.startswith(incomplete)]
        return [
            *(CompletionItem(name, help=_summary(name)) for name in names),
            *click.Command.shell_complete(self, ctx, incomplete),
        ]

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with reported(), naming(STDOUT):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with reported(), on_stderr():
            return super().invoke(ctx)


@functools.cache
def _names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def _summary(name: str) -> str:
    """Return the first line of a command's docstring without importing its module."""
    import ast

    source = Path(package.__path__[0], f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def _suggestion(name: str) -> str:
    from irrun.diagnostics import near_match

    if name.lower().endswith(".xml"):
        return f"; did you mean irrun run {name}?"
    return near_match(name, _names()) or f"; the commands are {', '.join(_names())}"


HELP = """An interpreter and linter for OpenVINO IR files.

\b
Examples:
  irrun run model.xml -i image=cat.npy
  irrun lint model.xml
  irrun COMMAND --help

Exit status: 0; 1 for findings and differences; 2 for a request that fails; 70 for a fault of irrun. NO_COLOR and
FORCE_COLOR turn colours off and on.
"""


@click.group(
    cls=LazyGroup,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="irrun", message="%(prog)s %(version)s")
@verbosity
@click.pass_context
def app(ctx: click.Context) -> None:
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    elif os.environ.get("FORCE_COLOR"):
        ctx.color = True
    elif os.environ.get("TERM") == "dumb":
        ctx.color = False


def run() -> int:
    """Run the command line; return the exit status. KeyboardInterrupt where the user interrupts it."""
    try:
        with shown(sys.stderr, lambda: level() < 0):
            return app.main(prog_name="irrun", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None

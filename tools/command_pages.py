"""The page of the commands: what each one prints with ``--help``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from irrun.cli.app import app

_WIDTH = 120


def page() -> str:
    """Return the page."""
    lines = ["# Commands", "", "`tools/generate.py` makes this page from the help of the commands.", ""]
    for path, command in _commands(app, ("irrun",)):
        context = click.Context(command, info_name=" ".join(path), max_content_width=_WIDTH, terminal_width=_WIDTH)
        lines += [f"## {' '.join(path)}", "", "```text", *_stripped(command.get_help(context)), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                yield from _commands(found, (*path, name))


def _stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]

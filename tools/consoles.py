"""Pages whose ``console`` blocks are run: each line that begins with ``$`` is a command, and its output follows.

The blocks of a page are one session, in a folder with a copy of ``examples/`` alone.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from click.testing import CliRunner

from irrun.cli.app import app

_FEWER: Final = re.compile(r" \| (head|tail) -n (\d+)$")
"""The end of a command of whose output only some lines are shown."""

_BLOCK: Final = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def pages(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield the pages that have console blocks, with the outputs of today."""
    for path in sorted((root / "README.md", *(root / "docs").rglob("*.md"))):
        text = path.read_text(encoding="utf-8")
        if _BLOCK.search(text):
            yield path, _run(text, root / "examples")


def _run(text: str, examples: Path) -> str:
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(examples, "examples", ignore=shutil.ignore_patterns("__pycache__"))
        return _BLOCK.sub(lambda block: f"```console\n{''.join(_lines(block[1]))}```", text)


def _lines(block: str) -> Iterator[str]:
    for command in re.findall(r"^\$ (.*)$", block, re.M):
        yield f"$ {command}\n"
        fewer = _FEWER.search(command)
        lines = _output(shlex.split(_FEWER.sub("", command))).splitlines()
        count = int(fewer[2]) if fewer is not None else len(lines)
        part = slice(-count, None) if fewer is not None and fewer[1] == "tail" else slice(count)
        yield from (f"{line}\n" for line in lines[part])


def _output(command: list[str]) -> str:
    """Return what a command prints: one of irrun, or ``cp``, which copies files."""
    program, *arguments = command
    if program == "cp":
        shutil.copy(*arguments)
        return ""
    if program != "irrun":
        raise ValueError(f"{program} is no command that pages may run, expected irrun or cp")
    return CliRunner().invoke(app, arguments, prog_name="irrun", env={"COLUMNS": "120"}).output

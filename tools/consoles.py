"""Pages whose ``console`` blocks are run: each line that begins with ``$`` is a command, and its output follows.

The blocks of a page are one session, in a folder with a copy of ``examples/`` alone. A block of another language is a
file of the session if the text before it ends with the name: `` `my_ops.py`: ``.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import runpy
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from unittest import mock

from click.testing import CliRunner

from irrun.cli.app import app
from irrun.linter.rule import forget
from irrun.openvino.nodes import records
from tests.page_files import BLOCK, NAME

_FEWER: Final = re.compile(r" \| (head|tail) -n (\d+)$")
"""The end of a command of whose output only some lines are shown."""

_COLUMNS: Final = {"COLUMNS": "120"}


def pages(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield the pages that have console blocks, with the outputs of today."""
    for path in sorted((root / "README.md", *(root / "docs").rglob("*.md"))):
        text = path.read_text(encoding="utf-8")
        if any(block[1] == "console" for block in BLOCK.finditer(text)):
            yield path, _run(text, root / "examples")


def _run(text: str, examples: Path) -> str:
    with TemporaryDirectory() as folder, _session(Path(folder)):
        shutil.copytree(examples, "examples", ignore=shutil.ignore_patterns("__pycache__"))
        return BLOCK.sub(_shown, text)


@contextlib.contextmanager
def _session(folder: Path) -> Iterator[None]:
    """Make a folder the current one, from which modules are imported; they are forgotten afterwards."""
    known = set(sys.modules)
    with contextlib.chdir(folder):
        sys.path.insert(0, str(folder.resolve()))
        try:
            yield
        finally:
            sys.path.remove(str(folder.resolve()))
            for name in set(sys.modules) - known:
                file = getattr(sys.modules[name], "__file__", None)
                if file is not None and Path(file).is_relative_to(folder.resolve()):
                    del sys.modules[name]
            forget()


def _shown(block: re.Match[str]) -> str:
    """Return a block as the page shows it; that of a file is written."""
    if block[1] == "console":
        return f"```console\n{''.join(_lines(block[2]))}```"
    name = NAME.search(block.string[: block.start()])
    if name is not None:
        Path(name[1]).write_text(block[2], encoding="utf-8")
    return block[0]


def _lines(block: str) -> Iterator[str]:
    for command in re.findall(r"^\$ (.*)$", block, re.M):
        yield f"$ {command}\n"
        fewer = _FEWER.search(command)
        lines = _output(shlex.split(_FEWER.sub("", command))).splitlines()
        count = int(fewer[2]) if fewer is not None else len(lines)
        part = slice(-count, None) if fewer is not None and fewer[1] == "tail" else slice(count)
        yield from (f"{line}\n" for line in lines[part])


def _output(command: list[str]) -> str:
    """Return what a command prints: one of irrun, a program in Python, ``cp`` or ``pip install -e .``.

    Variables of the environment may stand before it.
    """
    given = list(command)
    environment = dict(_COLUMNS)
    while "=" in given[0]:
        name, _, environment[name] = given.pop(0).partition("=")
    program, *arguments = given
    if program == "cp":
        shutil.copy(*arguments)
        return ""
    if program == "python":
        first = mock.patch.object(records, "_numbers", itertools.count())
        with first, contextlib.redirect_stdout(io.StringIO()) as said:
            runpy.run_path(arguments[0], run_name="__main__")
        return said.getvalue()
    if given == ["pip", "install", "-e", "."]:
        _install()
        return ""
    if program != "irrun":
        raise ValueError(f"{program} is no command that pages may run, expected irrun, python, cp or pip install -e .")
    return CliRunner().invoke(app, arguments, prog_name="irrun", env=environment).output


def _install() -> None:
    """Write the metadata of the package in the current folder beside it, from where Python imports it."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = Path(f"{project['name'].replace('-', '_')}-{project['version']}.dist-info")
    folder.mkdir()
    groups = project["entry-points"].items()
    lines = (
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in found.items()) for group, found in groups
    )
    (folder / "entry_points.txt").write_text("".join(lines), encoding="utf-8")
    (folder / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8")
    forget()

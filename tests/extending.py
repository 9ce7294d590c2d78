"""The page about extensions, executed: its files, programs and commands, with what they print.

``python -m tests.extending`` writes what they print, and the lines of the files, into the page.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import click.testing
import numpy as np

import irrun
from irrun.cli.app import app
from irrun.linter import rule
from irrun.openvino import opset13
from irrun.ops import available, extending
from tests.processes import ROOT

PAGE: Final = ROOT / "docs" / "extending.md"
_BLOCK: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CACHES: Final = (extending.installed, available._installed, rule._with_installed, rule._merged)

_PINNED: Final = {"IRRUN_TIER": "numpy", "COLUMNS": "120"}
"""Variables of the environment on which the output depends."""


class Block(NamedTuple):
    """A block of code: its language, its text, the file that the text before it names, and its section."""

    language: str
    text: str
    file: str
    section: str


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page."""
    found = []
    for match in _BLOCK.finditer(page):
        before = page[: match.start()]
        named = re.search(r"`([\w.]+)`:\n\n\Z", before)
        sections = re.findall(r"^## (.*)$", before, re.MULTILINE)
        found.append(Block(match[1], match[2], named[1] if named else "", sections[-1] if sections else ""))
    return found


def lines(text: str) -> int:
    """Return the number of lines that are not empty."""
    return len([line for line in text.splitlines() if line.strip()])


@contextlib.contextmanager
def prepared(folder: Path) -> Iterator[None]:
    """Make a folder the current one, with the files that the page names; what was imported from it is forgotten."""
    for name in ("model.xml", "model.bin"):
        shutil.copy(ROOT / "examples" / "extension" / name, folder)
    x = opset13.parameter([2, 3], np.float32, name="x")
    end = opset13.relu(opset13.relu(x, name="first"), name="second")
    irrun.save_model(irrun.Model([end.output(0)], [x], "relus"), folder / "relus.xml")
    np.save(folder / "x.npy", np.array([[-2, 0.2, 3], [1, -1, 0]], np.float32))
    (folder / "inputs").mkdir()
    for number in range(3):
        np.save(folder / "inputs" / f"{number}.npy", np.full((2, 3), number, np.float32))
    before, known, environment = Path.cwd(), set(sys.modules), dict(os.environ)
    os.chdir(folder)
    os.environ.update(_PINNED)
    sys.path.insert(0, str(folder))
    _forget()
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)
        sys.path.remove(str(folder))
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]
        irrun.unextend()
        _forget()


def _forget() -> None:
    for cache in _CACHES:
        cache.cache_clear()


def printed(page: str, scheduler: Any) -> Iterator[tuple[Block, str]]:
    """Yield each block that shows what was printed, with what is printed now; files are written on the way."""
    program = section = ""
    for block in blocks(page):
        if block.section != section:
            section, program = block.section, ""
            irrun.unextend()
            Path("irrun.toml").unlink(missing_ok=True)
        if block.file:
            Path(block.file).write_text(block.text)
            _more(block)
        if block.language == "python":
            program = block.text
            if block.file.startswith("test_"):
                _tested(program)
        elif block.text.startswith("$ "):
            yield block, "".join(f"$ {command}\n{_said(command)}" for command in _commands(block.text))
        elif not block.language:
            yield block, _output(program, scheduler)


def _more(block: Block) -> None:
    """Write what belongs to a file: what the page says to be a variation, and the metadata of a package."""
    if block.file == "shrink.py":
        Path("broken.py").write_text(re.sub(r"return \(np.*", "return data[:1]", block.text))
    if block.file == "pyproject.toml":
        project = tomllib.loads(block.text)["project"]
        folder = Path(f"{project['name'].replace('-', '_')}-{project['version']}.dist-info")
        folder.mkdir()
        points = project["entry-points"].items()
        text = "\n".join(f"[{group}]\n" + "\n".join(f"{a} = {b}" for a, b in found.items()) for group, found in points)
        (folder / "entry_points.txt").write_text(text)
        (folder / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
        _forget()


def _commands(text: str) -> list[str]:
    return [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]


def _said(command: str) -> str:
    done = click.testing.CliRunner().invoke(app, command.split()[1:], prog_name="irrun")
    text = done.output if done.output.endswith("\n") or not done.output else f"{done.output}\n"
    text = re.sub(r" in [\d.]+ s, [\d.,]+ inputs/s", " in 1.0 s, 3.0 inputs/s", text)
    return text.replace(f"{Path.cwd()}{os.sep}", "")


def _output(program: str, scheduler: Any) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(program, {"__name__": "__main__", "scheduler": scheduler})
    return said.getvalue()


def _tested(program: str) -> None:
    names: dict[str, Any] = {}
    exec(program, names)
    for name, test in names.items():
        if name.startswith("test_"):
            test()


def main() -> None:
    """Write the page again."""
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, prepared(Path(folder)):
        for block, said in printed(text, "local"):
            text = text.replace(f"```\n{block.text}```", f"```\n{said}```", 1)
    for block in blocks(text):
        if block.file:
            text = re.sub(rf"\| `{block.file}`: \d+ \|", f"| `{block.file}`: {lines(block.text)} |", text, count=1)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""The command of the page about commands does what the page says."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.cli.commands
import irrun.reporting
from irrun.cli import app
from irrun.model import load
from tests.cli.conftest import Run, one_line
from tests.nets import Net

PAGE = Path(__file__).resolve().parents[2] / "docs" / "anatomy-of-a-command.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## The smallest complete example")[2]


@pytest.fixture
def tests_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Callable[..., Any]]]:
    """The tests on the page by name, with the function and the command in place."""
    work, command, tests = re.findall(r"^```python\n(.*?)^```", SECTION, re.S | re.M)
    for package, source in ((irrun.reporting, work), (irrun.cli.commands, command)):
        folder = tmp_path / package.__name__
        folder.mkdir()
        (folder / "storage.py").write_text(source, encoding="utf-8")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    app._names.cache_clear()
    names = {"json": json, "np": np, "Net": Net, "Run": Run, "Path": Path, "load": load, "one_line": one_line}
    names["storage_by_type"] = import_module("irrun.reporting.storage").storage_by_type
    exec(tests, names)
    yield names
    app._names.cache_clear()
    for package in ("irrun.reporting", "irrun.cli.commands"):
        sys.modules.pop(f"{package}.storage", None)


def test_the_tests_of_the_page(
    tests_of_the_page: dict[str, Callable[..., Any]], run: Run, clamp: Path, tmp_path: Path
) -> None:
    tests_of_the_page["test_types_and_bytes"](run, tmp_path)
    tests_of_the_page["test_a_model_without_constants"](run, clamp)


@pytest.mark.usefixtures("tests_of_the_page")
def test_the_help_of_the_page(run: Run) -> None:
    assert "Show how many bytes constants take, by element type." in run("storage", "--help").stdout
    assert "did you mean storage?" in run("storag").stderr


def test_the_decorators_of_the_page_exist() -> None:
    from irrun.cli import compiling, console, extending, inputs, jobs, limits

    places = {"inputs": inputs, "limits": limits, "jobs": jobs}
    table = PAGE.read_text(encoding="utf-8").partition("| decorator |")[2].partition("\n\n")[0]
    for name in re.findall(r"^\| `([\w.]+)", table, re.M):
        room, _, attribute = name.rpartition(".")
        found = [places[room]] if room else [compiling, console, extending, inputs]
        assert any(hasattr(module, attribute) for module in found), name

"""Small IRs that the tests write, and a runner of the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click.testing
import numpy as np
import pytest

from irrun.cli.app import app
from tests.cli.linting import Write
from tests.cli.validating import validate
from tests.linter.models import NET
from tests.nets import Net

Run = Callable[..., click.testing.Result]
Npy = Callable[[str, Any], str]


def one_line(result: Any) -> str:
    """Return the single line on stderr of a run that failed and printed nothing else."""
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return str(result.stderr).rstrip("\n")


@pytest.fixture(autouse=True)
def _unpinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide variables of the machine: one that commands warn of, and the width of its terminal."""
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def run() -> Run:
    """Run ``irrun`` on arguments; the result has ``exit_code``, ``stdout`` and ``stderr``. JSON must fit its schema."""

    def run(*arguments: object) -> click.testing.Result:
        words = [str(item) for item in arguments]
        result = click.testing.CliRunner().invoke(app, words, prog_name="irrun")
        validate(words, result.stdout)
        return result

    return run


@pytest.fixture
def clamp(tmp_path: Path) -> Path:
    """image f32[?,3] -> Clamp to [0, 1] -> scores."""
    net = Net("clamp")
    image = net.parameter("image", "?,3", tensor="image:0")
    net.result(net.layer("Clamp", [image], name="clamped", tensor="scores", min=0, max=1))
    return net.save(tmp_path / "clamp.xml")


@pytest.fixture
def add(tmp_path: Path) -> Path:
    """a i64[2] + b i64[2] -> sum, and a clamped to [1, 2] -> small."""
    net = Net("add")
    a, b = (net.parameter(name, "2", "i64", f"{name}:0") for name in "ab")
    net.result(net.layer("Add", [a, b], name="sum"))
    net.result(net.layer("Clamp", [a], name="dir/small", min=1, max=2))
    return net.save(tmp_path / "add.xml")


@pytest.fixture
def npy(tmp_path: Path) -> Callable[[str, Any], str]:
    """Save an array under a name and return its path."""

    def save(name: str, array: Any) -> str:
        path = tmp_path / name
        np.save(path, np.asarray(array))
        return str(path)

    return save


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty project the current folder, without a CI system in the environment."""
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irrun.toml").write_text("")
    return tmp_path


@pytest.fixture
def write(folder: Path) -> Write:
    """Write a file of the project."""

    def write(name: str, text: str = NET) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return Path(name)

    return write

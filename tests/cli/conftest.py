"""Small IRs that the tests write, and a runner of the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click.testing
import numpy as np
import pytest

from irrun.cli.app import app
from tests.cli.linting import Write
from tests.linter.models import NET

_PRECISIONS = {"f32": "FP32", "f16": "FP16", "bf16": "BF16", "boolean": "BOOL", "string": "STRING", "f8e4m3": "F8E4M3"}

Run = Callable[..., click.testing.Result]
Npy = Callable[[str, Any], str]


def one_line(result: Any) -> str:
    """Return the single line on stderr of a run that failed and printed nothing else."""
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return str(result.stderr).rstrip("\n")


class Net:
    """Builds an IR layer by layer; methods return the output port, for use as an input of later layers."""

    def __init__(self, name: str = "net") -> None:
        self.name = name
        self.layers: list[str] = []
        self.edges: list[str] = []
        self.weights = b""

    def parameter(self, name: str, type: str, shape: str) -> tuple[int, int, str]:
        return self.layer("Parameter", {"element_type": type, "shape": shape}, name=name, type=type, tensor=f"{name}:0")

    def const(self, array: Any, type: str, name: str = "") -> tuple[int, int, str]:
        values = np.asarray(array)
        data = {
            "element_type": type,
            "shape": ",".join(map(str, values.shape)),
            "offset": str(len(self.weights)),
            "size": str(values.nbytes),
        }
        self.weights += values.tobytes()
        return self.layer("Const", data, name=name, type=type)

    def layer(
        self,
        kind: str,
        data: dict[str, str] | None = None,
        inputs: Sequence[tuple[int, int, str]] = (),
        *,
        name: str = "",
        type: str = "f32",
        version: str = "opset1",
        tensor: str = "",
        body: str = "",
    ) -> tuple[int, int, str]:
        id = len(self.layers)
        attributes = " ".join(f'{key}="{value}"' for key, value in (data or {}).items())
        ports = "".join(f'<port id="{index}" precision="{_precision(of)}"/>' for index, (_, _, of) in enumerate(inputs))
        names = f' names="{tensor}"' if tensor else ""
        output = f'<output><port id="{len(inputs)}" precision="{_precision(type)}"{names}/></output>'
        self.layers.append(
            f'<layer id="{id}" name="{name or f"{kind}_{id}"}" type="{kind}" version="{version}">'
            f"<data {attributes}/>{f'<input>{ports}</input>' if inputs else ''}{'' if kind == 'Result' else output}"
            f"{body}</layer>"
        )
        for index, (source, port, _) in enumerate(inputs):
            self.edges.append(f'<edge from-layer="{source}" from-port="{port}" to-layer="{id}" to-port="{index}"/>')
        return id, len(inputs), type

    def result(self, source: tuple[int, int, str], name: str = "") -> None:
        self.layer("Result", {}, [source], name=name)

    def text(self) -> str:
        layers, edges = "\n".join(self.layers), "\n".join(self.edges)
        inside = f"<layers>\n{layers}\n</layers>\n<edges>\n{edges}\n</edges>"
        return f'<net name="{self.name}" version="11">\n{inside}\n</net>\n'

    def write(self, path: Path) -> str:
        path.write_text(f'<?xml version="1.0"?>\n{self.text()}')
        path.with_suffix(".bin").write_bytes(self.weights)
        return str(path)


def _precision(type: str) -> str:
    return _PRECISIONS.get(type, type.upper())


@pytest.fixture(autouse=True)
def _unpinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide variables of the machine: one that commands warn of, and the width of its terminal."""
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def run() -> Run:
    """Run ``irrun`` on arguments; the result has ``exit_code``, ``stdout`` and ``stderr``."""
    return lambda *arguments: click.testing.CliRunner().invoke(
        app, [str(item) for item in arguments], prog_name="irrun"
    )


@pytest.fixture
def clamp(tmp_path: Path) -> str:
    """image f32[?,3] -> Clamp to [0, 1] -> scores."""
    net = Net("clamp")
    image = net.parameter("image", "f32", "?,3")
    net.result(net.layer("Clamp", {"min": "0", "max": "1"}, [image], name="clamped", tensor="scores"))
    return net.write(tmp_path / "clamp.xml")


@pytest.fixture
def add(tmp_path: Path) -> str:
    """a i64[2] + b i64[2] -> sum, and a clamped to [1, 2] -> small."""
    net = Net("add")
    a, b = net.parameter("a", "i64", "2"), net.parameter("b", "i64", "2")
    net.result(net.layer("Add", {}, [a, b], name="sum", type="i64"))
    net.result(net.layer("Clamp", {"min": "1", "max": "2"}, [a], name="dir/small", type="i64"))
    return net.write(tmp_path / "add.xml")


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

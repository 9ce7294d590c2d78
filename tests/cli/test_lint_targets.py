"""``irrun lint`` for a release of OpenVINO and for an inference precision."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.linter.models import NET, WEIGHED

GELU = NET.replace('type="Clamp" version="opset1"', 'type="Gelu" version="opset7"').replace(
    '<data min="0" max="6"/>', '<data approximation_mode="ERF"/>'
)
NEW = NET.replace('type="Clamp" version="opset1"', 'type="Identity" version="opset16"').replace(
    '<data min="0" max="6"/>', ""
)
OLD = NET.replace('version="11"', 'version="10"')

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file and its weights into a project in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irrun.toml").write_text("")

    def write(name: str, text: str, weights: bytes | None = None) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        if weights is not None:
            (tmp_path / name).with_suffix(".bin").write_bytes(weights)
        return Path(name)

    return write


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        (OLD, "2020.1", None),
        (OLD, "2023.3", None),
        (NET, "2021.4", "IR version 11 can be read from OpenVINO 2022.1 on, the target is 2021.4"),
        (GELU, "2023.3", None),
        (NEW, "2023.3", "Identity of opset16 is in OpenVINO from 2025.0 on, the target is 2023.3"),
        (NEW, "2025.0", None),
    ],
)
def test_a_target_version(run: Run, write: Write, text: str, target: str, message: str | None) -> None:
    path = write("a.xml", text)
    result = run("lint", path, "--target-version", target, "--output-format", "json")
    found = [(item["code"], item["message"]) for item in json.loads(result.stdout)]
    assert (result.exit_code, found) == ((0, []) if message is None else (1, [("IR701", message)]))


def test_a_target_version_of_the_project(run: Run, write: Write, tmp_path: Path) -> None:
    path = write("a.xml", NEW)
    (tmp_path / "irrun.toml").write_text('target-version = "2023.3"')
    assert run("lint", path).exit_code == 1
    assert run("lint", path, "--target-version", "2025.0").exit_code == 0


@pytest.mark.parametrize(("text", "release"), [(OLD, "2020.1"), (NET, "2022.1"), (GELU, "2022.1"), (NEW, "2025.0")])
def test_the_first_release_that_reads_a_file(run: Run, write: Write, text: str, release: str) -> None:
    path = write("a.xml", text)
    assert run("lint", path, "--statistics").stdout.splitlines()[-1] == f"needs OpenVINO {release} or later"
    assert json.loads(run("info", path, "--output-format", "json").stdout)["openvino"] == release


def test_the_newest_file_counts(run: Run, write: Write) -> None:
    write("a.xml", NEW)
    write("b.xml", OLD)
    assert run("lint", ".", "--statistics").stdout.splitlines()[-1] == "needs OpenVINO 2025.0 or later"


def test_a_target_precision(run: Run, write: Write, tmp_path: Path) -> None:
    path = write("a.xml", WEIGHED, struct.pack("<ff", 70000.0, 1.0))
    assert run("lint", path).exit_code == 0
    result = run("lint", path, "--target-precision", "f16", "--output-format", "concise")
    assert result.exit_code == 1
    assert result.stdout == (
        'a.xml:4:9: warning: Const 0 "weights": 70000 is the largest magnitude, f16 ends at 65504 [IR604]\n'
    )
    (tmp_path / "irrun.toml").write_text('target-precision = "f16"')
    assert run("lint", path).exit_code == 1
    write("a.xml", WEIGHED, struct.pack("<ff", 65504.0, 1.0))
    assert run("lint", path).exit_code == 0


def test_no_target_precision(run: Run, write: Write) -> None:
    result = run("lint", write("a.xml", NET), "--target-precision", "f8")
    assert result.exit_code == 2
    assert "'f8' is not 'f16'" in result.stderr

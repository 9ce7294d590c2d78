"""irrun lint: exit statuses, formats, and values for bare layers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.linter.models import CLAMP, NET, TILE

KEYS = {
    "code",
    "name",
    "severity",
    "message",
    "filename",
    "location",
    "end_location",
    "layer",
    "port",
    "declared",
    "inferred",
    "notes",
    "fix",
    "url",
}


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.xml"
    path.write_text(NET)
    return path


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.xml"
    path.write_text(NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1))
    return path


def test_clean(run: Run, sound: Path) -> None:
    done = run("lint", sound)
    assert (done.exit_code, done.stdout) == (0, "")
    done = run("lint", sound, "--output-format", "json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, [])


@pytest.mark.parametrize("spelling", [["--json"], ["--format", "json"], ["--output-format", "json"]])
def test_every_way_to_ask_for_json(run: Run, wrong: Path, spelling: list[str]) -> None:
    assert [item["code"] for item in json.loads(run("lint", wrong, *spelling).stdout)] == ["IR401"]


def test_concise(run: Run, wrong: Path) -> None:
    done = run("lint", wrong, "--output-format", "concise")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == (
        f'{wrong}:6:68: error: Parameter 0 "x": output port 0 is declared [2,4], inferred [2,3] [IR401]'
    )


def test_full(run: Run, wrong: Path) -> None:
    done = run("lint", wrong)
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0].endswith("output port 0 is declared [2,4], inferred [2,3] [IR401]")
    assert lines[2].startswith("6 |             <output><port id")
    assert lines[3].index("^") == lines[2].index("<dim>4") + len("<dim>")
    assert lines[3].count("^") == 1


def test_json(run: Run, wrong: Path) -> None:
    done = run("lint", wrong, "--output-format", "json")
    assert done.exit_code == 1
    (finding,) = json.loads(done.stdout)
    assert set(finding) == KEYS
    assert finding["location"] == {"row": 6, "column": 68}
    assert finding["layer"] == {"id": "0", "name": "x", "type": "Parameter", "version": "opset1"}


def test_several_files(run: Run, sound: Path, wrong: Path) -> None:
    done = run("lint", sound, wrong, wrong, "--output-format", "json")
    assert done.exit_code == 1
    assert [item["filename"] for item in json.loads(done.stdout)] in ([str(wrong)], [str(wrong)] * 2)


@pytest.mark.parametrize("name", ["absent.xml", "sound.xml/inside.xml"])
def test_a_file_that_cannot_be_opened(name: str, run: Run, sound: Path, wrong: Path) -> None:
    done = run("lint", sound.parent / name, wrong, "--output-format", "json")
    assert done.exit_code == 2
    assert Path(name).name in done.stderr
    assert [item["code"] for item in json.loads(done.stdout)] in (["IR401"], [])


def test_weights_that_cannot_be_opened(run: Run, sound: Path) -> None:
    done = run("lint", sound, "--weights", sound.parent / "absent.bin")
    assert done.exit_code == 2
    assert "absent.bin" in done.stderr


def test_values(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tile.xml"
    path.write_text(TILE)
    assert run("lint", path).exit_code == 0
    assert run("lint", path, "--value", "1=2,1").exit_code == 0
    assert run("lint", path, "--value", "repeats=2,2").exit_code == 1
    assert run("lint", path, "--value", "tile.repeats=[2, 1]").exit_code == 0
    done = run("lint", path, "--value", "3=1")
    assert done.exit_code == 2
    assert "no port 3 takes a value" in done.stderr


@pytest.mark.parametrize("value", ["1", "=1,2", "1=one"])
def test_a_value_that_cannot_be_read(value: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "clamp.xml"
    path.write_text(CLAMP)
    done = run("lint", path, "--value", value)
    assert done.exit_code == 2
    assert "is not of the form PORT=1,2,3" in done.stderr


def test_what_a_terminal_would_obey_is_not_printed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "clamp.xml"
    path.write_text(
        CLAMP.replace('name="clip"', 'name="&#10;x" zzz="\u202e"').replace("<dim>2</dim>", "<dim>5</dim>", 1)
    )
    done = run("lint", path)
    assert done.exit_code == 1
    assert "\u202e" not in done.stdout
    assert 'Clamp 1 "\ufffdx"' in done.stdout

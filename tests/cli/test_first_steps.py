"""What new users type: completion, patterns that match nothing, settings that are misspelt, photos."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from irrun.cli.app import app
from tests.cli.conftest import Run, one_line
from tests.cli.linting import Write


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        (["rule"], "wrong-in", {"wrong-input-dims", "wrong-input-type"}),
        (["rule"], "wrong-out", {"wrong-output-dims"}),
        (["rule", "--extension", "none.py"], "IR401", {"IR401"}),
        ([], "ru", {"rule", "run"}),
    ],
)
def test_completion(words: list[str], incomplete: str, expected: set[str]) -> None:
    found = ShellComplete(app, {}, "irrun", "_IRRUN_COMPLETE").get_completions(words, incomplete)
    assert {item.value for item in found} == expected


def test_a_pattern_that_matches_nothing_stops_nothing(run: Run, write: Write) -> None:
    path = write("models/net.xml")
    result = run("lint", path.parent, "examples/**/*.xml")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "error: no file matches examples/**/*.xml",
        "1 file checked, 2 output ports verified: all is well",
    ]
    assert one_line(run("lint", "examples/**/*.xml")) == "error: no file matches examples/**/*.xml"


def test_a_misspelt_table(run: Run, write: Write, folder: Path) -> None:
    path = write("net.xml")
    (folder / "irrun.toml").unlink()
    (folder / "pyproject.toml").write_text("[tool.irun]\nfail-level = 'info'\n[tool.irus]\nx = 1\n")
    said = f"error: {folder / 'pyproject.toml'}: tool.irun is not known; did you mean tool.irrun?"
    assert one_line(run("lint", path)) == said
    assert one_line(run("run", path, "--random")) == said
    (folder / "pyproject.toml").write_text("[tool.irus]\nx = 1\n[tool.run]\ncommand = 'x'\n")
    assert run("lint", path).exit_code == 0


def test_a_release_that_never_was(run: Run, write: Write) -> None:
    result = run("lint", write("net.xml"), "--target-version", "2023.9.9")
    assert result.exit_code == 2
    assert "'2023.9.9' is not a release of OpenVINO, expected 2023.0 to 2023.3" in " ".join(result.stderr.split())

"""``irrun lint --fix``, ``--unsafe-fixes`` and ``--diff``: files, output, exit statuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click.testing
import pytest

from irrun.cli.app import app
from tests.cli.conftest import Run
from tests.linter.models import CONST, NET

DIMS = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1)
MISSPELT = NET.replace('min="0"', 'mim="0"')
BOTH = DIMS.replace('min="0"', 'mim="0"')
DIFF = """\
--- a.xml
+++ a.xml
@@ -3,7 +3,7 @@
     <layers>
         <layer id="0" name="x" type="Parameter" version="opset1">
             <data shape="2,3" element_type="f32"/>
-            <output><port id="0" precision="FP32"><dim>2</dim><dim>4</dim></port></output>
+            <output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output>
         </layer>
         <layer id="1" name="clip" type="Clamp" version="opset1">
             <data min="0" max="6"/>
"""

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file of a project in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irrun.toml").write_text("")

    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return Path(name)

    return write


def test_fix_changes_the_file(write: Write, run: Run) -> None:
    path = write("a.xml", DIMS)
    result = run("lint", "a.xml", "--fix")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 file checked, 2 output ports verified: all is well, 1 fixed\n"
    assert path.read_text() == NET


def test_what_is_left_is_reported_as_it_stands_after_the_fixes(write: Write, run: Run) -> None:
    path = write("a.xml", BOTH)
    result = run("lint", "a.xml", "--fix", "--output-format", "concise")
    assert result.exit_code == 1
    assert result.stdout == 'a.xml:9:19: error: Clamp 1 "clip": Clamp has no attribute mim; did you mean min? [IR302]\n'
    assert path.read_text() == MISSPELT


def test_unsafe_fixes(write: Write, run: Run) -> None:
    path = write("a.xml", BOTH)
    result = run("lint", "a.xml", "--fix", "--unsafe-fixes")
    assert (result.exit_code, path.read_text()) == (0, NET)
    assert "2 fixed" in result.stderr


def test_diff_writes_nothing(write: Write, run: Run) -> None:
    path = write("a.xml", DIMS)
    for arguments in (["--diff"], ["--diff", "--fix"]):
        result = run("lint", "a.xml", *arguments)
        assert (result.exit_code, result.stdout) == (1, DIFF)
        assert result.stderr == "1 finding would be fixed in 1 file\n"
    assert run("lint", "a.xml", "--diff", "--exit-zero").exit_code == 0
    assert path.read_text() == DIMS


def test_diff_of_a_sound_file(write: Write, run: Run) -> None:
    write("a.xml", NET)
    result = run("lint", "a.xml", "--diff", "--unsafe-fixes")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "nothing would be fixed\n")


def test_only_what_is_selected_is_fixed(write: Write, run: Run) -> None:
    path = write("a.xml", BOTH)
    assert run("lint", "a.xml", "--fix", "--unsafe-fixes", "--select", "IR3").exit_code == 0
    assert path.read_text() == DIMS


def test_what_a_comment_suppresses_is_not_fixed(write: Write, run: Run) -> None:
    text = DIMS.replace("<layers>", "<layers><!-- irrun: ignore-file[IR401] as exported -->")
    path = write("a.xml", text)
    assert run("lint", "a.xml", "--fix").exit_code == 0
    assert path.read_text() == text


def test_weights_are_never_touched(write: Write, run: Run) -> None:
    path = write("a.xml", CONST.replace('precision="FP32"', 'precision="FP16"', 1))
    weights = path.with_suffix(".bin")
    weights.write_bytes(bytes(range(8)))
    before = weights.stat()
    assert run("lint", "a.xml", "--fix").exit_code == 0
    assert path.read_text() == CONST
    assert (weights.read_bytes(), weights.stat().st_mtime_ns) == (bytes(range(8)), before.st_mtime_ns)


@pytest.mark.rest
def test_a_folder_in_two_processes(write: Write, run: Run) -> None:
    paths = [write(f"{name}.xml", text) for name, text in (("a", DIMS), ("b", NET), ("c", DIMS))]
    result = run("lint", ".", "--fix", "--jobs", "2")
    assert result.exit_code == 0
    assert [path.read_text() for path in paths] == [NET] * 3
    assert "3 files checked" in result.stderr
    assert "2 fixed" in result.stderr


def test_a_file_that_cannot_be_written(write: Write, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.xml", DIMS)

    def refused(_: str, target: Path) -> None:
        raise PermissionError(13, "Permission denied", str(target))

    monkeypatch.setattr("os.replace", refused)
    result = run("lint", "a.xml", "--fix")
    assert result.exit_code == 2
    assert "Permission denied" in result.stderr
    assert path.read_text() == DIMS


def test_the_standard_input() -> None:
    runner = click.testing.CliRunner()
    arguments = ["lint", "-", "--isolated", "--stdin-filename", "a.xml"]
    shown = runner.invoke(app, [*arguments, "--diff"], input=DIMS.encode())
    assert (shown.exit_code, shown.stdout) == (1, DIFF)
    refused = runner.invoke(app, [*arguments, "--fix"], input=DIMS.encode())
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--diff shows what would change" in refused.stderr


def test_unsafe_fixes_alone_are_refused(write: Write, run: Run) -> None:
    write("a.xml", DIMS)
    result = run("lint", "a.xml", "--unsafe-fixes")
    assert result.exit_code == 2
    assert "--unsafe-fixes requires --fix or --diff" in result.stderr


def test_what_the_baseline_knows_is_left_as_it_is(write: Write, run: Run) -> None:
    path = write("a.xml", DIMS)
    assert run("lint", "a.xml", "--write-baseline", "known.json").exit_code == 0
    result = run("lint", "a.xml", "--baseline", "known.json", "--fix")
    assert (result.exit_code, path.read_text()) == (0, DIMS)
    assert result.stderr == "1 file checked, 1 output port verified: no findings, 1 in the baseline\n"
    write("a.xml", DIMS.replace('id="1" precision="FP32"', 'id="1" precision="FP16"'))
    result = run("lint", "a.xml", "--baseline", "known.json", "--fix")
    assert (result.exit_code, path.read_text()) == (0, DIMS)
    assert result.stderr == "1 file checked, 1 output port verified: no findings, 1 in the baseline, 1 fixed\n"
    assert run("lint", "a.xml", "--baseline", "known.json", "--diff").stdout == ""


def test_a_file_in_utf_16(run: Run, tmp_path: Path) -> None:
    for name, encoding in (("wide", "utf-16"), ("plain", "utf-8")):
        (tmp_path / f"{name}.xml").write_text(DIMS, encoding=encoding)
        assert run("lint", tmp_path / f"{name}.xml", "--fix").exit_code == 0
    fixed = (tmp_path / "wide.xml").read_text(encoding="utf-16")
    assert fixed == (tmp_path / "plain.xml").read_text(encoding="utf-8") == NET

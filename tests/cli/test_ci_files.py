"""The files for CI systems in the repository: the pre-commit hook and the action."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.linter.models import NET
from tests.processes import ROOT, done, environment

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed; it comes with pre-commit")

WRONG = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1)

FINDING = 'Parameter 0 "x": output port 0 is declared [2,4], inferred [2,3] [IR401]'


def ran(command: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return done(*command, cwd=folder, env=environment(**variables))


def hook(id: str = "irrun-lint") -> dict[str, Any]:
    found = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return dict(next(item for item in found if item["id"] == id))


def use(folder: Path, id: str) -> None:
    """Configure a hook, in the environment of the tests: building its own would need a package registry."""
    local = {**hook(id), "language": "system", "entry": f"{sys.executable} -m {hook(id)['entry']}"}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": [local]}]}))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git repository with an IR, an IR with wrong dims, and XML of another kind, all of them staged."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "good.xml").write_text(NET)
    (folder / "wrong.xml").write_text(WRONG)
    (folder / "other.xml").write_text("<svg/>\n")
    use(folder, "irrun-lint")
    for command in (["git", "init", "-q"], ["git", "add", "."]):
        assert ran(command, folder).returncode == 0
    return folder


def pre_commit(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return ran(command, project, PRE_COMMIT_HOME=str(project.parent / "cache"), PRE_COMMIT_COLOR="never")


def test_the_hook_is_well_formed(project: Path) -> None:
    ended = pre_commit(project, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))
    assert (ended.returncode, ended.stdout) == (0, "")


def test_the_hook_fails_where_something_is_found(project: Path) -> None:
    ended = pre_commit(project, "run", "--all-files")
    assert ended.returncode == 1, ended.stderr
    assert "irrun lint" in ended.stdout
    assert "- exit code: 1" in ended.stdout
    assert (
        'wrong.xml:6:68: error: Parameter 0 "x": output port 0 is declared [2,4], inferred [2,3] [IR401]'
        in ended.stdout
    )
    assert "2 files checked, 3 output ports verified: 1 finding" in ended.stdout
    assert "other.xml" not in ended.stdout


@pytest.mark.rest
def test_the_hook_passes_where_nothing_is_found(project: Path) -> None:
    for files in (["good.xml"], ["other.xml"], ["good.xml", "other.xml"]):
        ended = pre_commit(project, "run", "--files", *files)
        assert (ended.returncode, ended.stdout.endswith("Passed\n")) == (0, True)


@pytest.mark.rest
def test_a_changed_weights_file_stands_for_its_model(project: Path) -> None:
    (project / "wrong.bin").write_bytes(b"")
    (project / "alone.bin").write_bytes(b"")
    assert ran(["git", "add", "."], project).returncode == 0
    ended = pre_commit(project, "run", "--files", "wrong.bin", "alone.bin")
    assert ended.returncode == 1
    assert "wrong.xml:6:68: error: " in ended.stdout
    assert pre_commit(project, "run", "--files", "alone.bin").returncode == 0


@pytest.mark.rest
def test_the_other_hook_fixes(project: Path) -> None:
    use(project, "irrun-fix")
    assert ran(["git", "add", "."], project).returncode == 0
    ended = pre_commit(project, "run", "--all-files")
    assert ended.returncode == 1
    assert "files were modified by this hook" in ended.stdout
    assert (project / "wrong.xml").read_text() == NET
    assert ran(["git", "add", "."], project).returncode == 0
    assert pre_commit(project, "run", "--all-files").returncode == 0


def action() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8")))


def test_the_action_hands_its_inputs_on_as_variables() -> None:
    """Inputs of a user must not be pasted into the script, where they would be executed."""
    steps = action()["runs"]["steps"]
    assert [step.get("name") for step in steps] == [None, "Install irrun", "Check IR files"]
    assert not [step for step in steps if "${{" in step.get("run", "")]
    assert steps[2]["env"] == {
        "FILES": "${{ inputs.files }}",
        "ARGS": "${{ inputs.args }}",
        "OUTPUT_FORMAT": "${{ inputs.output-format }}",
    }
    assert {name: item["default"] for name, item in action()["inputs"].items()} == {
        "files": ".",
        "args": "",
        "output-format": "github",
        "python-version": "3.12",
    }


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("files", "arguments", "status", "lines"),
    [
        (".", "", 1, 1),
        ("good.xml\n", "", 0, 0),
        ("a folder\n\ngood.xml", "--fail-level error", 1, 1),
        ("*.xml\n", "--ignore IR4", 0, 0),
        ("$(touch hacked)", "", 2, 1),
        ("good.xml", "; touch hacked", 2, 3),
    ],
)
def test_the_action_checks_files(tmp_path: Path, files: str, arguments: str, status: int, lines: int) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "good.xml").write_text(NET)
    (tmp_path / "a folder" / "wrong.xml").write_text(WRONG)
    script = action()["runs"]["steps"][2]["run"]
    ended = ran(
        ["bash", "-e", "-o", "pipefail", "-c", script.replace("python -m", f'"{sys.executable}" -m')],
        tmp_path,
        FILES=files,
        ARGS=arguments,
        OUTPUT_FORMAT="github",
        GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"),
        GITHUB_WORKSPACE=str(tmp_path),
    )
    assert (ended.returncode, len(ended.stdout.splitlines())) == (status, lines), ended.stderr
    assert not (tmp_path / "hacked").exists()
    if status == 1:
        assert ended.stdout.startswith("::error title=irrun IR401 wrong-output-dims,file=a folder/wrong.xml,line=6,")
    if status == 2:
        assert ended.stdout.splitlines()[0].endswith(": No such file or directory")
        assert "could not be checked." in (tmp_path / "summary.md").read_text()

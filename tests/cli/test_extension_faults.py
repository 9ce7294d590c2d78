"""Faults inside extensions: one line that names the extension, the file and the line, and nothing else is lost."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.ops.faulty_extensions import IMPORTS, INFERS, RULES, RUNS, Faulty, operation_text, rule_text
from tests.processes import python

EXAMPLE = Path(__file__).parents[2] / "examples" / "extension"
MODEL = EXAMPLE / "model.xml"


@pytest.fixture
def extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for index in range(2):
        (tmp_path / "in").mkdir(exist_ok=True)
        np.save(tmp_path / "in" / f"{index}.npy", np.ones((2, 3), np.float32))
    return Path("ext.py")


@pytest.mark.sample(6)
@pytest.mark.parametrize("fault", RUNS, ids=lambda fault: fault.name)
def test_of_run(run: Run, extension: Path, fault: Faulty) -> None:
    extension.write_text(fault.text)
    said = f"SoftShrink.run {fault.message} [IR805]"
    ran = run("run", MODEL, "--random", "--extension", extension)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.splitlines()[0] == f'{MODEL}:13:37: error: SoftShrink 1 "SoftShrink_1": {said}'
    layer = 'layer "SoftShrink_1" (SoftShrink)'
    compared = run("compare", MODEL, MODEL, "--extension", extension)
    assert (compared.exit_code, compared.stdout, compared.stderr) == (2, "", f"error: {layer}: {said}\n")
    many = run("run", MODEL, "--batch", "in", "-o", "out", "--extension", extension)
    assert (many.exit_code, many.stdout) == (2, "0 inputs done, 2 failed\n")
    failed = [f"error: {Path('in', f'{index}.npy')}: {layer}: {said}" for index in range(2)]
    assert sorted(many.stderr.splitlines()[:2]) == failed
    assert run("lint", MODEL, "--extension", extension).exit_code == 0


@pytest.mark.sample(3)
@pytest.mark.parametrize("fault", INFERS, ids=lambda fault: fault.name)
def test_of_infer(run: Run, extension: Path, fault: Faulty) -> None:
    extension.write_text(fault.text)
    for command in (["run", MODEL, "--random"], ["run", MODEL, "--batch", "in", "-o", "out"]):
        ran = run(*command, "--extension", extension)
        assert (ran.exit_code, ran.stdout) == (2, "")
        assert f'error: SoftShrink 1 "SoftShrink_1": SoftShrink.{fault.message} [IR805]' in ran.stderr
        assert "irrun itself" not in ran.stderr
    linted = run("lint", MODEL, EXAMPLE.parent / "wrong_dims.xml", "--extension", extension, "-q")
    assert (linted.exit_code, linted.stderr) == (2, f"error: {MODEL}: SoftShrink.{fault.message}\n")
    assert "wrong_dims.xml:" in linted.stdout
    compared = run("compare", MODEL, MODEL, "--extension", extension)
    assert compared.exit_code == 2
    assert compared.stderr.endswith(f"SoftShrink.{fault.message} [IR805]\n")


@pytest.mark.sample(2)
@pytest.mark.parametrize("fault", IMPORTS, ids=lambda fault: fault.name)
def test_of_import(run: Run, extension: Path, fault: Faulty) -> None:
    extension.write_text(fault.text)
    commands = (["run", MODEL, "--random"], ["lint", MODEL], ["compare", MODEL, MODEL], ["ops"], ["info", MODEL])
    for command in commands:
        done = run(*command, "--extension", extension)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.replace(f"{extension.absolute()}", "ext.py") == f"error: {fault.message}\n"


@pytest.mark.sample(3)
@pytest.mark.parametrize("fault", RULES, ids=lambda fault: fault.name)
def test_of_check(run: Run, extension: Path, fault: Faulty) -> None:
    extension.write_text(fault.text)
    linted = run("lint", MODEL, EXAMPLE.parent / "wrong_dims.xml", "--extension", extension, "-q")
    assert linted.exit_code == 2
    for line, name in zip(linted.stderr.splitlines(), (MODEL, EXAMPLE.parent / "wrong_dims.xml"), strict=True):
        assert line == f"error: {name}: the rule MY201 {fault.message}"
    assert "[IR4" in linted.stdout


def test_fixes_that_fail_leave_the_findings(run: Run, extension: Path) -> None:
    fix = "\n    def fix(self, found, context):\n        return {}['fix']\n"
    extension.write_text(rule_text("yield self.report(context.document.net, 'found')") + fix)
    linted = run("lint", MODEL, "--extension", extension, "-q", "--output-format", "concise")
    assert linted.exit_code == 2
    assert linted.stdout == f"{MODEL}:2:1: warning: found [MY201]\n"
    assert linted.stderr == f"error: {MODEL}: the fix of MY201 fails at ext.py:17: KeyError: 'fix'\n"


def test_reports_of_all_formats_tell(run: Run, extension: Path) -> None:
    extension.write_text(rule_text("raise ValueError('no luck')"))
    report = json.loads(run("lint", MODEL, "--extension", extension, "--output-format", "sarif").stdout)
    (told,) = report["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].endswith("the rule MY201 fails at ext.py:14: ValueError: no luck")


def test_it_cannot_be_switched_off(run: Run, extension: Path) -> None:
    extension.write_text(INFERS[0].text)
    for options in (["--select", "IR401"], ["--ignore", "IR8"]):
        linted = run("lint", MODEL, "--extension", extension, *options)
        assert (linted.exit_code, INFERS[0].message in linted.stderr) == (2, True)


def test_traceback(run: Run, extension: Path) -> None:
    extension.write_text(RUNS[0].text)
    ran = run("run", MODEL, "--random", "--extension", extension, "--traceback")
    assert 'ext.py", line 17, in run' in ran.stderr
    assert "Traceback" not in run("run", MODEL, "--random", "--extension", extension).stderr


def test_what_it_prints_goes_to_stderr(run: Run, extension: Path) -> None:
    text = RUNS[0].text.replace("return 1 / 0", "print('run'); return data * 1")
    extension.write_text(f"print('import')\n{text}".replace("return data.shape", "print('infer'); return data.shape"))
    ran = run("run", MODEL, "--random", "--json", "--extension", extension)
    assert ran.exit_code == 0
    assert [item["name"] for item in json.loads(ran.stdout)["outputs"]] == ["ReLU_2"]
    assert {"import", "infer", "run"} <= set(ran.stderr.split())


@pytest.mark.rest
def test_a_worker_that_hangs_is_ended(extension: Path) -> None:
    np.save(Path("in", "0.npy"), np.zeros((2, 3), np.float32))
    extension.write_text(
        operation_text(run="\n        while data[0, 0] == 0:\n            pass\n        return data * 1")
    )
    options = ["--batch", "in", "-o", "out", "--jobs", "2", "--timeout", "1", "--extension", str(extension)]
    done = python("-m", "irrun", "run", MODEL, *options)
    assert (done.returncode, done.stdout.startswith("1 input done in ")) == (2, True)
    what = "the process was ended: it took longer than the limit on the seconds of an inference"
    assert f"error: {Path('in', '0.npy')}: {what}\n" in done.stderr

"""--extension: operations and rules of users in every command that reads a model or lists what there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

import irrun
from irrun.linter.rule import rules
from irrun.openvino import opset13
from tests.cli.conftest import Run
from tests.openvino import own_classes
from tests.optimize import own_passes

EXAMPLE = Path(__file__).parents[2] / "examples" / "extension"
MODEL, OPS, RULES = EXAMPLE / "model.xml", EXAMPLE / "my_ops.py", EXAMPLE / "my_rules.py"


@pytest.mark.parametrize("file", [OPS, RULES], ids=lambda file: file.name)
def test_the_examples_are_short(file: Path) -> None:
    lines = file.read_text().splitlines()
    assert len([line for line in lines if line.strip()]) <= 18


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", MODEL, "--random"],
        ["bench", MODEL, "--niter", "1"],
        ["profile", MODEL, "--niter", "1"],
        ["info", MODEL],
        ["lint", MODEL],
        ["ops", "SoftShrink"],
        ["eval", "SoftShrink", "[1,2]"],
        ["schema", "rng"],
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_in_every_command(run: Run, arguments: list[Any]) -> None:
    result = run(*arguments, "--extension", OPS)
    assert result.exit_code == 0
    with_it = result.stdout
    without = run(*arguments)
    assert (without.exit_code, without.stdout) != (0, with_it) or arguments[0] in ("info", "lint")


def test_evaluated_and_documented(run: Run) -> None:
    assert run("eval", "SoftShrink", "[1,-2]", "-a", "lambd=1.5", "--extension", OPS).stdout == (
        "output: f32[2]\n[ 0. , -0.5]\n".replace("[ 0. ", "[ 0. ")
    )
    page = run("ops", "softshrink", "--extension", OPS).stdout
    assert page.startswith("SoftShrink  extension  extension\n\nMove every element towards zero")
    assert "  lambd: float >= 0, default 0.5\n      the threshold\n" in page
    assert page.endswith("versions: extension\n")
    assert "SoftShrink " in run("ops", "--extension", OPS).stdout
    records = json.loads(run("ops", "--opset", "extension", "--json", "--extension", OPS).stdout)
    assert ("SoftShrink", "extension", "") in {(item["type"], item["version"], item["page"]) for item in records}
    assert "SoftShrink" not in run("ops").stdout


def test_schema_knows_its_attributes(run: Run) -> None:
    text = MODEL.read_text()
    wrong = text.replace('lambd="0.25"', 'lambda="0.25"')
    for arguments, valid in (((), True), (("--extension", OPS), False)):
        schema = etree.RelaxNG(etree.fromstring(run("schema", "rng", *arguments).stdout.encode()))
        assert schema.validate(etree.fromstring(text.encode()))
        assert schema.validate(etree.fromstring(wrong.encode())) == valid


def test_a_rule_is_listed_explained_and_selected(run: Run) -> None:
    with_it = ("--extension", RULES)
    assert any(line.startswith("MY201  warning  unnamed-output") for line in run("rule", *with_it).stdout.splitlines())
    page = run("rule", "unnamed-output", *with_it).stdout
    assert page.startswith("MY201 unnamed-output (warning)\n\nAn output of")
    assert page.endswith("by its position only.\n")
    found = run("lint", MODEL, *with_it, "--output-format", "concise")
    assert (found.exit_code, found.stdout) == (
        1,
        f'{MODEL}:42:3: warning: Result 3 "Result_3": the output has no tensor name, '
        "expected names on the port that feeds it [MY201]\n",
    )
    assert run("lint", MODEL, *with_it, "--ignore", "MY").exit_code == 0
    assert run("lint", MODEL, "--select", "MY201").exit_code == 2
    assert run("lint", MODEL, *with_it, "--select", "MY20").exit_code == 1
    assert "MY201" not in rules()


def test_sarif_and_configuration(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "irrun.toml"
    config.write_text('select = ["MY"]\n')
    options = ("--extension", RULES, "--config", config)
    report = json.loads(run("lint", MODEL, *options, "--output-format", "sarif").stdout)
    (driver,) = [item["tool"]["driver"] for item in report["runs"]]
    assert [(item["id"], item["name"], "helpUri" in item) for item in driver["rules"]] == [
        ("MY201", "UnnamedOutput", False)
    ]
    assert [item["ruleId"] for item in report["runs"][0]["results"]] == ["MY201"]
    refused = run("lint", MODEL, "--config", config)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f'error: {config}: select: no rule is called "MY"')


def test_settings_of_a_rule_in_the_configuration(run: Run, tmp_path: Path) -> None:
    config, limited = tmp_path / "irrun.toml", "tests.linter.test_adding"
    config.write_text("[rules.TEST203]\nlimit = 4\n")
    found = run("lint", MODEL, "--extension", limited, "--config", config, "--select", "TEST203", "--format", "concise")
    assert (found.exit_code, found.stdout) == (1, f"{MODEL}:2:1: error: ReLU_2 [TEST203]\n")
    absent = run("lint", MODEL, "--config", config)
    assert absent.exit_code == 0
    said = "the settings of TEST203 are not used: no rule is called so; --extension gives one"
    assert f"note: {config}:1: {said}\n" in absent.stderr
    config.write_text("[rules.TEST203]\nlimit = 'x'\n")
    refused = run("lint", MODEL, "--extension", limited, "--config", config)
    expected = f"error: {config}:1: rules.TEST203.limit: it is 'x', expected a value such as 12\n"
    assert (refused.exit_code, refused.stderr) == (2, expected)
    config.write_text("rules.TEST203 = 4\n")
    assert "expected a table of the settings of a rule" in run("lint", MODEL, "--config", config).stderr
    given = ("--rules", "TEST203.limit=4", "--rules", "TEST203.words=['Re']", "--select", "TEST203")
    assert run("lint", MODEL, "--extension", limited, *given, "--format", "concise").stdout.count("TEST203") == 2
    assert run("lint", MODEL, "--rules", "TEST203").exit_code == 2


def test_rules_end_with_a_command_that_is_not_understood(run: Run) -> None:
    assert run("lint", MODEL, "--extension", RULES, "--select", "XX1").exit_code == 2
    assert "MY201" not in rules()


@pytest.mark.rest
def test_in_several_processes(run: Run, tmp_path: Path) -> None:
    for index in range(3):
        (tmp_path / f"{index}.xml").write_text(MODEL.read_text())
        (tmp_path / f"{index}.bin").write_bytes(b"")
    result = run(
        "lint", tmp_path, "--extension", RULES, "--extension", OPS, "--jobs", "2", "--output-format", "concise"
    )
    assert [line.rpartition(" ")[2] for line in result.stdout.splitlines()] == ["[MY201]"] * 3


def test_files_that_cannot_be_used(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import nothing_like_it\n")
    for command in (["run", MODEL, "--random"], ["lint", MODEL], ["rule"], ["ops"], ["schema", "rng"], ["info", MODEL]):
        result = run(*command, "--extension", broken)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            f"error: {broken}:1 cannot be imported: ModuleNotFoundError: No module named 'nothing_like_it'\n"
        )
    missing = run("run", MODEL, "--random", "--extension", tmp_path / "none.py")
    assert (missing.exit_code, "does not exist" in missing.stderr) == (2, True)


def test_a_fault_of_the_operation_is_its_own(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ops.py"
    path.write_text(OPS.read_text().replace("return (np", "raise ValueError('no luck')\n        return (np"))
    result = run("run", MODEL, "--random", "--extension", path)
    assert result.exit_code == 2
    assert "no luck" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("source", [own_classes.__name__, own_classes.__file__])
def test_classes_in_the_style_of_openvino(run: Run, tmp_path: Path, source: str) -> None:
    x = opset13.parameter([2], np.float32, name="x")
    nodes = own_classes.Halved(own_classes.Total([x], **own_classes.GIVEN))
    model, values, out = tmp_path / "m.xml", tmp_path / "x.npy", tmp_path / "y.npy"
    irrun.serialize(irrun.Model([nodes.output(0)], [x], "m"), model, tmp_path / "m.bin")
    np.save(values, np.array([1, 2], np.float32))
    assert run("run", model, "-i", f"x={values}", "-o", out, "--extension", source).exit_code == 0
    assert np.load(out).tolist() == [6.5, 7]
    assert run("lint", model, "--extension", source).exit_code == 0
    assert "  axes: ints, default 0, 1\n" in run("ops", "Total", "--extension", source).stdout


def test_passes_and_kernels(run: Run, tmp_path: Path) -> None:
    x = opset13.parameter([1, 3], np.float32, name="x")
    end = opset13.clamp(opset13.absolute(opset13.absolute(x, name="abs0"), name="abs1"), 1, 2, name="clamp")
    model, values, out = tmp_path / "m.xml", tmp_path / "x.npy", tmp_path / "y.npy"
    irrun.serialize(irrun.Model([end.output(0)], [x], "m"), model, tmp_path / "m.bin")
    np.save(values, np.array([[-3, -0.5, 2]], np.float32))
    own = ("--extension", own_passes.__name__)
    assert run("run", model, "-i", f"x={values}", "-o", out, *own).exit_code == 0
    assert np.load(out).tolist() == [[102, 101, 102]]
    plan = run("info", model, "--plan", *own).stdout
    assert "OwnClamp::Clamp: clamp\n" in plan
    assert "abs1" not in plan
    assert run("compare", model, model, *own).exit_code == 0
    (tmp_path / "in").mkdir()
    values.rename(tmp_path / "in" / "x.npy")
    assert run("run", model, "--batch", tmp_path / "in", "-o", tmp_path / "out", *own).exit_code == 0
    assert np.load(tmp_path / "out" / "x.npy").tolist() == [[102, 101, 102]]


def test_extensions_of_a_project(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text(RULES.read_text())
    (tmp_path / "irrun.toml").write_text('extensions = ["own.py"]\n')
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    untrusted = run("lint", MODEL)
    said = f"note: {tmp_path / 'irrun.toml'} names extensions, which --trust or IRRUN_TRUST=1 loads\n"
    assert (untrusted.exit_code, said in untrusted.stderr) == (0, True)
    assert run("lint", MODEL, "--trust").exit_code == 1
    assert "MY201" in run("rule", "--trust").stdout
    monkeypatch.setenv("IRRUN_TRUST", "1")
    assert run("lint", MODEL).exit_code == 1
    monkeypatch.chdir(tmp_path.parent)
    model = tmp_path / "inner" / "m.xml"
    model.write_text(MODEL.read_text())
    assert run("lint", model).exit_code == 0
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irrun.toml").write_text('extensions = ["gone.py"]\n')
    assert run("lint", MODEL).stderr.startswith(f"error: {tmp_path / 'gone.py'} cannot be read: No such file")
    (tmp_path / "irrun.toml").write_text("extensions = 3\n")
    assert (
        run("lint", MODEL).stderr == f"error: {tmp_path / 'irrun.toml'}: extensions is 3, expected a list of strings\n"
    )

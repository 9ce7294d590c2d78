"""First steps of new users: completion, patterns that match nothing, settings that are misspelt, photos."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest
from click.shell_completion import ShellComplete

from irrun.cli.app import app
from irrun.linter.rule import rules
from irrun.settings import settings_for
from tests.cases import f32
from tests.cli.conftest import Run, one_line
from tests.cli.linting import Write
from tests.linter.models import ITERATOR, NET
from tests.nets import Net


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
        "1 file checked, 2 output ports verified: no findings, not everything was checked",
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


def photo(folder: Path) -> Path:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed, the extra images")
    path = folder / "photo.png"
    image.fromarray(np.arange(24, dtype=np.uint8).reshape(2, 4, 3)).save(path)
    return path


def test_a_photo_is_an_input(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Abs", [net.parameter("x", "1,3,2,4")], tensor="y"))
    model, path = net.save(tmp_path / "n.xml"), photo(tmp_path)
    options = ("--mean-values", "1,2,3")
    assert run("run", model, "--batch", path, "-o", tmp_path / "many", *options).exit_code == 0
    for given in (path, f"x={path}"):
        result = run("run", model, "-i", given, "-o", tmp_path / "one.npy", *options)
        assert result.exit_code == 0, result.stderr
        np.testing.assert_array_equal(np.load(tmp_path / "one.npy"), np.load(tmp_path / "many" / "photo.npy"))
    (tmp_path / "x.bin").write_bytes(np.zeros(24, np.float32).tobytes())
    assert run("run", model, "-i", tmp_path / "x.bin").exit_code == 0


def test_a_photo_for_one_of_several_inputs(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Add", [net.parameter(name, "1,3,2,4") for name in "ab"], tensor="y"))
    model, path = net.save(tmp_path / "n.xml"), photo(tmp_path)
    said = one_line(run("run", model, "-i", path))
    assert said == (f"error: {path} is one value, and the model has 2 inputs; give -i NAME=photo.png, or an .npz file")
    assert run("run", model, "-i", f"a={path}", "-i", f"b={path}").exit_code == 0


def convolution(tmp_path: Path) -> Path:
    net = Net()
    x = net.parameter("x", "1,3,8,6")
    strides = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}
    net.result(net.layer("Convolution", [x, net.constant(np.ones((2, 3, 3, 3), np.float32))], **strides))
    return net.save(tmp_path / "conv.xml")


@pytest.mark.parametrize(
    ("shape", "advice"),
    [
        ((1, 8, 6, 3), "; array.transpose(0, 3, 1, 2) moves the channels to where the input has them"),
        ((1, 3, 9, 9), "; --shape 'x[1,3,9,9]' reshapes the model"),
        ((1, 5, 9, 9), ""),
        ((1, 3, 2, 2), ""),
    ],
)
def test_advice_about_shapes_helps(run: Run, tmp_path: Path, shape: tuple[int, ...], advice: str) -> None:
    np.save(tmp_path / "x.npy", np.zeros(shape, np.float32))
    model, given = convolution(tmp_path), ("-i", tmp_path / "x.npy")
    text = ",".join(map(str, shape))
    said = one_line(run("run", model, *given))
    assert said == f'error: input "x" has shape [{text}], expected [1,3,8,6]{advice}'
    assert run("run", model, *given, "--shape", f"x[{text}]").exit_code == (0 if "--shape" in advice else 2)


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ((), "; --as-written runs without optimisation"),
        (("--as-written",), ""),
        (("--precision", "bf16"), "; --precision f32 --dynamic-quantization 0 computes in f32"),
    ],
)
def test_advice_about_nan(run: Run, tmp_path: Path, options: tuple[str, ...], advice: str) -> None:
    net = Net()
    net.result(net.layer("Sqrt", [net.parameter("x", "2")], tensor="y"))
    np.save(tmp_path / "x.npy", f32([-1, -2]))
    result = run("run", net.save(tmp_path / "n.xml"), "-i", tmp_path / "x.npy", *options)
    assert result.stderr == f'warning: every value of output "y" is NaN{advice}\n'


def test_top_of_many_inputs(run: Run, clamp: Path, tmp_path: Path) -> None:
    for index in range(3):
        np.save(tmp_path / f"{index}.npy", np.eye(3, dtype=np.float32)[[index, 0]][: 1 + index % 2])
    out = tmp_path / "out"
    options = ("--batch", tmp_path / "*.npy", "-o", out, "--top", "1")
    result = run("run", clamp, *options)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[:-1] == [
        f"{tmp_path / '0.npy'}: class 0 (1)",
        f"{tmp_path / '1.npy'}: row 0: class 1 (1)",
        f"{tmp_path / '1.npy'}: row 1: class 0 (1)",
        f"{tmp_path / '2.npy'}: class 2 (1)",
    ]
    records = [json.loads(line) for line in (out / "records.jsonl").read_text().splitlines()]
    assert records[2]["top"] == [[{"class": 2, "score": 1.0}]]
    assert run("run", clamp, *options).stdout == "0 inputs done, 3 before, 0 failed\n"


def test_one_of_a_kind(run: Run, clamp: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", f32([[1, 2, 3]]))
    np.save(tmp_path / "labels.npy", np.array([0]))
    batch = ("--batch", tmp_path / "x.npy")
    assert run("run", clamp, *batch, "-o", tmp_path / "out").stdout.startswith("1 input done in ")
    np.save(tmp_path / "rows.npy", np.ones((2, 3), np.float32))
    evaluated = ("--data", tmp_path / "rows.npy", "--labels", tmp_path / "labels.npy", "--metric", "top1")
    assert (
        one_line(run("evaluate", clamp, *evaluated)) == "error: there is 1 label, expected 2, one for each row of data"
    )


def two_outputs(tmp_path: Path) -> Path:
    net = Net()
    x = net.parameter("x", "2")
    net.result(net.layer("Abs", [x], tensor="dir/y"))
    net.result(net.layer("Negative", [x], tensor="z"))
    return net.save(tmp_path / "two.xml")


@pytest.mark.parametrize("target", ["outputs/", "outputs.npz"])
def test_compare_takes_what_run_writes(run: Run, tmp_path: Path, target: str) -> None:
    model, out = two_outputs(tmp_path), tmp_path / target
    assert run("run", model, "--random", "-o", out).exit_code == 0
    assert run("compare", model, out).exit_code == 0
    assert run("compare", model, out, "--seed", "1").exit_code == 1


def test_compare_matches_arrays_without_names_by_position(run: Run, tmp_path: Path) -> None:
    model = two_outputs(tmp_path)
    np.save(tmp_path / "x.npy", f32([1, -2]))
    given = ("-i", tmp_path / "x.npy")
    for values, status in (([[1, 2], [-1, 2]], 0), ([[-1, 2], [1, 2]], 1)):
        np.savez(tmp_path / "expected.npz", *map(f32, values))
        assert run("compare", model, tmp_path / "expected.npz", *given).exit_code == status
    np.savez(tmp_path / "expected.npz", f32([1, 2]))
    assert 'no output "arr_0", expected dir/y, z' in one_line(run("compare", model, tmp_path / "expected.npz", *given))


def test_flops_without_the_weights_that_hold_sizes(run: Run, tmp_path: Path) -> None:
    net = Net()
    flat = net.layer("Reshape", [net.parameter("x", "?,4"), net.constant([6, 2])], special_zero=False)
    weights = net.constant(np.ones((2, 5), np.float32))
    net.result(net.layer("MatMul", [flat, weights], name="product", transpose_a=False, transpose_b=False))
    model = net.save(tmp_path / "n.xml")
    assert json.loads(run("info", model, "--json").stdout)["flops"]["total"] == 2 * 6 * 2 * 5
    model.with_suffix(".bin").unlink()
    result = run("info", model)
    assert 'without "product", of whose shapes too little is known' in " ".join(result.stdout.split())
    assert result.stderr == f"note: {model.with_suffix('.bin')} is missing, which may hold sizes that FLOPs depend on\n"


def test_inputs_beyond_the_memory(run: Run, clamp: Path) -> None:
    result = run("run", clamp, "--random", "--shape", "1000,3", "--max-memory", "1KB")
    assert "error: the inputs and constants of the model take 11.72 KiB, the budget is 1000 bytes" in result.stderr


def test_layers(run: Run, tmp_path: Path) -> None:
    model = two_outputs(tmp_path)
    lines = run("info", model, "--layers").stdout.splitlines()
    rows = [line.split() for line in lines[lines.index("") + 1 :]]
    assert rows[0] == ["ID", "TYPE", "NAME", "OUTPUTS"]
    assert sorted(rows[1:]) == [
        ["0", "Parameter", "x", "f32[2]"],
        ["1", "Abs", "Abs_1", "f32[2]"],
        ["2", "Result", "Result_2"],
        ["3", "Negative", "Negative_3", "f32[2]"],
        ["4", "Result", "Result_4"],
    ]
    record = json.loads(run("info", model, "--layers", "--json").stdout)
    assert record["layers"] == len(record["layer_list"]) == 5
    assert record["layer_list"][1] == {
        "id": "1",
        "type": "Abs",
        "version": "opset1",
        "path": "",
        "name": "Abs_1",
        "outputs": ["f32[2]"],
    }
    assert "layer_list" not in json.loads(run("info", model, "--json").stdout)


def test_layers_of_bodies(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "net.xml"
    path.write_text(ITERATOR)
    found = json.loads(run("info", path, "--layers", "--json").stdout)["layer_list"]
    assert [item["path"] + item["name"] for item in found][1:4] == ["steps", "steps/row", "steps/sum"]
    assert found[2]["outputs"] == ["f32[1,3]"]


def test_the_settings_that_apply(run: Run, write: Write, folder: Path) -> None:
    write("a/net.xml")
    write("b/net.xml")
    write("b/irrun.toml", "ignore = ['IR401']\nfail-level = 'error'\ntarget-version = '2023.3'")
    result = run("lint", "a", "b", "--show-settings", "--exclude", "old")
    assert result.exit_code == 0
    first, second = result.stdout.split("\n\n")
    count = len(rules())
    lines = [line.split(None, 1) for line in first.splitlines()]
    assert lines[:4] == [
        ["file", "a/net.xml"],
        ["configuration", str(folder / "irrun.toml")],
        ["codes", f"all {count}"],
        ["select", "none  (default)"],
    ]
    assert ["exclude", "old  (command line)"] in lines
    assert ["fail-level", "warning  (default)"] in lines
    assert [key for key, _ in lines[3:]] == [*settings_for("lint")]
    assert f"codes             {count - 1} of {count}, without IR401" in second
    assert "ignore            IR401  (b/irrun.toml:1)" in second
    assert "target-version    2023.3  (b/irrun.toml:3)" in second
    records = json.loads(run("lint", "a", "b", "--show-settings", "--json", "--select", "IR401").stdout)
    assert [item["codes"] for item in records] == [["IR401"], ["IR401"]]
    assert [item["fail-level"] for item in records] == ["warning", "error"]
    assert [item["origins"]["fail-level"] for item in records] == ["default", "b/irrun.toml:2"]


@pytest.mark.parametrize(
    ("fix", "said"),
    [((), "note: --fix fixes 1; --fix --unsafe-fixes also guesses how to fix 1"), (("--fix",), None)],
)
def test_fixes_that_an_option_does_not_apply_are_told(
    run: Run, write: Write, fix: tuple[str, ...], said: str | None
) -> None:
    wrong = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1).replace('min="0"', 'mni="0"')
    result = run("lint", write("net.xml", wrong), *fix)
    assert "= unsafe fix: rename mni to min" in result.stdout
    assert ("= fix: write [2,3]" in result.stdout) is (not fix)
    assert result.stderr.splitlines()[-1] == (said or "note: --fix --unsafe-fixes guesses how to fix 1")


def test_json_of_eval_and_lint(run: Run, write: Write) -> None:
    assert json.loads(run("eval", "Add", "[1,2]", "[10,20]", "--json").stdout) == {
        "outputs": [{"name": "output", "type": "i64", "shape": [2], "values": [11, 22]}]
    }
    path = write("net.xml")
    assert run("lint", path, "--json").stdout == run("lint", path, "--output-format", "json").stdout


@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour(
    run: Run, write: Write, environment: dict[str, str], is_coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    result = run("lint", write("net.xml", NET.replace('min="0"', 'mni="0"')))
    assert ("\x1b[" in result.stdout) is is_coloured


@pytest.mark.parametrize(
    "arguments",
    [
        *(["rule"], ["ops"], ["rule", "IR401"], ["--help"], ["run", "--help"]),
        ["profile", "{model}", "--niter", "2"],
        ["compare", "{model}", "{other}", "--all"],
        ["bench", "{model}", "--niter", "2"],
        ["run", "{model}", "--random", "--precision", "bf16", "--check"],
        ["explain", "{model}", "a/long/name/of/a/layer"],
    ],
    ids=" ".join,
)
def test_a_narrow_terminal(run: Run, tmp_path: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    paths = {"{model}": long_names(tmp_path / "a.xml", 2), "{other}": long_names(tmp_path / "b.xml", 3)}
    lines = run(*(paths.get(word, word) for word in arguments)).stdout.splitlines()
    assert len(lines) > 5
    wide = [line for line in lines if len(line) > 40]
    # Commands, addresses and single words are not broken.
    assert all(
        line.strip().startswith(("irrun ", "page: https://", "https://")) or " " not in line.strip() for line in wide
    )


def long_names(path: Path, factor: float) -> Path:
    net = Net()
    image = net.parameter("image", "1,3,8,8")
    scaled = net.layer("Multiply", [image, net.constant(f32([factor]), name="a/factor")], name="a/long/name/of/a/layer")
    net.result(net.layer("Exp", [scaled], name="a/long/name/of/another/layer", tensor="level"))
    return net.save(path)


def test_commands_without_json() -> None:
    def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
        for name in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), name)
            if isinstance(command, click.Group):
                yield from commands(command, f"{path}{name} ")
            elif command is not None:
                yield f"{path}{name}", command

    found = [name for name, item in commands(app) if "--json" not in {word for p in item.params for word in p.opts}]
    # These write a script, a file, a drawing, a page and a schema.
    assert found == [
        *("completion", "edit convert", "edit extract", "edit info", "edit output", "edit preprocess", "edit rename"),
        *("edit reshape", "edit set", "edit state", "edit strip", "edit weights"),
        *("graph", "report", "schema"),
    ]

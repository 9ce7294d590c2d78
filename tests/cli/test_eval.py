"""irrun eval: one operation on literals and files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Run

Npy = Callable[[str, Any], str]


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["Add", "[[1,2],[3,4]]", "[10,20]"], "output: i64[2,2]\n[[11, 22],\n [13, 24]]\n"),
        (["Add", "[1,2]", "0.5"], "output: f32[2]\n[1.5, 2.5]\n"),
        (["Add", "i8:[1,2]", "3"], "output: i8[2]\n[4, 5]\n"),
        (["Add", "3", "i8:[1,2]"], "output: i8[2]\n[4, 5]\n"),
        (["Add", "f16:0.1", "0"], "output: f16[]\n0.1\n"),
        (["Add", "bf16:1.001", "1"], "output: bf16[]\n2.\n"),
        (["Add", "[]", "1.5"], "output: f32[0]\n[]\n"),
        (["Add", "1", "-2"], "output: i64[]\n-1\n"),
        (["Abs", "-1.5"], "output: f32[]\n1.5\n"),
        (["Abs", "[-inf, nan, -Infinity]"], "output: f32[3]\n[inf, nan, inf]\n"),
        (["Abs", "-inf"], "output: f32[]\ninf\n"),
        (["Abs", "(-1, +2)"], "output: i64[2]\n[1, 2]\n"),
        (["Clamp", "[-1,0.5,2]", "-a", "min=0", "--attr", "max=1"], "output: f32[3]\n[0. , 0.5, 1. ]\n"),
        (["Tile", "[1,2]", "[2]"], "output: i64[4]\n[1, 2, 1, 2]\n"),
        (["LogicalNot", "[true,false]"], "output: boolean[2]\n[False,  True]\n"),
        (["LogicalNot", "[1,0]"], "output: boolean[2]\n[False,  True]\n"),
        (["Concat", "[1]", "[2.5]", "[3]", "--attr", "axis=0"], "output: f32[3]\n[1. , 2.5, 3. ]\n"),
        (["Gather", '["a","b"]', "[1]", "0"], "output: string[1]\n['b']\n"),
        (["Pad", "[1,2]", "[1]", "[0]", "-", "-a", "pad_mode=constant"], "output: i64[3]\n[0, 1, 2]\n"),
        (["Split", "[1,2]", "0", "-a", "num_splits=2"], "output.0: i64[1]\n[1]\noutput.1: i64[1]\n[2]\n"),
    ],
)
def test_value(run: Run, arguments: list[str], printed: str) -> None:
    result = run("eval", *arguments)
    assert (result.stdout, result.stderr, result.exit_code) == (printed, "", 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Ad", "1", "2"], "no operation Ad; did you mean "),
        (["Abx", "1"], "no operation Abx; did you mean Abs?"),
        (["Atan2", "1", "2", "--opset", "opset8"], "no operation Atan2 in opset8; it is in opset17"),
        (["Add", "1"], "Add has 1 input, expected 2 (a, b)"),
        (["Add", "1", "2", "3"], "Add has 3 inputs, expected 2 (a, b)"),
        (["Add", "-", "1"], "input 0 (a) is missing"),
        (["Add", "f32:1", "i8:1"], "input 1 (b) is i8 but input 0 is f32; both must have the same type T"),
        (["Add", "[1,2]", "[1,2,3]"], "shapes [2] and [3] do not broadcast: 2 and 3 differ and neither is 1"),
        (["Add", "[[1],[2,3]]", "1"], "[[1],[2,3]] has rows of different length"),
        (["Add", '[1,"a"]', "1"], '[1,"a"] mixes text and numbers'),
        (["Add", "99999999999999999999", "1"], "99999999999999999999 holds an integer of more than 64 bits"),
        (["Add", "i8:[1]", "[1,200]"], "[1,200] cannot be i8: it holds 200, expected -128 to 127"),
        (["Add", "u8:-1", "1"], "u8:-1 cannot be u8: it holds -1, expected 0 to 255"),
        (["Add", "i32:1", "1.5"], "1.5 cannot be i32: it holds more than integers"),
        (["Abs", 'f32:["a"]'], 'f32:["a"] cannot be f32: it is text'),
        (["Abs", "true"], "input 0 (data) is boolean, expected any numeric type"),
        (["Abs", "i65:1"], 'no element type "i65" in i65:1; did you mean i64?'),
        (
            ["Abs", "[1,2"],
            "[1,2 is neither a file nor a literal, expected x.npy, a number, or a list such as [[1,2],[3,4]]",
        ),
        (["Abs", '__import__("os")'], '__import__("os") is neither a file nor a literal'),
        (["Abs", "[" * 5000 + "]" * 5000], f"{'[' * 30}…{']' * 20} is neither a file nor a literal"),
        (["Abs", "nope.npy"], "nope.npy: No such file or directory"),
        (["Abs", "1", "--attr", "x"], "--attr x is not of the form NAME=VALUE"),
        (["Abs", "1", "--attr", "x=1"], "Abs has no attribute x; it has none"),
        (["Pad", "[1]", "[0]", "[0]", "-a", "pad_mod=edge"], "Pad has no attribute pad_mod; did you mean pad_mode?"),
        (
            ["Pad", "[1]", "[0]", "[0]", "-a", "pad_mode=edg"],
            'pad_mode="edg" is not constant, edge, reflect or symmetric; did you mean edge?',
        ),
        (["Clamp", "1"], "min is missing; Clamp requires it"),
        (["Clamp", "1", "-a", "min=x", "-a", "max=1"], 'min="x" is not a number'),
        (["Clamp", "1", "-a", "min=3", "-a", "max=1"], "min (3) is above max (1)"),
        (["Parameter"], "Parameter has no inputs, so there is nothing to evaluate"),
        (["Const"], "Const needs a file of weights, which only a model has; use irrun run"),
        (["Assign", "1"], "Assign needs variables, which only a model has; use irrun run"),
        (["If", "true"], "If needs sub-graphs, which only a model has; use irrun run"),
    ],
)
def test_misuse(run: Run, arguments: list[str], message: str) -> None:
    result = run("eval", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"error: {message}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("option", ["--atr", "-x"])
def test_a_misspelt_option_is_no_tensor(run: Run, option: str) -> None:
    result = run("eval", "Abs", "1", option)
    assert result.exit_code == 2
    assert "No such option" in result.stderr
    assert option in result.stderr


def test_wrong_opset(run: Run) -> None:
    result = run("eval", "Abs", "1", "--opset", "opset99")
    assert result.exit_code == 2
    assert 'there is no opset "opset99", expected opset1 to opset17' in " ".join(result.stderr.split())


def test_a_literal_takes_the_type_of_a_file(run: Run, npy: Npy) -> None:
    path = npy("x.npy", np.array([1, 2], np.uint8))
    assert run("eval", "Add", path, "3").stdout == "output: u8[2]\n[4, 5]\n"
    assert run("eval", "Add", f"f32:{path}", "3").stdout == "output: f32[2]\n[4., 5.]\n"


@pytest.mark.parametrize(("opset", "version"), [("opset11", "opset1"), ("12", "opset12")])
def test_a_version_is_chosen_by_opset(run: Run, opset: str, version: str) -> None:
    result = run("eval", "Pad", "[1]", "[0]", "[1]", "-a", "pad_mode=edge", "--opset", opset, "-v")
    assert result.stdout == "output: i64[2]\n[1, 1]\n"
    assert result.stderr == f"Pad of {version}: Pad-{version.removeprefix('opset')}(pad_mode='edge')\n"


def test_output_file(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.npy"
    result = run("eval", "Add", "f16:[1,2]", "1", "-o", target)
    assert (result.exit_code, result.stderr) == (0, f"note: wrote {target}\n")
    written = np.load(target)
    assert written.tolist() == [2, 3]


def test_output_of_two_in_one_npy(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.npy"
    result = run("eval", "Split", "[1,2]", "0", "-a", "num_splits=2", "-o", target)
    assert result.exit_code == 2
    assert result.stderr == f"error: {target} holds one array, and there are 2 outputs; give a folder or an .npz file\n"


def test_large_results_are_abridged(run: Run) -> None:
    assert run("eval", "Tile", "[7]", "[2000]").stdout == "output: i64[2000]\n[7, 7, 7, ..., 7, 7, 7]\n"


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["Gather", "string:['a','b']", "[1]", "0"], "output: string[1]\n['b']\n"),
        (["Identity", "string:a"], "output: string[]\n'a'\n"),
        (["Concat", "[]", "[]", "-a", "axis=0"], "output: f32[0]\n[]\n"),
        (["LogicalNot", "[]"], "output: boolean[0]\n[]\n"),
    ],
)
def test_texts_and_empty_lists(run: Run, arguments: list[str], printed: str) -> None:
    result = run("eval", *arguments)
    assert (result.stdout, result.stderr, result.exit_code) == (printed, "", 0)


def test_an_archive_holds_one_array(run: Run, tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", x=np.array([-1, 2]))
    np.savez(tmp_path / "two.npz", x=np.array([1]), y=np.array([2]))
    assert run("eval", "Abs", tmp_path / "one.npz").stdout == "output: i64[2]\n[1, 2]\n"
    message = f"error: {tmp_path / 'two.npz'} holds 2 arrays (x, y), expected one\n"
    assert run("eval", "Abs", tmp_path / "two.npz").stderr == message


def test_files_of_truth_values_and_texts(run: Run, npy: Npy) -> None:
    assert run("eval", "LogicalNot", npy("b.npy", [True, False])).stdout == "output: boolean[2]\n[False,  True]\n"
    shown = run("eval", "Gather", npy("s.npy", ["a", "b"]), "[0]", "0")
    assert shown.stdout == "output: string[1]\n['a']\n"


TILE = """<layer ... type="Tile">
    <input>
        <port id="0"><dim>1</dim><dim>2</dim></port>
        <port id="1"><dim>2</dim> <!-- [2, 1] --></port>
    </input>
    <output>
        <port id="2"><dim>2</dim><dim>2</dim></port>
    </output>
</layer>
"""


def test_a_bare_layer(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tile.xml"
    path.write_text(TILE)
    assert run("eval", path, "[[7,8]]", "[2,1]").stdout == "output: i64[2,2]\n[[7, 8],\n [7, 8]]\n"
    wrong = run("eval", path, "[1]", "[2]", "-a", "axis=1")
    assert wrong.stderr == f"error: --attr and --opset have no effect: {path} has the layer\n"
    path.write_text(TILE + TILE)
    assert run("eval", path, "[1]", "[2]").stderr == f"error: {path} is not one bare <layer>; irrun run runs a model\n"
    path.write_text(TILE.replace("Tile", "Tille"))
    assert "no operation Tille" in run("eval", path, "[1]", "[2]").stderr


def test_a_bare_layer_is_run(run: Run, npy: Npy, tmp_path: Path) -> None:
    path = tmp_path / "tile.xml"
    path.write_text(TILE)
    for name in ("1", "repeats"):
        result = run("run", path, "--random", "--value", f"{name}=2,1")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.startswith("output  f32[2,2]  ")
    data = npy("data.npy", np.array([[7, 8]], np.float32))
    result = run("run", path, "-i", f"data={data}", "--value", "repeats=3,1", "-o", tmp_path / "out.npy")
    assert result.exit_code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), [[7, 8]] * 3)
    assert "no value for input" in run("run", path).stderr
    wrong = run("run", path, "--random", "--value", "repeats=1")
    assert wrong.stderr == "error: --value: the value of port repeats has 1 element, expected those of shape [2]\n"
    twice = run("run", path, "-i", f"data={data}", "--random", "--value", "0=1,2")
    assert twice.stderr == 'error: input "0" is given twice\n'


def test_several_bare_layers_are_run(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tiles.xml"
    path.write_text(TILE.replace("...", 'name="a"') + TILE.replace("...", 'name="b"'))
    result = run("run", path, "--random", "--value", "a.repeats=2,1", "--value", "b.1=1,3")
    assert "a.output  f32[2,2]  " in result.stdout
    assert "b.output  f32[1,6]  " in result.stdout

"""irrun compare: two models, expected outputs, OpenVINO, folders, and the first layer that differs."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from irrun.cli.comparing import page
from irrun.debugging.diagnosing import diagnose_optimisation
from irrun.debugging.layers import Tolerance
from irrun.debugging.metrics import errors
from irrun.document.writer import WrittenBody
from irrun.evaluation.differences import changed_rows, cosine, gaps, largest
from tests.cases import f32, i64
from tests.cli.comparing import compared, net
from tests.cli.conftest import Run, one_line
from tests.engines import need
from tests.nets import Net

DIGITS = Path(__file__).parents[2] / "examples" / "digits"


def test_equal(run: Run, tmp_path: Path) -> None:
    record = compared(run, net(tmp_path / "a.xml"), net(tmp_path / "b.xml", name="other"), status=0)
    assert (record["equal"], record["different"], record["failed"]) == (1, 0, 0)
    (pair,) = record["pairs"]
    assert pair["outputs"] == [
        {
            "name": "y",
            "type": "f32",
            "shape": [1, 3],
            "differs": False,
            "problem": "",
            **dict.fromkeys(("max", "mean", "rms", "relative", "ulp"), 0),
            "median": None,
            "cosine": pytest.approx(1),
            **dict.fromkeys(("psnr", "snr"), "Infinity"),
            "argmax": {"changed": 0, "rows": 1},
            "beyond": 0,
            "slices": [],
        }
    ]
    assert "layer" not in pair


def test_the_first_layer_that_differs(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", f32([[1, 2, 3]]))
    first, second = net(tmp_path / "a.xml", bias=1), net(tmp_path / "b.xml", bias=1.5)
    (pair,) = compared(run, first, second, "-i", tmp_path / "x.npy", status=1)["pairs"]
    assert (pair["layer"]["name"], pair["layer"]["type"], pair["layer"]["max"]) == ("sum", "Add", 0.5)
    assert pair["layer"]["relative"] == pytest.approx(0.5 / 4.5)
    assert len(pair["layer"]["constants"]) == 1
    assert pair["layers"] == 3
    (output,) = pair["outputs"]
    assert (output["max"], output["argmax"]) == (0.5, {"changed": 0, "rows": 1})
    text = run("compare", first, second, "-i", tmp_path / "x.npy").stdout
    assert 'different: 1 of 1 output\nfirst layer that differs: Add "sum", max 0.5, relative 0.11, constants' in text


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ([], 1),
        (["--rtol", "0.01"], 0),
        (["--rtol", "0", "--atol", "0.011"], 0),
        (["--rtol", "0", "--atol", "0.009"], 1),
        (["--rtol", "0.0033"], 1),
    ],
)
def test_tolerances(run: Run, tmp_path: Path, options: list[str], status: int) -> None:
    """The outputs are at most 3, and differ by 0.01."""
    np.save(tmp_path / "x.npy", f32([[1, 2, 2.99]]))
    models = net(tmp_path / "a.xml"), net(tmp_path / "b.xml", bias=0.01)
    assert run("compare", *models, "-i", tmp_path / "x.npy", *options).exit_code == status


def test_other_types_must_be_equal(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", i64([[1000, 2000, 3000]]))
    models = net(tmp_path / "a.xml", type="i64"), net(tmp_path / "b.xml", bias=1, type="i64")
    (pair,) = compared(run, *models, "-i", tmp_path / "x.npy", "--rtol", "1", status=1)["pairs"]
    assert (pair["outputs"][0]["max"], pair["outputs"][0]["argmax"]) == (1, None)


def test_without_a_layer_to_name(run: Run, tmp_path: Path) -> None:
    made = Net()
    made.result(made.layer("Negative", [made.parameter("x", "1,3")], name="minus", tensor="y"))
    result = run("compare", net(tmp_path / "a.xml"), made.save(tmp_path / "b.xml"))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].startswith('suspected: ReLU "')


def test_a_suspect_before_the_layers_that_have_a_counterpart(run: Run, tmp_path: Path) -> None:
    """A product with 1 is its input, whose counterpart is no layer; the sum is not the first layer that differs."""
    models = net(tmp_path / "a.xml"), net(tmp_path / "b.xml", weight=2, name="other")
    record = compared(run, *models, status=1)["pairs"][0]
    assert [item["name"] for item in record["suspects"]] == ["product"]
    assert record["layer"]["name"] == "sum"
    text = run("compare", *models).stdout
    assert "first layer" not in text
    assert 'suspected: Multiply "product" beside "other", constant: ' in text


@pytest.mark.parametrize("command", ["compare", "debug blame"])
def test_shapes_of_inputs_of_other_names(run: Run, tmp_path: Path, command: str) -> None:
    def model(path: Path, name: str, sizes: str, factor: float) -> Path:
        made = Net()
        x = made.parameter(name, sizes)
        made.result(made.layer("Multiply", [x, made.constant(f32([factor]))], name="twice", tensor="y"))
        return made.save(path)

    models = model(tmp_path / "a.xml", "x", "?,3", 2), model(tmp_path / "b.xml", "z", "?,?", 3)
    result = run(*command.split(), *models, "--shape", "x[4,3]", "--json")
    assert result.exit_code == 1, result.stderr
    record = json.loads(result.stdout)
    suspects = (record["pairs"][0] if command == "compare" else record)["suspects"]
    assert [(item["name"], item["cause"]) for item in suspects] == [("twice", "constant")]
    if command == "compare":
        assert record["pairs"][0]["outputs"][0]["shape"] == [4, 3]


@pytest.mark.parametrize("command", ["compare", "debug blame"])
@pytest.mark.parametrize(
    ("other", "more"), [("bad.xml", ()), ("wide.xml", ()), ("a.xml", ("-i", "no.npy")), ("a.xml", ("-i", "z=a.npy"))]
)
def test_what_is_refused_is_json_too(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, other: str, more: Sequence[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    net(Path("a.xml"))
    Path("bad.xml").write_text("<net><layers>")
    wide = Net()
    wide.result(wide.layer("Abs", [wide.parameter("x", "2,2,2")]))
    wide.save(Path("wide.xml"))
    np.save("a.npy", f32([[1, 2, 3]]))
    result = run(*command.split(), "a.xml", other, *more, "--json")
    assert result.exit_code == 2
    record = json.loads(result.stdout)
    record = record["pairs"][0] if command == "compare" else record
    assert (record["verdict"], record["cause"], record["suspects"], record["losses"]) == ("unknown", "", [], [])
    assert record["reason"]
    assert "error: " in result.stderr
    if command == "compare":
        assert (record["status"], record["error"]) == ("failed", record["reason"])


def test_missing_files_are_json_too(run: Run, folders: Path) -> None:
    for arguments in ((folders / "old" / "equal.xml", "no.xml"), ("no/", folders)):
        record = compared(run, *arguments, status=2)
        assert record["failed"] == 1
        assert record["pairs"][0]["verdict"] == "unknown"
        assert "there is no such file, expected a model" in record["pairs"][0]["error"]


def test_outputs_belong_together_by_name(run: Run, tmp_path: Path) -> None:
    def both(path: Path, *order: str) -> Path:
        made = Net()
        x = made.parameter("x", "1,3")
        for type in order:
            made.result(made.layer(type, [x], name=type, tensor=type.lower()))
        return made.save(path)

    first = both(tmp_path / "a.xml", "Abs", "Exp")
    assert run("compare", first, both(tmp_path / "b.xml", "Exp", "Abs")).exit_code == 0
    (pair,) = compared(run, first, both(tmp_path / "c.xml", "Exp", "Sin"), status=1)["pairs"]
    assert [(item["name"], item["problem"]) for item in pair["outputs"]] == [
        ("abs", "the other side does not have it"),
        ("exp", ""),
        ("", "an output that the first model does not have"),
    ]


def test_inputs_and_outputs_belong_together_by_place_where_no_name_is_the_same(run: Run, tmp_path: Path) -> None:
    def other(path: Path, *inputs: str) -> Path:
        made = Net()
        sources = [made.parameter(name, "1,3") for name in inputs]
        made.result(made.layer("Relu", sources[:1], name="positive", tensor="z"))
        return made.save(path)

    first = net(tmp_path / "a.xml")
    assert run("compare", first, other(tmp_path / "b.xml", "given")).exit_code == 0
    two = run("compare", first, other(tmp_path / "c.xml", "given", "more"))
    assert one_line(two) == f'error: {tmp_path / "c.xml"}: the first model has no input "given", its inputs are x'


def test_text_beside_numbers(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "y.npy", np.array([["a", "b", "c"]]))
    (pair,) = compared(run, net(tmp_path / "a.xml"), tmp_path / "y.npy", status=1)["pairs"]
    assert [item["problem"] for item in pair["outputs"]] == ["text on one side, numbers on the other"]


def test_a_pipe_of_expected_outputs(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "y.npy")
    failed = run("compare", net(tmp_path / "a.xml"), tmp_path / "y.npy")
    assert one_line(failed) == f"error: {tmp_path / 'y.npy'}: a named pipe, expected a regular file"


def test_layers_of_one_name_and_of_bodies(run: Run, tmp_path: Path) -> None:
    """The first layer of a name belongs to the first one, others by structure; layers of bodies do not count."""

    def chosen(path: Path, then: str) -> Path:
        made = Net()
        x = made.parameter("x", "1,3")
        twice = made.layer("Abs", [made.layer("Abs", [x], name="same")], name="same")
        inside = made.body()
        inside.result(inside.layer(then, [inside.parameter("p", "1,3")], name="same"))
        ports = [{"external_port_id": 1, "internal_layer_id": 0}], [{"external_port_id": 2, "internal_layer_id": 2}]
        bodies = {f"{side}_body": WrittenBody(inside.ir, *ports) for side in ("then", "else")}
        choice = made.constant(np.array(True), "boolean")
        made.result(made.layer("If", [choice, twice], "1,3", 8, name="if", tensor="y", bodies=bodies))
        return made.save(path)

    models = chosen(tmp_path / "a.xml", "Abs"), chosen(tmp_path / "b.xml", "Negative")
    (pair,) = compared(run, *models, status=1)["pairs"]
    assert (pair["layer"]["name"], pair["layer"]["type"], pair["layers"]) == ("if", "If", 3)


def test_expected_outputs(run: Run, tmp_path: Path) -> None:
    model = net(tmp_path / "a.xml", weight=2)
    np.save(tmp_path / "x.npy", f32([[1, 2, 3]]))
    np.save(tmp_path / "y.npy", f32([[2, 4, 6]]))
    np.savez(tmp_path / "y.npz", y=f32([[2, 4, 7]]))
    np.save(tmp_path / "z.npy", f32([2, 4]))
    given = ("-i", tmp_path / "x.npy")
    assert run("compare", model, tmp_path / "y.npy", *given).exit_code == 0
    (pair,) = compared(run, model, tmp_path / "y.npz", *given, status=1)["pairs"]
    assert pair["outputs"][0]["max"] == 1
    assert "layer" not in pair
    wrong = run("compare", model, tmp_path / "z.npy", *given)
    reason = "unknown: expected outputs do not tell which layer differs"
    text = f'output "y": [1,3] beside [2]\n\ndifferent: 1 of 1 output\n{reason}\n'
    assert (wrong.exit_code, wrong.stdout) == (1, text)
    np.savez(tmp_path / "y.npz", w=f32([1]))
    unknown = run("compare", model, tmp_path / "y.npz", *given)
    assert one_line(unknown) == f'error: {tmp_path / "y.npz"}: no output "w", expected y'


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Two folders: equal.xml, deep/other.xml that differs, and notes that are no IR."""
    for side in ("old", "new"):
        (tmp_path / side / "deep").mkdir(parents=True)
        net(tmp_path / side / "equal.xml")
        net(tmp_path / side / "deep" / "other.xml", weight=1 + (side == "new"))
    (tmp_path / "old" / "notes.xml").write_text("<notes/>")
    return tmp_path


@pytest.mark.parametrize("options", [[], pytest.param(["--jobs", "2"], marks=pytest.mark.rest)], ids=" ".join)
@pytest.mark.parametrize("pattern", ["", "**/*.xml"])
def test_folders(run: Run, folders: Path, options: list[str], pattern: str) -> None:
    result = run("compare", folders / "old" / pattern, folders / "new" / pattern, *options)
    assert result.exit_code == 1
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        ["deep/other.xml", "product", "different", "0.5"],
        ["equal.xml", "equal", "0"],
    ]
    assert result.stderr == "note: 2 pairs: 1 equal, 1 different, 0 failed\n"


def test_what_cannot_be_compared(run: Run, folders: Path) -> None:
    net(folders / "new" / "more.xml")
    (folders / "new" / "equal.xml").write_text("<net><layers>")
    result = run("compare", folders / "old", folders / "new")
    assert result.exit_code == 2
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["pair", "deep/other.xml"]
    lines = result.stderr.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("error: equal.xml: ") or "equal.xml" in lines[0]
    assert lines[1] == f"error: more.xml has no counterpart in {folders / 'old'}"
    assert lines[2] == "note: 3 pairs: 0 equal, 1 different, 2 failed"


def test_wrong_uses(run: Run, folders: Path, add: Path) -> None:
    model = folders / "old" / "equal.xml"
    assert one_line(run("compare", model, "no.xml")).startswith(
        "error: no.xml: there is no such file, expected a model"
    )
    assert one_line(run("compare", "no/*.xml", folders)).startswith("error: no/*.xml: there is no such file, expected")
    assert " are a file and a folder, expected two of one kind" in one_line(run("compare", folders / "old", model))
    assert "expected one of OTHER, --openvino and --onnx" in run("compare", model).stderr
    assert "expected one of OTHER, --openvino and --onnx" in run("compare", model, model, "--openvino").stderr
    assert one_line(run("compare", model, add)) == (
        f'error: {add}: the first model has no input "a:0", its inputs are x'
    )


def test_openvino(run: Run, tmp_path: Path) -> None:
    need("openvino")
    assert run("compare", DIGITS / "model.xml", "--openvino").exit_code == 0
    for name in ("a", "b"):
        shutil.copy(DIGITS / "model.xml", tmp_path / f"{name}.xml")
        shutil.copy(DIGITS / "model.bin", tmp_path / f"{name}.bin")
    assert compared(run, tmp_path, "--openvino", status=0)["equal"] == 2
    (pair,) = compared(run, DIGITS / "model.xml", "--openvino", "--rtol", "0", "--atol", "0", status=1)["pairs"]
    assert pair["layers"] > 10


def test_without_openvino(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    assert one_line(run("compare", DIGITS / "model.xml", "--openvino")) == (
        "error: --openvino needs the package openvino, which is not installed here; pip install openvino"
    )


def test_memory_need_not_hold_all_layers(run: Run, tmp_path: Path) -> None:
    """Each layer has 4,000 bytes and its workspace; two exist at the same time, out of 31."""

    def chain(path: Path, last: str) -> Path:
        made = Net()
        at = made.parameter("x", "1000")
        for index, type in enumerate((*["Abs", "Sin", "Cos"] * 10, last)):
            at = made.layer(type, [at], name=f"layer {index}", tensor=f"t{index}")
        made.result(at)
        return made.save(path)

    models = chain(tmp_path / "a.xml", "Abs"), chain(tmp_path / "b.xml", "Negative")
    result = run("compare", *models, "--max-memory", "80000", "--as-written")
    assert result.exit_code == 1
    assert 'first layer that differs: Abs "layer 30"' in result.stdout
    assert "constants" not in result.stdout


def test_differences() -> None:
    one = f32([[1, 2], [3, 4]])
    other = one + f32([[0, 1.5], [0, -2]])
    found = errors(one, other)
    assert (found.max, found.scale, found.is_exact) == (2, 4, False)
    assert found.cosine == pytest.approx(cosine(one.ravel(), other.ravel()))
    assert changed_rows(one, other) == (1, 2)
    assert errors(f32([np.nan, 1]), f32([np.nan, 1])).max == 0
    assert errors(f32([np.nan, 1]), f32([1, 1])).max == np.inf
    assert errors(np.array(["a"]), np.array(["a"], object)).max == 0
    assert errors(np.array(["a"]), np.array(["b"])).exceeds(1, 1)
    assert gaps(np.array([np.inf, np.inf]), np.array([np.inf, 1])).tolist() == [0, np.inf]
    assert (errors(f32([]), f32([])).max, changed_rows(f32([]), f32([]))) == (0, None)
    assert cosine(f32([1, 0]), f32([0, 1])) == 0


def test_the_largest_difference() -> None:
    one, words = f32([1, 2]), np.array(["a", "b"])
    assert largest([one, one], [one, one + f32([0, 1])]) == (1, pytest.approx(1 / 3))
    assert largest([one], [f32([1])]) == (None, None)
    assert largest([one], [words]) == (None, None)
    assert largest([words, words], [words, np.array(["a", "c"], object)]) == (np.inf, None)
    assert largest([one], [f32([0, 0])]) == (2, None)


@pytest.mark.parametrize(("stat", "status"), [("max", 1), ("rms", 1), ("mean", 0), ("median", 0)])
def test_the_statistic_that_is_checked(run: Run, tmp_path: Path, stat: str, status: int) -> None:
    """One of three elements differs by 1: the mean is 0.33, the root of the mean square 0.58."""
    model = net(tmp_path / "a.xml")
    np.save(tmp_path / "x.npy", f32([[1, 2, 3]]))
    np.save(tmp_path / "y.npy", f32([[1, 2, 4]]))
    arguments = (model, tmp_path / "y.npy", "-i", tmp_path / "x.npy", "--atol", "0.4", "--rtol", "0")
    assert run("compare", *arguments, "--check-error-stat", stat).exit_code == status


def test_the_optimisation_that_is_at_fault() -> None:
    ours, written, theirs = f32([1, 2]), f32([1, 2]), f32([1.5, 2])
    sides = {"model": ([ours], [written]), "OpenVINO": ([theirs], [written])}
    found = diagnose_optimisation(sides, Tolerance())
    assert (found.verdict, found.cause, found.suspects) == ("different", "optimisation", ())
    assert found.reason.endswith(
        "that of OpenVINO is at fault, relative errors against the layers as written are model 0, OpenVINO 0.25"
    )
    record = {"status": "different", "outputs": [], "layer": None, "layers": 9, **found.as_dict()}
    assert page(record).splitlines()[1] == f"nobody is suspected: optimisation; {found.reason}"


def test_without_onnx_runtime(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    (tmp_path / "m.onnx").write_bytes(b"")
    assert one_line(run("compare", DIGITS / "model.xml", "--onnx", tmp_path / "m.onnx")) == (
        "error: --onnx needs the package onnxruntime, which is not installed here; pip install 'irrun[onnx]'"
    )


def test_many_inputs_at_once(run: Run, tmp_path: Path) -> None:
    """The layers are compared on the worst input only."""
    (tmp_path / "in").mkdir()
    for name, value in (("a", 100), ("b", 1), ("c", 10)):
        np.save(tmp_path / "in" / f"{name}.npy", f32([[value, -value, value]]))
    models = net(tmp_path / "a.xml"), net(tmp_path / "b.xml", bias=0.05)
    record = compared(run, *models, "--batch", tmp_path / "in", status=1)
    assert (record["equal"], record["different"], record["worst"]) == (1, 2, "b")
    assert [(item["name"], item["status"], "layer" in item) for item in record["pairs"]] == [
        ("a", "equal", False),
        ("b", "different", True),
        ("c", "different", False),
    ]
    assert record["pairs"][1]["suspects"][0]["what"].endswith("0 beside 0.05")
    assert record["pairs"][2]["outputs"][0]["beyond"] == 2
    text = run("compare", *models, "--batch", tmp_path / "in")
    lines = text.stdout.splitlines()
    assert [line.split()[:3] for line in lines[:4]] == [
        ["input", "output", "result"],
        ["a", "y", "equal"],
        ["b", "y", "different"],
        ["c", "y", "different"],
    ]
    assert "worst: b" in lines
    assert any(line.startswith('suspected: Add "sum", constant: ') for line in lines)
    assert "note: 3 inputs: 1 equal, 2 different, 0 failed" in text.stderr
    equal = compared(run, models[0], models[0], "--batch", f"{tmp_path}/in/*.npy", status=0)
    assert (equal["equal"], equal["worst"]) == (3, None)
    failed = run("compare", models[0], models[1], "--batch", tmp_path / "in", "--fail-fast")
    assert "--batch compares one pair of models on all inputs, without --fail-fast" in failed.stderr


def test_a_class_that_is_lost(run: Run, tmp_path: Path) -> None:
    """Scores are a thousandth of the boxes beside them."""

    def detector(path: Path, factor: float) -> Path:
        made = Net()
        x = made.parameter("x", "1,4,8")
        scores = made.layer("Multiply", [made.layer("Sigmoid", [x]), made.constant(f32([factor]))])
        boxes = made.layer("Multiply", [made.layer("Sigmoid", [x]), made.constant(f32([1000]))])
        made.result(made.layer("Concat", [boxes, scores], axis=1, tensor="y"))
        return made.save(path)

    models = detector(tmp_path / "a.xml", 1), detector(tmp_path / "b.xml", 0)
    result = run("compare", *models, "--rtol", "0.01")
    assert result.exit_code == 0
    assert 'output "y", axis 1, 4-7 of 8: 0 throughout on the other side' in result.stdout
    (pair,) = compared(run, *models, "--rtol", "0.01", status=0)["pairs"]
    assert [(item["kind"], item["indices"]) for item in pair["outputs"][0]["slices"]] == [("zero", [4, 5, 6, 7])]


def test_random_inputs_have_sizes_that_fit(run: Run, tmp_path: Path) -> None:
    net = Net()
    x, y = net.parameter("x", "?,?"), net.parameter("y", "?,5")
    net.result(net.layer("MatMul", [net.layer("Concat", [x, y], "?,?", axis=1), net.normal(12, 3)], "?,3"))
    path = net.save(tmp_path / "net.xml")
    record = json.loads(run("compare", path, path, "--json").stdout)
    assert (record["equal"], record["failed"]) == (1, 0)

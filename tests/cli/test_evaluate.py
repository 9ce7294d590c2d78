"""irrun evaluate: metrics against formulas, from rows and from files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cases import f32, i64
from tests.cli.conftest import Run
from tests.nets import Net
from tests.processes import irrun

DIGITS = Path(__file__).parents[2] / "examples" / "digits"
Npy = Callable[[str, Any], str]


def test_rows(run: Run) -> None:
    given = ("--data", DIGITS / "heldout_images.npy", "--labels", DIGITS / "heldout_labels.npy")
    result = run("evaluate", DIGITS / "model.xml", *given, "-m", "top1", "-m", "top5")
    assert (result.exit_code, result.stdout) == (0, "top1: 99.17 % (357 of 360)\ntop5: 100.00 % (360 of 360)\n")
    record = json.loads(
        run("evaluate", DIGITS / "model.xml", *given, "-m", "top1", "--batch-size", "7", "--json").stdout
    )
    assert record == {"top1": {"value": 357 / 360, "count": 360}}


@pytest.mark.parametrize("options", [[], pytest.param(["--jobs", "2"], marks=pytest.mark.rest)], ids=["one", "two"])
@pytest.mark.parametrize("named", [False, True])
def test_files(run: Run, clamp: Path, npy: Npy, tmp_path: Path, options: list[str], named: bool) -> None:
    (tmp_path / "in").mkdir()
    expected = {}
    for index in range(11):
        np.save(tmp_path / "in" / f"{index}.npy", f32([np.eye(3)[index % 3]]))
        expected[str(index)] = i64(index % 3 if index else 2)
    labels = tmp_path / "labels.npz"
    np.savez(labels, **expected)  # type: ignore[arg-type]
    given = labels if named else npy("labels.npy", list(expected.values()))
    result = run("evaluate", clamp, "--batch", tmp_path / "in", "--labels", given, "--metric", "top1", *options)
    assert (result.exit_code, result.stdout) == (0, "top1: 90.91 % (10 of 11)\n")


def test_wrong_uses(run: Run, clamp: Path, npy: Npy, tmp_path: Path) -> None:
    labels, rows = npy("y.npy", i64([0, 1])), npy("x.npy", f32([[1, 0, 0], [0, 1, 0]]))

    def said(*arguments: Any) -> str:
        result = run("evaluate", clamp, "--labels", labels, "-m", "top1", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        return str(result.stderr.splitlines()[-1])

    assert said().endswith("expected one of --data and --batch")
    assert said("--data", rows, "--output", "score") == 'error: no output "score"; did you mean scores?'
    assert (
        said("--data", npy("z.npy", f32([[1, 0, 0]])))
        == "error: there are 2 labels, expected 1, one for each row of data"
    )
    assert said("--batch", rows) == "error: there are 2 labels, expected 1, one for each file"
    assert said("--data", rows, "-m", "psnr") == (
        "error: no metric psnr, expected top1, top5, iou, f1, confusion, mse, rmse, mae, r2, perplexity"
    )
    assert said("--data", rows, "-m", "rms") == "error: no metric rms; did you mean rmse?"
    assert said("--data", rows, "--predictions", "x.csv").endswith("--predictions and --save are for --batch")
    (tmp_path / "bad.npy").write_bytes(b"")
    assert said("--data", tmp_path / "bad.npy").startswith(f"error: {tmp_path / 'bad.npy'} is not a NumPy file")


def test_other_metrics_are_counted_in_elements_and_tokens(run: Run, clamp: Path, npy: Npy) -> None:
    rows = npy("x.npy", f32([[1, 0.5, 0], [0, 1, 0]]))
    truth = npy("y.npy", f32([[1, 0, 0], [0, 1, 0]]))
    assert (
        run("evaluate", clamp, "--data", rows, "--labels", truth, "-m", "mse").stdout == "mse: 0.0416667 (6 elements)\n"
    )
    labels = npy("z.npy", i64([0, -100]))
    printed = run("evaluate", clamp, "--data", rows, "--labels", labels, "-m", "perplexity").stdout
    assert printed == f"perplexity: {1 + math.exp(-0.5) + math.exp(-1):.6g} (1 token, 1 ignored)\n"


def test_rows_that_do_not_fit_the_model(run: Run, add: Path, npy: Npy, tmp_path: Path) -> None:
    def said(model: Path, *data: str, labels: Any) -> str:
        given = [item for path in data for item in ("--data", path)]
        result = run("evaluate", model, *given, "--labels", npy("labels.npy", labels), "-m", "mse")
        assert (result.exit_code, result.stdout) == (2, "")
        return str(result.stderr.splitlines()[-1])

    three, two = npy("three.npy", i64([1, 2, 3])), npy("two.npy", i64([1, 2]))
    assert said(add, f"a={two}", labels=i64([1, 2])) == 'error: no value for input "b:0" (i64[2])'
    assert (
        said(add, f"a={three}", f"b={three}", labels=i64([1, 2, 3]))
        == "error: there are 3 rows, expected a multiple of 2, the batch size of the model; "
        "--shape 'a:0[?]' --shape 'b:0[?]' takes any number"
    )
    assert (
        said(add, f"a={three}", f"b={two}", labels=i64([1]))
        == "error: the inputs have 2 and 3 rows, expected as many in each"
    )
    scalar = npy("scalar.npy", i64(1))
    assert said(add, f"a={scalar}", labels=i64([1])) == f'error: {scalar}: input "a:0" is a scalar, expected rows'
    net = Net()
    net.parameter("x", "1")
    empty = net.save(tmp_path / "empty.xml")
    assert said(empty, two, labels=i64([1, 2])) == "error: the model has no outputs"


def test_files_without_a_label_or_that_cannot_be_run(run: Run, clamp: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    np.save(tmp_path / "in" / "cat.npy", f32([[1, 0, 0]]))

    def said(**labels: Any) -> str:
        np.savez(tmp_path / "labels.npz", **labels)
        result = run("evaluate", clamp, "--batch", tmp_path / "in", "--labels", tmp_path / "labels.npz", "-m", "top1")
        assert (result.exit_code, result.stdout) == (2, "")
        return str(result.stderr.splitlines()[-1])

    path = tmp_path / "in" / "cat.npy"
    assert said(cats=i64(1)) == f"error: {path} has no label; did you mean cats?"
    assert said(zebra=i64(1)) == f"error: {path} has no label, expected one named cat"
    np.save(path, f32([[1, 0, 0, 0]]))
    assert said(cat=i64(1)) == "error: no input could be run, of 1"


def test_an_output_without_rows_of_scores(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    shown = net.layer("Equal", [x := net.parameter("x", "?,2"), x], tensor="same")
    net.result(shown)
    given = ("--data", npy("x.npy", f32([[1, 2]])), "--labels", npy("y.npy", i64([0])))
    result = run("evaluate", net.save(tmp_path / "same.xml"), *given, "-m", "top1")
    assert result.stderr.splitlines()[-1] == "error: the output is bool[1,2], expected scores of classes"


def test_a_failure_between_requests_ends_the_command(clamp: Path, npy: Npy) -> None:
    """Threads of requests end with the command, which is a process here as for users."""
    data, labels = npy("x.npy", f32([[1, 2, 3]])), npy("y.npy", f32([0]))
    ended = irrun("evaluate", clamp, "--batch", data, "--labels", labels, "-m", "top1", "--requests", "2")
    assert (ended.returncode, ended.stderr) == (2, f"error: {data}: the labels are float32, expected integers\n")

"""irrun evaluate: metrics against formulas, from rows and from files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.diagnostics.requests import RequestError
from irrun.evaluation.metrics import METRICS
from tests.cases import f32, i64
from tests.cli.conftest import Run
from tests.nets import Net
from tests.processes import irrun

DIGITS = Path(__file__).parents[2] / "examples" / "digits"
Npy = Callable[[str, Any], str]


def metric(name: str, output: Any, labels: Any) -> float:
    found = METRICS[name]()
    found.add(np.asarray(output), np.asarray(labels))
    return found.value()


def test_formulas() -> None:
    scores = f32([[1, 2, 3], [3, 2, 1], [np.nan, 0, 0], [0, 1, 0]])
    assert metric("top1", scores, i64([2, 1, 0, 1])) == 0.5
    assert metric("top5", scores, i64([2, 1, 0, 1])) == 0.75
    assert metric("mse", f32([[1, 2], [3, 4]]), f32([[1, 2], [3, 8]])) == 4
    assert metric("iou", i64([[0, 0, 1, 1]]), i64([[0, 1, 1, 1]])) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert metric("iou", f32([[[1, 1, 0, 0], [0, 0, 1, 1]]]), i64([[0, 1, 1, 1]])) == pytest.approx(7 / 12)
    logits = f32([[0, math.log(3)], [0, 0], [5, 5]])
    assert metric("perplexity", logits, i64([1, 0, -100])) == pytest.approx(math.sqrt(4 / 3 * 2))


def test_parts_add_up() -> None:
    random = np.random.default_rng(1)
    scores, labels = random.normal(size=(20, 6)).astype(np.float32), random.integers(0, 6, 20)
    for name in ("top1", "top5", "perplexity"):
        parts = METRICS[name]()
        for at in range(0, 20, 5):
            parts.add(scores[at : at + 5], labels[at : at + 5])
        assert parts.value() == pytest.approx(metric(name, scores, labels))
        assert parts.count == 20


@pytest.mark.parametrize(
    ("name", "labels", "message"),
    [
        ("top1", i64([1]), r"expected 2 labels, one for each row of \[2,3\], got 1"),
        ("top1", f32([1, 0]), "the labels are float32, expected integers"),
        ("perplexity", i64([1, 3]), "a label is outside of 0 to 2, expected classes of the output"),
        ("mse", f32([1]), r"the labels are float32\[1\], expected the shape of the output, \[2,3\]"),
        ("iou", i64([[1]]), r"the labels are int64\[1,1\], and the output is \[2,3\]; expected equal shapes"),
    ],
)
def test_labels_that_do_not_fit(name: str, labels: Any, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        metric(name, f32([[1, 2, 3], [3, 2, 1]]), labels)


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
    assert said("--data", rows, "-m", "top2").endswith("'top1', 'top5', 'mse', 'iou', 'perplexity'.")
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
    assert printed == f"perplexity: {1 + math.exp(-0.5) + math.exp(-1):.6g} (1 token)\n"


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
        == "error: there are 3 rows, expected a multiple of 2, the batch size of the model"
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
    assert said(cat=i64(1)).startswith(f'error: {path}: input "image:0" has shape [1,4], expected [?,3]')


def test_an_output_without_rows_of_scores(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    shown = net.layer("Equal", [x := net.parameter("x", "?,2"), x], tensor="same")
    net.result(shown)
    given = ("--data", npy("x.npy", f32([[1, 2]])), "--labels", npy("y.npy", i64([0])))
    result = run("evaluate", net.save(tmp_path / "same.xml"), *given, "-m", "top1")
    assert result.stderr.splitlines()[-1] == "error: the output is bool[1,2], expected scores along its last axis"


def test_a_failure_between_requests_ends_the_command(clamp: Path, npy: Npy) -> None:
    """Threads of requests end with the command, which is a process here as for users."""
    data, labels = npy("x.npy", f32([[1, 2, 3]])), npy("y.npy", f32([0]))
    ended = irrun("evaluate", clamp, "--batch", data, "--labels", labels, "-m", "top1", "--requests", "2")
    assert (ended.returncode, ended.stderr) == (2, "error: the labels are float32, expected integers\n")

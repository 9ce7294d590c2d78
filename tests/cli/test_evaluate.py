"""irrun evaluate: metrics against formulas, from rows and from files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.cli.failures import Failure
from irrun.cli.metrics import METRICS
from tests.cases import f32, i64
from tests.cli.conftest import Run

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
        ("top1", i64([1]), r"there are 1 labels, expected 2, one for each row of \[2,3\]"),
        ("top1", f32([1, 0]), "the labels are float32, expected integers"),
        ("perplexity", i64([1, 3]), "a label is outside of 0 to 2, expected classes of the output"),
        ("mse", f32([1]), r"the labels are float32\[1\], expected the shape of the output, \[2,3\]"),
        ("iou", i64([[1]]), r"the labels are int64\[1,1\], and the output is \[2,3\]; expected equal shapes"),
    ],
)
def test_labels_that_do_not_fit(name: str, labels: Any, message: str) -> None:
    with pytest.raises(Failure, match=message):
        metric(name, f32([[1, 2, 3], [3, 2, 1]]), labels)


def test_rows(run: Run) -> None:
    given = ("--data", DIGITS / "heldout_images.npy", "--labels", DIGITS / "heldout_labels.npy")
    result = run("evaluate", DIGITS / "model.xml", *given, "-m", "top1", "-m", "top5")
    assert (result.exit_code, result.stdout) == (0, "top1: 99.17 % (357 of 360)\ntop5: 100.00 % (360 of 360)\n")
    record = json.loads(
        run("evaluate", DIGITS / "model.xml", *given, "-m", "top1", "--batch-size", "7", "--json").stdout
    )
    assert record == {"top1": {"value": 357 / 360, "count": 360}}


@pytest.mark.parametrize("options", [[], ["--jobs", "2"]], ids=["one", "two"])
@pytest.mark.parametrize("named", [False, True])
def test_files(run: Run, clamp: str, npy: Npy, tmp_path: Path, options: list[str], named: bool) -> None:
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


def test_wrong_uses(run: Run, clamp: str, npy: Npy, tmp_path: Path) -> None:
    labels, rows = npy("y.npy", i64([0, 1])), npy("x.npy", f32([[1, 0, 0], [0, 1, 0]]))

    def said(*arguments: Any) -> str:
        result = run("evaluate", clamp, "--labels", labels, "-m", "top1", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        return str(result.stderr.splitlines()[-1])

    assert said().endswith("one of --data and --batch is needed")
    assert said("--data", rows, "--output", "score") == 'error: no output "score"; did you mean scores?'
    assert (
        said("--data", npy("z.npy", f32([[1, 0, 0]])))
        == "error: there are 2 labels, expected 1, one for each row of data"
    )
    assert said("--batch", rows) == "error: there are 2 labels, expected 1, one for each file"
    assert said("--data", rows, "-m", "top2").endswith("'top1', 'top5', 'mse', 'iou', 'perplexity'.")
    (tmp_path / "bad.npy").write_bytes(b"")
    assert said("--data", tmp_path / "bad.npy").startswith(f"error: {tmp_path / 'bad.npy'} is no NumPy file")

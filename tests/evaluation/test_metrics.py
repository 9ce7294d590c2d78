"""Metrics: the figures of scikit-learn on random cases, formulas by hand, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.diagnostics.requests import RequestError
from irrun.evaluation import score
from irrun.evaluation.matching import Matching
from irrun.evaluation.metrics import METRICS, top
from irrun.evaluation.tally import Score, Tally
from tests.cases import f32, i64
from tests.evaluation.record import RECORD

CASES = json.loads(RECORD.read_text(encoding="utf-8"))["cases"]


def found(name: str, output: Any, labels: Any, **how: Any) -> Score:
    return score([(np.asarray(output), np.asarray(labels))], [name], Matching(**how))[name]


def refused(name: str, output: Any, labels: Any, **how: Any) -> str:
    with pytest.raises(RequestError) as error:
        found(name, output, labels, **how)
    return str(error.value)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_figures_of_scikit_learn(number: int) -> None:
    """In one part, and in parts of three rows."""
    hows = {"classes": Matching(ignored=255), "numbers": Matching(), "threshold": Matching(threshold=0.5)}
    for kind, how in hows.items():
        case = CASES[number][kind]
        output, labels = np.array(case["output"]), np.array(case["labels"])
        parts = [(output[at : at + 3], labels[at : at + 3]) for at in range(0, len(labels), 3)]
        for pairs in ([(output, labels)], parts):
            scores = score(pairs, list(case["expected"]), how)
            assert {name: item.value for name, item in scores.items()} == pytest.approx(case["expected"], rel=1e-9)
            assert all(item.count + item.ignored == labels.size for name, item in scores.items() if kind == "classes")
        if kind == "classes":
            assert [list(row) for row in scores["confusion"].matrix] == case["matrix"]


def test_every_metric_is_compared_with_scikit_learn() -> None:
    compared = {name for case in CASES for kind in case.values() for name in kind["expected"]}
    assert compared - {f"top{k}" for k in range(1, 10)} == set(METRICS)


def test_the_guide_lists_every_metric() -> None:
    guide = Path(__file__).parents[2] / "docs" / "many-inputs.md"
    lines = guide.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
    listed = {(row[0].strip("`"), row[1], row[3]) for row in rows if len(row) == 4}
    declared = {(item.name, item.about, item.better) for item in (top(1), *METRICS.values())}
    assert {("topK" if name == "top1" else name, *rest) for name, *rest in declared} <= listed


def test_formulas() -> None:
    scores = f32([[1, 2, 3], [3, 2, 1], [np.nan, 0, 0], [0, 1, 0]])
    assert found("top1", scores, i64([2, 1, 0, 1])).value == 0.5
    assert found("top2", scores, i64([2, 1, 0, 1])).value == 0.75
    assert found("mse", f32([[1, 2], [3, 4]]), f32([[1, 2], [3, 8]])).value == 4
    assert found("iou", i64([[0, 0, 1, 1]]), i64([[0, 1, 1, 1]])).value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert found("iou", f32([[[1, 1, 0, 0], [0, 0, 1, 1]]]), i64([[0, 1, 1, 1]])).value == pytest.approx(7 / 12)
    logits = f32([[0, math.log(3)], [0, 0], [5, 5]])
    measured = found("perplexity", logits, i64([1, 0, -100]))
    assert (measured.value, measured.count, measured.ignored) == (pytest.approx(math.sqrt(4 / 3 * 2)), 2, 1)


def test_a_single_channel_has_a_threshold() -> None:
    """Perfect labels are perfect, with and without the axis of the channel."""
    labels = np.random.default_rng(0).integers(0, 2, (4, 1, 8, 8))
    chances = np.where(labels == 1, np.float32(0.9), np.float32(0.2))
    for truth in (labels, labels[:, 0], labels.astype(bool)):
        assert found("iou", chances, truth, threshold=0.5).value == 1
        assert found("f1", chances, truth, threshold=0.5).classes == {0: 1, 1: 1}
        assert "float32[4,1,8,8] has one number for each label; --threshold 0.5" in refused("iou", chances, truth)
        assert "has one number for each label; --threshold 0.5" in refused("top1", chances, truth)
    assert found("f1", f32([0.5, 0.6, np.nan]), i64([0, 1, 1]), threshold=0.5).classes == {
        0: 1,
        1: pytest.approx(2 / 3),
    }


def test_shapes_are_compared_and_not_sizes() -> None:
    images = np.arange(96, dtype=np.float32).reshape(2, 3, 4, 4)
    assert found("mse", images, images).value == 0
    for name in ("mse", "rmse", "mae", "r2"):
        assert refused(name, images, images.transpose(0, 2, 3, 1)) == (
            "the labels are float32[2,4,4,3], expected [2,3,4,4], the shape of the output; "
            "labels.transpose(0, 3, 1, 2) has it"
        )
    assert found("mae", f32([[1], [3]]), f32([1, 5])).value == 1
    masked = found("mae", f32([[1], [3], [9]]), f32([1, 5, -100]), ignored=-100)
    assert (masked.value, masked.count, masked.ignored) == (1, 2, 1)
    assert found("mae", f32([1]), f32([-100])).value == 101
    assert found("iou", np.eye(3, dtype=np.float32)[None, :, :, None], i64([0, 1, 2])).value == 1


def test_the_axis_of_the_classes() -> None:
    tokens = np.eye(4, dtype=np.float32)[[[0, 1, 2], [3, 2, 1]]]
    truth = i64([[0, 1, 2], [3, 2, 0]])
    for name, output in (("top1", tokens), ("confusion", tokens.transpose(0, 2, 1))):
        assert found(name, output, truth).value == pytest.approx(5 / 6)
    square = np.eye(3, dtype=np.float32)[[[0, 1, 2], [2, 2, 1]]]
    assert refused("top1", square, truth) == (
        "the labels int64[2,3] fit the output float32[2,3,3] with classes along axis 1 and along axis 2; "
        "--class-axis 1 or 2 says where they are"
    )
    assert found("top1", square, i64([[0, 1, 2], [2, 2, 0]]), axis=2).value == pytest.approx(5 / 6)
    assert found("top1", square, i64([[0, 1, 2], [2, 2, 0]]), axis=-1).value == pytest.approx(5 / 6)
    assert refused("top1", square, truth, axis=3) == "the output is float32[2,3,3], expected an axis 3"
    assert found("top1", f32([0, 2, 1]), i64(1)).value == 1
    assert found("top1", f32([[[[0]], [[2]], [[1]]]]), i64([1])).value == 1


ROWS = f32([[1, 2, 3], [3, 2, 1]])


@pytest.mark.parametrize(
    ("name", "labels", "message"),
    [
        ("top1", i64([1]), "the labels are int64[1], expected [2] for the output float32[2,3]"),
        ("top1", i64([1, 0, 1]), "the labels are int64[3], expected [2] for the output float32[2,3]"),
        ("f1", np.ones((2, 3), int), "has one number for each label; --threshold 0.5 makes classes 0 and 1"),
        ("f1", np.eye(3, dtype=int)[:2, :], "has one number for each label; labels.argmax(1) makes classes of one-hot"),
        ("top1", f32([1, 0]), "the labels are float32, expected integers"),
        ("top1", np.array(["a", "b"]), "the labels are <U1, expected integers"),
        ("top1", np.array([1, 2**64 - 1], np.uint64), "the labels hold 18446744073709551615, expected classes"),
        ("top1", i64([1, 3]), "label 3 is outside of the output, expected the classes 0 to 2; if labels begin at 1,"),
        ("iou", i64([-7, -7]), "label -7 is outside of the output, expected the classes 0 to 2; --ignore-label -7"),
        ("f1", i64([255, 1]), "label 255 is outside of the output, expected the classes 0 to 2; --ignore-label 255"),
        ("confusion", i64([9, -1]), "labels are -1 to 9, of which 2 are outside of the output, expected the classes 0"),
        ("perplexity", i64([1, 3]), "label 3 is outside of the output, expected the classes 0 to 2"),
        ("top3", i64([1, 2]), "top3 of 3 classes is always 100 %, expected more than 3 classes"),
        ("top5", i64([1, 2]), "top5 of 3 classes is always 100 %, expected more than 5 classes"),
        ("mse", f32([1]), "the labels are float32[1], expected [2,3], the shape of the output"),
        ("mse", np.array([["a"] * 3] * 2), "the labels are <U1[2,3], expected numbers"),
        ("r2", np.full((2, 3), 7.0), "r2: every label is 7, expected labels that differ"),
        ("iou", i64([[1]]), "the labels are int64[1,1], expected [2] for the output float32[2,3]"),
        ("top1", i64([-100, -100]), "top1 has no label to count: each of 2 labels is one to ignore"),
        ("mpe", i64([1, 2]), "no metric mpe; did you mean mse?"),
        ("top0", i64([1, 2]), "no metric top0"),
    ],
)
def test_labels_that_do_not_fit(name: str, labels: Any, message: str) -> None:
    assert message in refused(name, ROWS, labels)


@pytest.mark.parametrize(
    ("name", "output", "labels", "message"),
    [
        ("top1", np.array([["a", "b"]]), i64([0]), "the output is <U1[1,2], expected scores of classes"),
        ("top1", f32(3), i64([0, 1]), "the output is float32[], expected scores of classes"),
        ("top1", f32([[1], [2]]), i64([[0, 1], [0, 1]]), "the labels are int64[2,2], expected [2] for the output"),
        ("iou", f32([[[1], [2]]]), i64([[0], [1]]), "has one number for each label"),
        ("perplexity", f32([[0.5, 0.5], [0.1, 0.9]]), i64([0, 1]), "each row of scores sums to 1, as probabilities"),
        ("iou", i64([0, 1]), i64([0, -2]), "label -2 is outside of the output, expected the classes 0 to 16777215"),
        ("mse", np.array([True]), f32([1]), "the output is bool[1], expected numbers"),
        ("f1", ROWS, i64([0, 1]), ""),
    ],
)
def test_outputs_that_do_not_fit(name: str, output: Any, labels: Any, message: str) -> None:
    if message:
        assert message in refused(name, output, labels)
    else:
        assert refused(name, output, labels, threshold=0.5) == (
            "the labels are int64[2], expected [2,3], one for each number of the output"
        )


def test_an_infinite_perplexity_and_numbers_that_are_none() -> None:
    assert found("perplexity", f32([[0, 2000]]), i64([0])).value == math.inf
    assert math.isnan(found("mse", f32([np.nan]), f32([1])).value)
    assert found("iou", np.array([[np.nan, 1], [0, 1]]), i64([1, 1])).classes == {1: 0.5}


def test_sums_of_numbers_far_from_zero() -> None:
    random = np.random.default_rng(1)
    truth = 1e8 + random.normal(size=60)
    guess = truth + random.normal(size=60) / 2
    parts = [(guess[at : at + 7], truth[at : at + 7]) for at in range(0, 60, 7)]
    expected = 1 - np.square(guess - truth).sum() / np.square(truth - truth.mean()).sum()
    assert score(parts, ["r2"])["r2"].value == pytest.approx(expected, rel=1e-6)


def test_a_metric_without_a_value_for_one_input() -> None:
    tally = Tally(["r2", "mae"])
    assert tally.values(tally.part(f32([1]), f32([3]))) == {"r2": None, "mae": 2}

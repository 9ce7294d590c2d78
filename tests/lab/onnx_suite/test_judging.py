"""The comparison with the outputs that ONNX publishes."""

from __future__ import annotations

import pytest

from tests.cases import Array, f32, f64, i32
from tests.lab.onnx_suite.judging import Verdict, difference
from tests.lab.oracle import Answer


def answer(array: Array, type: str) -> Answer:
    return Answer([array], [type])


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        (answer(f32([1, 2]), "f32"), answer(f32([1, 2.001]), "f32"), ""),
        (answer(f32([1, 2]), "f32"), answer(f32([1, 2.5]), "f32"), "output 0 has 2.0 at [1], expected 2.5"),
        (answer(f32([1, 2]), "bf16"), answer(f32([1, 2.01]), "bf16"), ""),
        (answer(f32([float("nan")]), "f32"), answer(f32([float("nan")]), "f32"), ""),
        (answer(f32([[1]]), "f32"), answer(f32([1]), "f32"), "output 0 has the shape [1, 1], expected [1]"),
        (answer(f32([1]), "f32"), answer(f64([1]), "f64"), "output 0 is f32, expected f64"),
        (answer(i32([5]), "i32"), answer(i32([6]), "i32"), "output 0 has 5 at [0], expected 6"),
        (Answer(), answer(f32([1]), "f32"), "0 outputs, expected 1"),
        (Answer(refused="no such operation"), answer(f32([1]), "f32"), "no such operation"),
    ],
)
def test_difference(got: Answer, want: Answer, said: str) -> None:
    assert difference(got, want, 1e-3, 1e-7) == said


def test_irrun_passes_where_both_plans_do() -> None:
    assert Verdict("node/test_add").irrun == ""
    assert Verdict("node/test_add", as_written="wrong").irrun == "wrong"
    assert Verdict("node/test_add").kind == "node"

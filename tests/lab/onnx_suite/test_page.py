"""The record of ONNX's suite, and what is said of it."""

from __future__ import annotations

import pytest

from tests.lab import records
from tests.lab.onnx_suite import page as onnx_suite
from tests.lab.onnx_suite.judging import Verdict
from tests.lab.onnx_suite.reasons import REASONS, reason

VERDICTS = [
    Verdict("node/test_add"),
    Verdict("node/test_det", refused="Summary: -- No conversion rule found for operations: Det-22 To facilitate …"),
    Verdict("node/test_div_int32_trunc", optimized="output 0 has -2 at [0], expected -1"),
    Verdict("node/test_equal_string", openvino="unsupported src_prc: string"),
    Verdict("simple/test_x", optimized="wrong", openvino="wrong", alike=True, findings=["axis 5 … [IR304]"]),
]


def test_summary() -> None:
    record = onnx_suite.summary(VERDICTS)
    assert record["kinds"]["node"] == {"cases": 4, "converted": 3, "irrun": 2, "openvino": 2}
    assert record["kinds"]["simple"] == {"cases": 1, "converted": 1, "irrun": 0, "openvino": 0}
    assert record["not converted"] == {"no rule for Det-22": 1}
    assert list(record["openvino only"]) == ["node/test_div_int32_trunc"]
    assert list(record["irrun only"]) == ["node/test_equal_string"]
    assert list(record["neither"]) == record["alike"] == list(record["findings"]) == ["simple/test_x"]
    assert onnx_suite.totals(record)["cases"] == 5


def test_report_names_every_case_that_not_both_pass() -> None:
    record = onnx_suite.summary(VERDICTS)
    text = "\n".join(onnx_suite.report(record))
    assert [item.name for item in VERDICTS if item.name in text] == [
        "node/test_div_int32_trunc",
        "node/test_equal_string",
        "simple/test_x",
    ]
    assert onnx_suite.unexplained(record) == ["simple/test_x"]


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("Summary: -- No conversion rule found for operations: Det-22", "no rule for Det-22"),
        ("Unsupported data type INT2 expected: BOOL, … -- Conversion is failed for: Cast-28", "no element type INT2"),
        ("It must be 1. Summary: -- Conversion is failed for: Mod-28", "a form of Mod-28"),
        ("the inputs or the outputs are sequences or optional", "the inputs or the outputs are sequences or optional"),
    ],
)
def test_cause(message: str, cause: str) -> None:
    assert onnx_suite.cause(message) == cause


def test_every_recorded_case_has_a_reason() -> None:
    assert onnx_suite.unexplained(records.read(onnx_suite.RECORD)) == []


def test_every_reason_has_a_case() -> None:
    record = records.read(onnx_suite.RECORD)
    used = {(group, reason(group, name)) for group in REASONS for name in record[group]}
    assert [item.text for group, items in REASONS.items() for item in items if (group, item) not in used] == []


def test_no_model_has_a_finding() -> None:
    assert records.read(onnx_suite.RECORD)["findings"] == {}

"""The release of each operation is the first one that reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from irrun.ops.registry import declarations
from irrun.ops.releases import OTHERS, Need, first, least, number, release

DATA = Path(__file__).resolve().parents[2] / "docs" / "data" / "releases.json"
OLDEST = "2022.1"
"""The oldest release that was asked."""


def test_operations_have_the_release_that_reads_them() -> None:
    records = json.loads(DATA.read_text(encoding="utf-8"))
    wrong = {}
    for name, record in records.items():
        type, _, opset = name.replace("ReLU of opset", "ReLU").rpartition("-")
        said = first(type, f"opset{opset}")
        assert said is not None
        known = max(said, OLDEST, key=release)
        if record["reads"] not in (None, known):
            wrong[name] = said, record["reads"]
    assert len(records) > 250
    assert wrong == {}


def test_each_exception_is_a_version_of_an_operation() -> None:
    versions = {f"{cls.spec.type}-{number(cls.spec.version)}" for cls in declarations()}
    assert OTHERS.keys() <= versions


@pytest.mark.parametrize(
    ("operations", "ir_version", "expected"),
    [
        ([("Add", "opset1")], "10", Need("2020.1", "Add of opset1")),
        ([("Add", "opset1")], "11", Need("2022.1", "IR version 11")),
        ([("ScaledDotProductAttention", "opset13")], "11", Need("2023.3", "ScaledDotProductAttention of opset13")),
        ([("Add", "opset1"), ("Col2Im", "opset15")], "11", Need("2024.2", "Col2Im of opset15")),
        ([("Mine", "extension")], "10", None),
        ([("Add", "opset99")], "11", None),
    ],
)
def test_a_file_needs(operations: list[tuple[str, str]], ir_version: str, expected: Need | None) -> None:
    assert least(operations, ir_version) == expected

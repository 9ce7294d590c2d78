"""The release of each operation is the first one that reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from irrun.graph import Graph, Node
from irrun.inference import Facts
from irrun.linter import lint
from irrun.model import load
from irrun.model.needs import least
from irrun.model.summary import summarize
from irrun.ops.registry import declarations
from irrun.ops.releases import OTHERS, Need, first, number, release
from tests.exports.archives import NAMES, unpacked
from tests.nets import Net

DATA = Path(__file__).resolve().parents[2] / "docs" / "data" / "releases.json"
MODELS = DATA.with_name("releases-of-models.json")
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
        ([("Add", "opset1")], "10", (Need("2020.1", "Add of opset1"), "0")),
        ([("Add", "opset1")], "11", (Need("2022.1", "IR version 11"), "")),
        ([("Pad", "opset12"), ("Pad", "opset12")], "11", (Need("2023.1", "Pad of opset12"), "0")),
        ([("Add", "opset1"), ("Col2Im", "opset15")], "11", (Need("2024.2", "Col2Im of opset15"), "1")),
        ([("Mine", "extension")], "10", (None, "")),
        ([("Add", "opset99")], "11", (None, "")),
    ],
)
def test_a_file_needs(operations: list[tuple[str, str]], ir_version: str, expected: tuple[Need | None, str]) -> None:
    nodes = [
        Node(id, str(id), type, version, None, 0, 1, ((),), None, {}) for id, (type, version) in enumerate(operations)
    ]
    graph = Graph.of(nodes, {}, (), (), ())
    assert least(graph, Facts(graph, {}, {}, ()), ir_version) == expected


SDPA = "ScaledDotProductAttention of opset13"


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        (None, ("2023.3", SDPA)),
        ("1,1,3,5", ("2023.3", SDPA)),
        ("3,5", ("2023.3", SDPA)),
        ("1,1,?,5", ("2023.3", SDPA)),
        ("1,1,1,5", ("2024.3", f"{SDPA} with a mask that is broadcast to the scores")),
        ("1,1,3,1", ("2024.3", f"{SDPA} with a mask that is broadcast to the scores")),
    ],
)
def test_masks_that_are_broadcast_came_later(tmp_path: Path, mask: str | None, expected: tuple[str, str]) -> None:
    net = Net()
    inputs = [net.parameter(name, shape) for name, shape in (("q", "1,2,3,4"), ("k", "1,2,5,4"), ("v", "1,2,5,6"))]
    inputs += [] if mask is None else [net.parameter("mask", mask)]
    net.result(net.layer("ScaledDotProductAttention", inputs, opset=13, causal=False))
    summary = summarize(load(net.save(tmp_path / "net.xml")))
    assert (summary.openvino, summary.openvino_for) == expected


def test_a_sink_of_attention_came_later(tmp_path: Path) -> None:
    net = Net()
    shapes = (("q", "1,2,3,4"), ("k", "1,2,5,4"), ("v", "1,2,5,6"), ("mask", "3,5"), ("scale", ""), ("sink", "1,2,1,1"))
    net.result(
        net.layer("ScaledDotProductAttention", [net.parameter(*item) for item in shapes], opset=13, causal=False)
    )
    summary = summarize(load(net.save(tmp_path / "net.xml")))
    assert (summary.openvino, summary.openvino_for) == ("2025.4", f"{SDPA} with a sink")


def test_the_linter_names_uses_that_came_later(tmp_path: Path) -> None:
    net = Net()
    shapes = (("q", "1,2,3,4"), ("k", "1,2,5,4"), ("v", "1,2,5,6"), ("mask", "1,1,1,5"))
    inputs = [net.parameter(*item) for item in shapes]
    net.result(net.layer("ScaledDotProductAttention", inputs, opset=13, causal=False))
    path = net.save(tmp_path / "net.xml")
    assert [item.code for item in lint(path, target_version="2024.3")] == []
    assert [(item.code, item.message) for item in lint(path, target_version="2024.2")] == [
        ("IR701", f"{SDPA} with a mask that is broadcast to the scores is in OpenVINO from 2024.3 on, "
                  "the target is 2024.2")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("equation", "a", "b", "words"),
    [
        ("ab,bc->ac", "2,3", "3,4", ""),
        ("ab,ac->bc", "1,3", "2,4", " that broadcasts an axis"),
        ("...a,...a->...", "2,3", "1,3", " that broadcasts an axis"),
        ("...ab,...bc->...ac", "5,2,3", "5,3,4", ""),
        ("...ab,...bc->...ac", "5,6,2,3", "5,6,3,4", " with an ellipsis that is not one axis"),
        ("...ab,...bc->...ac", "2,3", "3,4", " with an ellipsis that is not one axis"),
        ("a...,a...->a...", "2,5,6", "2,5,6", ""),
        ("...ab,bc->...ac", "5,6,2,3", "3,4", ""),
    ],
)
def test_equations_that_came_later(tmp_path: Path, equation: str, a: str, b: str, words: str) -> None:
    net = Net()
    inputs = [net.parameter("a", a), net.parameter("b", b)]
    net.result(net.layer("Einsum", inputs, opset=7, equation=equation))
    summary = summarize(load(net.save(tmp_path / "net.xml")))
    release = "2025.1" if words else "2022.1"
    reason = f"Einsum of opset7{words}" if words else "IR version 11"
    assert (summary.openvino, summary.openvino_for) == (release, reason)


def test_models_are_read_by_the_release_that_is_named() -> None:
    """As recorded: the release reads the model; the one before refuses it, or reads it as something else.

    2024.0 reads pooling of opset14 as that of opset8, and releases before 2025.4 ignore a sink.
    """
    records = json.loads(MODELS.read_text(encoding="utf-8"))
    assert len(records) > 150
    assert [name for name, record in records.items() if not record["reads"]] == []
    older = [record for record in records.values() if record["before"] is not None]
    assert len(older) > 100
    read_otherwise = {"MaxPool of opset14", "AvgPool of opset14", f"{SDPA} with a sink"}
    assert {record["reason"] for record in older if record["before"]} == read_otherwise


@pytest.mark.sample(10)
@pytest.mark.parametrize("name", NAMES)
def test_the_release_of_a_model_is_the_recorded_one(tmp_path: Path, name: str) -> None:
    record = json.loads(MODELS.read_text(encoding="utf-8")).get(name)
    summary = summarize(load(unpacked(name, tmp_path).path))
    if record is not None:
        assert (summary.openvino, summary.openvino_for) == (record["release"], record["reason"])

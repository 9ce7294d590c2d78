"""Random graphs beside OpenVINO, and faults that are planted, found and shrunk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from irrun.ops import Op
from irrun.ops._declared.fused.fused_elementwise import FusedElementwise
from irrun.ops.registry import declarations, resolve
from irrun.tensor import Array
from tests.engines import need
from tests.lab.graphs.campaign import examine, keep
from tests.lab.graphs.departures import DEPARTURES
from tests.lab.graphs.engines import OpenVINO
from tests.lab.graphs.generate import generate
from tests.lab.graphs.graph import Graph
from tests.lab.graphs.judge import OPENVINO, Judge
from tests.lab.graphs.refusals import REFUSALS
from tests.lab.graphs.shrink import shrink
from tests.plugins.tiers import Campaign

SHARES = 8
"""Tests of the campaign, so that processes share its graphs evenly."""


@pytest.fixture(scope="module")
def openvino() -> Iterator[OpenVINO]:
    need("openvino")
    with OpenVINO() as process:
        yield process


def types(graph: Graph) -> list[str]:
    return [layer.op.type for layer in graph.layers]


@pytest.mark.parametrize("share", range(SHARES))
def test_agrees_with_the_native_plugin(
    share: int, openvino: OpenVINO, tmp_path: Path, campaign: Campaign, subtests: pytest.Subtests
) -> None:
    judge = Judge(tmp_path, openvino)
    for number in campaign.draws(1, 15):
        seed = SHARES * number + share
        with subtests.test(seed=seed):
            outcome = examine(seed, judge)
            assert outcome.findings == []
            assert outcome.layers


@pytest.mark.rest
def test_a_fault_in_a_kernel(openvino: OpenVINO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    operation = resolve("Sigmoid", "opset1")
    right = operation.run

    def wrong(self: Op, data: Array) -> Array:
        return np.asarray(right(self, data) + data.dtype.type(0.125))

    graph = next(graph for graph in map(generate, range(100)) if types(graph).count("Sigmoid") > 1)
    judge = Judge(tmp_path / "work", openvino)
    assert judge(graph, [OPENVINO]) == []
    monkeypatch.setattr(operation, "run", wrong)
    (finding,) = judge(graph, [OPENVINO])
    small = keep(graph, finding, judge, tmp_path / "found")
    assert types(small) == ["Sigmoid"]
    assert "Sigmoid" in (tmp_path / "found" / "graph.txt").read_text()
    assert (tmp_path / "found" / "model.xml").exists()


def test_a_fault_in_what_the_optimizer_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = FusedElementwise.run
    monkeypatch.setattr(FusedElementwise, "run", lambda *args, **given: right(*args, **given) * 2)
    judge = Judge(tmp_path / "work")
    plain = (graph for graph in map(generate, range(100)) if not any(layer.bodies for layer in graph.layers))
    graph, finding = next((graph, finding) for graph in plain for finding in judge(graph, ["optimized"]))
    small = keep(graph, finding, judge, tmp_path / "found")
    assert 1 <= len(types(small)) <= 3


@pytest.mark.rest
def test_a_graph_shrinks_to_the_layer_that_fails() -> None:
    graph = next(graph for graph in map(generate, range(100)) if {"SoftMax", "Concat"} <= {*types(graph)})
    small = shrink(graph, lambda candidate: "SoftMax" in types(candidate))
    assert types(small) == ["SoftMax"]
    assert sum(value.size for value in small.feeds) <= 1


def test_departures_are_those_of_operations() -> None:
    known = {"", *(cls.type for cls in declarations())}
    named = {*(type for row in DEPARTURES for type in row.types), *(row.type for row in REFUSALS)}
    assert named - known == set()

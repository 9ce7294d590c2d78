"""Propagation through a graph: the limit on body runs, and nodes that are in no file."""

from __future__ import annotations

import importlib

import pytest

from irrun.diagnostics import Anchor
from irrun.document import read
from irrun.graph import bind
from irrun.inference import infer
from tests.linter.models import ITERATOR, NET


def test_a_node_that_is_in_no_file_is_reported_without_a_place() -> None:
    graph = bind(read(NET.replace('element_type="f32"', 'element_type="string"').encode())).graph
    placeless = graph.with_nodes([node._replace(layer=None) for node in graph.ordered()])
    facts = infer(placeless, read(NET.encode()).weights)
    (found,) = facts.diagnostics
    assert (found.code, found.layer, found.anchor) == ("IR308", None, Anchor())
    assert "string" in found.message
    assert not facts.results()[0].type.is_known


@pytest.mark.parametrize(("most", "shape"), [(1000, "[1..,3]"), (0, "[...]")])
def test_bodies_that_are_run_too_often_have_unknown_outputs(
    most: int, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("irrun.inference.infer"), "MOST_RUNS", most)
    add = '<layer id="2" name="add" type="Add" version="opset1">'
    growing = ITERATOR.replace(add, add.replace("Add", "Concat") + '<data axis="0"/>')
    document = read(growing.encode())
    facts = infer(bind(document).graph, document.weights)
    assert [str(fact.shape) for fact in facts.results()] == [shape]

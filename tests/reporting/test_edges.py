"""Drawings of edges across ranks and against the order; differences of constants and of layers of a library."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from irrun.document.writer import Writer
from irrun.model import Loaded, load
from irrun.reporting.diff import Difference, diff
from irrun.reporting.drawing import scene_of
from irrun.reporting.drawing.svg import svg
from irrun.reporting.page.contents import titles
from irrun.reporting.page.histograms import histogram
from irrun.tensor import ElementType, Fact, Shape
from irrun.tensor.element_type import F16, F32, I64
from tests.nets import Net

SMALL = Fact(F32, Shape([2]))


def chain(path: Path, length: int, skips: list[int]) -> Loaded:
    """x through layers, added to what came before some of them."""
    net = Net()
    at = net.parameter("x", "2")
    tensors = [at]
    for number in range(length):
        at = net.layer("Tanh", [at], name=f"t{number}")
        tensors.append(at)
    for place in skips:
        at = net.layer("Add", [at, tensors[place]], name=f"add{place}")
    net.result(at)
    return load(net.save(path))


def test_edges_that_pass_ranks(tmp_path: Path) -> None:
    """The edges of one layer share a trunk, from which one leaves above each of its readers."""
    plain, skipping = (svg(scene_of(chain(tmp_path / "net.xml", 4, skips))) for skips in ([], [0, 0, 2]))
    paths = [len(re.findall("<path d=", text)) for text in (plain, skipping)]
    # Six edges of the chain; three additions have three more between them, three skips and two trunks.
    assert paths == [5, 5 + 3 + 3 + 2]
    assert "C" in skipping


def test_the_longest_edges_are_interrupted(tmp_path: Path) -> None:
    text = svg(scene_of(chain(tmp_path / "net.xml", 90, list(range(60)))))
    cuts = re.findall('<path class="cut" d="M[^M]*M[^M"]*"/>', text)
    assert len(cuts) == text.count('class="cut"') > 0


def library(type: str, **data: str) -> Loaded:
    ir = Writer("one")
    x = ir.parameter("x", F32, SMALL.shape)
    ir.result(ir.layer(type, "extension", [x], [SMALL], data, name="it")[0], "y")
    return load(ir.text.encode(), ir.weights)


def rows(found: Difference) -> list[tuple[str, str, str, str]]:
    return [(item.kind, item.what, item.before, item.after) for item in found.changes if not item.follows]


def test_attributes_of_a_layer_of_a_library() -> None:
    assert diff(library("Mystery", depth="3"), library("Mystery", depth="3")).is_equal
    assert rows(diff(library("Mystery", depth="3"), library("Mystery", depth="4"))) == [
        ("attribute", "depth", "3", "4")
    ]


def added(values: Any, type: ElementType | str, *, weights: bool = True) -> Loaded:
    net = Net()
    x = net.parameter("x", "2")
    constant = net.constant(np.asarray(values), type, name="c")
    wide = net.layer("Convert", [constant], destination_type="f32", name="wide")
    net.result(net.layer("Add", [x, wide], name="sum"))
    return load(net.ir.text.encode(), net.ir.weights if weights else None)


def test_constants_of_other_types_and_values() -> None:
    first = added([1, 2], I64)
    assert ("type", "value", "i64", "f32") in rows(diff(first, added([1, 2], F32)))
    assert rows(diff(first, added([1, 3], I64))) == [("constant", "1 of 2 values, the first", "2", "3")]
    assert rows(diff(added([0.0, 1], F32), added([-0.0, 1], F32))) == [("constant", "bytes", "", "")]
    found = diff(first, added([1, 3], I64, weights=False))
    assert found.unread


def test_texts_that_differ() -> None:
    def texts(*values: str) -> Loaded:
        net = Net()
        strings = net.constant(np.array(values, object), "string", name="c")
        net.result(net.layer("Relu", [net.parameter("x", "2")]), net.layer("ShapeOf", [strings], opset=3))
        return load(net.ir.text.encode(), net.ir.weights)

    assert diff(texts("a", "b"), texts("a", "b")).is_equal
    assert rows(diff(texts("a", "b"), texts("a", "c"))) == [("constant", "1 of 2 values, the first", "b", "c")]


def test_names_of_files() -> None:
    assert titles(["a/x.xml", "b/x.xml"]) == ["a/x.xml", "b/x.xml"]
    assert titles(["a/x.xml", "b/y.xml"]) == ["x.xml", "y.xml"]
    assert titles(["/a/x.xml", "a/x.xml"]) == ["/a/x.xml", "a/x.xml"]


def test_histograms() -> None:
    """The stored numbers of halves count; without finite numbers there are no bins."""
    lost = histogram(Fact.of(F32, np.full(64, np.nan, np.float32)))
    assert lost is not None
    assert (lost["nan"], lost["bins"]) == (64, [])
    halves = histogram(Fact.of(F16, np.linspace(-1, 1, 64, dtype=F16.dtype)))
    assert halves is not None
    assert (halves["min"], halves["max"], sum(halves["bins"])) == (-1, 1, 64)
    assert histogram(Fact.of(F32, np.zeros(2, np.float32))) is None

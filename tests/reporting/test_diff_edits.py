"""Edits of models: the difference is exactly the edit, and no edit goes unseen."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from irrun.diagnostics import IRError
from irrun.document.writer import Writer
from irrun.model import load
from irrun.reporting.diff import Difference, diff
from tests.exports.archives import NAMES, unpacked
from tests.loops import loop_model
from tests.plugins.tiers import Tier
from tests.reporting.models import network

Row = tuple[str, str, str, str, str]
Edit = Callable[[Any], None]


def rows(found: Difference) -> list[Row]:
    return [
        (item.kind, item.layer or item.other, item.what, item.before, item.after)
        for item in found.changes
        if not item.follows
    ]


def edited(ir: Writer, edit: Edit) -> Difference:
    root = etree.fromstring(ir.text.encode())
    edit(root)
    return diff(load(ir.text.encode(), ir.weights), load(etree.tostring(root), ir.weights))


def layer(root: Any, name: str) -> Any:
    return next(item for item in root.iter("layer") if item.get("name") == name)


def attribute(name: str, key: str, value: str) -> Edit:
    def edit(root: Any) -> None:
        layer(root, name).find("data").set(key, value)

    return edit


def given(name: str, key: str, value: str) -> Edit:
    return lambda root: layer(root, name).set(key, value)


def dim(name: str, word: str, value: str) -> Edit:
    def edit(root: Any) -> None:
        layer(root, name).find(f"{word}/port/dim").text = value

    return edit


def port(name: str, word: str, key: str, value: str) -> Edit:
    return lambda root: layer(root, name).find(f"{word}/port").set(key, value)


def fed(name: str, *sources: str) -> Edit:
    """Feed the inputs of a layer from other layers, in order."""

    def edit(root: Any) -> None:
        edges = [item for item in root.iter("edge") if item.get("to-layer") == layer(root, name).get("id")]
        for edge, source in zip(sorted(edges, key=lambda item: item.get("to-port")), sources, strict=True):
            producer = layer(root, source)
            edge.set("from-layer", producer.get("id"))
            edge.set("from-port", producer.find("output/port").get("id"))

    return edit


def without(name: str) -> Edit:
    """Remove a layer with its edges; what it fed is fed by what fed its first input."""

    def edit(root: Any) -> None:
        gone = layer(root, name)
        id, edges = gone.get("id"), list(root.iter("edge"))
        source = next((item for item in edges if (item.get("to-layer"), item.get("to-port")) == (id, "0")), None)
        for item in edges:
            if item.get("to-layer") == id:
                item.getparent().remove(item)
            elif item.get("from-layer") == id and source is not None:
                item.set("from-layer", source.get("from-layer"))
                item.set("from-port", source.get("from-port"))
        gone.getparent().remove(gone)

    return edit


def with_copy(name: str, new: str) -> Edit:
    """Add a copy of a layer, which reads what the layer reads and which nothing reads."""

    def edit(root: Any) -> None:
        old = layer(root, name)
        made = copy.deepcopy(old)
        made.set("name", new)
        made.set("id", "99")
        for item in made.iter("port"):
            item.attrib.pop("names", None)
        old.getparent().append(made)
        for item in list(root.iter("edge")):
            if item.get("to-layer") == old.get("id"):
                other = copy.deepcopy(item)
                other.set("to-layer", "99")
                item.getparent().append(other)

    return edit


def noted(root: Any) -> None:
    place = etree.SubElement(layer(root, "relu"), "rt_info")
    etree.SubElement(place, "attribute", name="fused_names", version="0", value="a")


def marked(root: Any) -> None:
    etree.SubElement(root.find("rt_info"), "author", value="me")


def mean(root: Any) -> None:
    place = etree.SubElement(root, "pre-process", {"reference-layer-name": "image"})
    for id in range(3):
        etree.SubElement(etree.SubElement(place, "channel", id=str(id)), "mean", value="0.5")


def unconnected(root: Any) -> None:
    root.find("edges").remove(root.find("edges/edge[@to-layer='9'][@to-port='1']"))


EDITS: list[tuple[str, Edit, list[Row]]] = [
    ("an attribute", attribute("conv", "dilations", "2,2"), [("attribute", "conv", "dilations", "1, 1", "2, 2")]),
    ("a word", attribute("pool", "rounding_type", "ceil"), [("attribute", "pool", "rounding_type", "floor", "ceil")]),
    ("a flag", attribute("flat", "special_zero", "false"), [("attribute", "flat", "special_zero", "true", "false")]),
    ("a misspelt attribute", attribute("conv", "stridez", "2,2"), [("attribute", "conv", "stridez", "", "2,2")]),
    ("an attribute of a layer without any", lambda root: etree.SubElement(layer(root, "relu"), "data", odd="1"),
     [("attribute", "relu", "odd", "", "1")]),
    ("an operation", given("left", "type", "Exp"), [("operation", "left", "operation", "Sigmoid-1", "Exp-1")]),
    ("an unknown operation", given("right", "type", "Tnh"),
     [("operation", "right", "operation", "Tanh-1", "Tnh-1")]),
    ("a version", given("pool", "version", "opset8"), [("operation", "pool", "operation", "MaxPool-1", "MaxPool-8")]),
    ("the name of a layer", given("relu", "name", "act"), [("renamed", "relu", "layer", "relu", "act")]),
    ("the name of a constant", given("kernel", "name", "w"), [("renamed", "kernel", "layer", "kernel", "w")]),
    ("the name of an input", given("image", "name", "x"), [("renamed", "image", "layer", "image", "x")]),
    ("the name of the model", lambda root: root.set("name", "other"), [("renamed", "", "name", "net", "other")]),
    ("a tensor name", port("sum", "output", "names", "total"),
     [("renamed", "sum", "tensor names of output 0", "sum", "total")]),
    ("a tensor name of a constant", port("kernel", "output", "names", "w"),
     [("renamed", "kernel", "tensor names of output 0", "", "w")]),
    ("the name of an output", given("scores", "output_names", "y"),
     [("renamed", "scores", "output names", "flat", "y")]),
    ("the version of the format", lambda root: root.set("version", "10"),
     [("attribute", "", "IR version", "11", "10")]),
    ("the shape of an input", attribute("image", "shape", "2,3,8,8"),
     [("shape", "image", "output 0", "[1,3,8,8]", "[2,3,8,8]")]),
    ("an open size", attribute("image", "shape", "?,3,8,8"),
     [("shape", "image", "output 0", "[1,3,8,8]", "[?,3,8,8]")]),
    ("the type of an input", attribute("image", "element_type", "f64"), [("type", "image", "output 0", "f32", "f64")]),
    ("a declared size of an output", dim("relu", "output", "2"),
     [("shape", "relu", "declared output 0", "[1,4,8,8]", "[2,4,8,8]")]),
    ("a declared size of an input", dim("pool", "input", "2"),
     [("shape", "pool", "declared input 0", "[1,4,8,8]", "[2,4,8,8]")]),
    ("a declared size of a constant", dim("offsets", "output", "3"),
     [("shape", "offsets", "declared output 0", "[1,4,1,1]", "[3,4,1,1]")]),
    ("a declared type", port("left", "output", "precision", "FP16"),
     [("type", "left", "declared output 0", "f32", "f16")]),
    ("a constant", attribute("offsets", "offset", "0"),
     [("constant", "offsets", "4 of 4 values, the first", "1.75338", "0.345584")]),
    ("the shape of a constant", attribute("shape", "shape", "1,2"), [("shape", "shape", "value", "[2]", "[1,2]")]),
    ("the type of a constant", attribute("shape", "element_type", "u64"), [("type", "shape", "value", "i64", "u64")]),
    ("a removed layer", without("relu"), [("removed", "relu", "", "", "")]),
    ("a removed layer with a constant", without("bias"), [("removed", "bias", "", "", "")]),
    ("an added layer", with_copy("left", "new"), [("added", "new", "", "", "")]),
    ("an added constant", with_copy("offsets", "new"), [("added", "new", "", "", "")]),
    ("another source", fed("sum", "left", "left"), [("edge", "sum", "input 1", "right", "left")]),
    ("swapped inputs", fed("sum", "right", "left"),
     [("edge", "sum", "input 0", "left", "right"), ("edge", "sum", "input 1", "right", "left")]),
    ("swapped inputs, one a constant", fed("bias", "offsets", "conv"),
     [("edge", "bias", "input 0", "conv", "offsets"), ("edge", "bias", "input 1", "offsets", "conv")]),
    ("a layer in place of a constant", fed("bias", "conv", "conv"), [("edge", "bias", "input 1", "offsets", "conv")]),
    ("a missing edge", unconnected, [("edge", "sum", "input 1", "right", "none")]),
    ("a note on a layer", noted, [("info", "relu", "fused_names", "", "a")]),
    ("a note on the model", marked, [("info", "", "author", "", "me")]),
    ("means of an input", mean, [("attribute", "image", "mean", "", "0.5, 0.5, 0.5")]),
]  # fmt: skip

IN_A_BODY: list[tuple[str, Edit, list[Row]]] = [
    ("an operation", given("Less_7", "type", "LessEqual"),
     [("operation", "Loop_3/Less_7", "operation", "Less-1", "LessEqual-1")]),
    ("an attribute", attribute("Convert_2", "destination_type", "f64"),
     [("attribute", "Loop_3/Convert_2", "destination_type", "f32", "f64")]),
    ("the name of a layer", given("Add_3", "name", "more"), [("renamed", "Loop_3/Add_3", "layer", "Add_3", "more")]),
    ("a declared size", dim("Add_3", "output", "3"),
     [("shape", "Loop_3/Add_3", "declared output 0", "[1,2]", "[3,2]")]),
    ("the port map", lambda root: root.find(".//port_map/output[@axis]").set("axis", "1"),
     [("attribute", "Loop_3/Result_8", "port map", "body: output 0, output 1 sliced along (0, 0, -1, 1, 1), fed back",
       "body: output 0, output 1 sliced along (1, 0, -1, 1, 1), fed back")]),
    ("the shape of an input of the model", attribute("x", "shape", "3,2"),
     [("shape", "x", "output 0", "[1,2]", "[3,2]")]),
    ("a trip count", attribute("Const_1", "offset", "9"), [("constant", "Const_1", "value", "5", "0")]),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "expected"), [item[1:] for item in EDITS], ids=[item[0] for item in EDITS])
def test_the_difference_is_the_edit(edit: Edit, expected: list[Row]) -> None:
    assert rows(edited(network(), edit)) == expected


@pytest.mark.parametrize(("edit", "expected"), [item[1:] for item in IN_A_BODY], ids=[item[0] for item in IN_A_BODY])
def test_the_difference_is_the_edit_around_a_body(tmp_path: Path, edit: Edit, expected: list[Row]) -> None:
    path = loop_model(tmp_path, 5, 100.0)
    root = etree.parse(path).getroot()
    edit(root)
    found = diff(load(path), load(etree.tostring(root), path.with_suffix(".bin").read_bytes()))
    assert rows(found) == expected


UNSEEN = {"id", "from-layer", "from-port", "to-layer", "to-port", "internal_layer_id", "external_port_id"}
"""Numbers of layers and ports."""


def places(root: Any) -> Iterator[tuple[str, Edit]]:
    """Yield an edit of each attribute and text of a file, and of each element that can go."""
    for number, element in enumerate(root.iter()):
        for key in element.attrib:
            if key not in UNSEEN:
                yield f"{element.tag} {key} {number}", lambda root, n=number, key=key: _other(root, n, key)
        if element.text is not None and element.text.strip():
            yield f"{element.tag} text {number}", lambda root, n=number: _text(root, n)
        if element.tag in ("layer", "edge", "dim", "port") and element.getparent().tag != "back_edges":
            yield f"no {element.tag} {number}", lambda root, n=number: _gone(root, n)


def _at(root: Any, number: int) -> Any:
    return list(root.iter())[number]


def _other(root: Any, number: int, key: str) -> None:
    element = _at(root, number)
    text = element.get(key)
    element.set(key, str(int(text) + 1) if text.isdigit() else f"{text}x")


def _text(root: Any, number: int) -> None:
    element = _at(root, number)
    element.text = str(int(element.text) + 1)


def _gone(root: Any, number: int) -> None:
    element = _at(root, number)
    element.getparent().remove(element)


@pytest.mark.parametrize("name", ["network", "loop"])
def test_no_edit_goes_unseen(tmp_path: Path, name: str, tier: Tier, subtests: pytest.Subtests) -> None:
    text, weights = network().text.encode(), network().weights
    if name == "loop":
        path = loop_model(tmp_path, 5, 100.0)
        text, weights = path.read_bytes(), path.with_suffix(".bin").read_bytes()
    whole, count = load(text, weights), 0
    for place, edit in tier.part(list(places(etree.fromstring(text))), 70):
        root = etree.fromstring(text)
        edit(root)
        with subtests.test(place=place):
            try:
                found = diff(whole, load(etree.tostring(root), weights))
            except IRError:
                continue
            count += 1
            assert rows(found), place
    assert count > 30


def test_twins_of_a_constant_are_told_apart_by_name() -> None:
    ir = network()
    root = etree.fromstring(ir.text.encode())
    with_copy("offsets", "twin")(root)
    text = etree.tostring(root)
    fed("bias", "conv", "twin")(root)
    first, second = load(text, ir.weights), load(etree.tostring(root), ir.weights)
    assert rows(diff(first, second)) == [
        ("renamed", "offsets", "layer", "offsets", "twin"),
        ("renamed", "twin", "layer", "twin", "offsets"),
    ]
    assert diff(first, second, names=False).is_equal


@pytest.mark.parametrize("name", NAMES[:: len(NAMES) // 8])
def test_exports_without_one_layer(tmp_path: Path, name: str) -> None:
    """Each removed layer is named; what follows from it is not counted."""
    path = unpacked(name, tmp_path).path
    text, whole = path.read_bytes(), load(path)
    weights = path.with_suffix(".bin").read_bytes()
    layers = [item for item in etree.fromstring(text).find("layers") if item.find("input") is not None]
    middle = layers[len(layers) // 2].get("name")
    root = etree.fromstring(text)
    without(middle)(root)
    found = diff(whole, load(etree.tostring(root), weights))
    assert {row[:2] for row in rows(found)} == {("removed", middle)}

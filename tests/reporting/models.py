"""Models for the tests of reports, as texts whose layers can be changed."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from irrun.document.writer import Writer
from irrun.model import Loaded, load
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64
from tests.loops import loop_model

IMAGE = Fact(F32, Shape([1, 3, 8, 8]))
MAP = Fact(F32, Shape([1, 4, 8, 8]))
SMALL = Fact(F32, Shape([1, 4, 4, 4]))

WINDOW = {"strides": "1,1", "dilations": "1,1", "pads_begin": "1,1", "pads_end": "1,1", "auto_pad": "explicit"}
POOL = {"strides": "2,2", "kernel": "2,2", "pads_begin": "0,0", "pads_end": "0,0", "rounding_type": "floor"}
NUMPY = {"auto_broadcast": "numpy"}


def network(*, names: str = "", pool: str = "2,2") -> Writer:
    """Return image -> conv -> bias -> relu -> pool -> {left: sigmoid, right: tanh} -> sum -> flat."""
    ir = Writer("net")
    generator = np.random.default_rng(1)
    image = ir.parameter("image", F32, IMAGE.shape)
    kernel = ir.constant(generator.normal(size=(4, 3, 3, 3)).astype("f4"), F32, "kernel")
    bias = ir.constant(generator.normal(size=(1, 4, 1, 1)).astype("f4"), F32, "offsets")

    def layer(type: str, version: str, inputs: list[Any], fact: Fact, data: dict[str, str], name: str) -> Any:
        return ir.layer(type, version, inputs, [fact], data, name=name + names, names=[name])[0]

    conv = layer("Convolution", "opset1", [image, kernel], MAP, WINDOW, "conv")
    biased = layer("Add", "opset1", [conv, bias], MAP, NUMPY, "bias")
    relu = layer("ReLU", "opset1", [biased], MAP, {}, "relu")
    pooled = layer("MaxPool", "opset1", [relu], SMALL, {**POOL, "strides": pool}, "pool")
    left = layer("Sigmoid", "opset1", [pooled], SMALL, {}, "left")
    right = layer("Tanh", "opset1", [pooled], SMALL, {}, "right")
    total = layer("Add", "opset1", [left, right], SMALL, NUMPY, "sum")
    shape = ir.constant(np.array([0, -1]), I64, "shape")
    flat = layer("Reshape", "opset1", [total, shape], Fact(F32, Shape([1, 64])), {"special_zero": "true"}, "flat")
    ir.result(flat, "scores")
    return ir


def loaded(ir: Writer, *changes: tuple[str, str]) -> Loaded:
    """Return a model with parts of its text replaced, each of which it must have."""
    text = ir.text
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return load(text.encode(), ir.weights)


def looping(folder: Path) -> Loaded:
    return load(loop_model(folder, 5, 100.0))


def shuffled(text: bytes, seed: int, *, rename: bool = False) -> bytes:
    """Return an IR with other ids and another order of layers and edges, also in bodies, and with other names."""
    root = etree.fromstring(text)
    _shuffle(root, random.Random(seed), rename)
    return etree.tostring(root)


def _shuffle(net: Any, generator: random.Random, rename: bool) -> dict[str, str]:
    layers, edges = net.find("layers"), net.find("edges")
    numbers = list(range(100, 100 + len(layers)))
    generator.shuffle(numbers)
    ids = {layer.get("id"): str(number) for layer, number in zip(layers, numbers, strict=True)}
    for layer in layers:
        layer.set("id", ids[layer.get("id")])
        if rename:
            layer.set("name", f"layer {layer.get('id')}")
        for body in layer.findall("body") + layer.findall("then_body") + layer.findall("else_body"):
            inner = _shuffle(body, generator, rename)
            for entry in layer.find(body.tag.replace("body", "port_map")):
                entry.set("internal_layer_id", inner[entry.get("internal_layer_id")])
            for edge in layer.find("back_edges") if layer.find("back_edges") is not None else ():
                edge.set("from-layer", inner[edge.get("from-layer")])
                edge.set("to-layer", inner[edge.get("to-layer")])
    for edge in edges:
        edge.set("from-layer", ids[edge.get("from-layer")])
        edge.set("to-layer", ids[edge.get("to-layer")])
    for parent in (layers, edges):
        children = list(parent)
        generator.shuffle(children)
        parent[:] = children
    return ids


def without_layer(ir: Writer, name: str) -> bytes:
    """Return the text without a layer of one input, whose consumers are fed by what feeds it."""
    root = etree.fromstring(ir.text.encode())
    layer = next(item for item in root.find("layers") if item.get("name") == name)
    edges = root.find("edges")
    source = next(edge for edge in edges if edge.get("to-layer") == layer.get("id"))
    for edge in edges:
        if edge.get("from-layer") == layer.get("id"):
            edge.set("from-layer", source.get("from-layer"))
            edge.set("from-port", source.get("from-port"))
    edges.remove(source)
    root.find("layers").remove(layer)
    return etree.tostring(root)


def save(folder: Path, name: str, ir: Writer, *changes: tuple[str, str]) -> Path:
    """Write a model with parts of its text replaced."""
    path = folder / name
    text = ir.text
    for old, new in changes:
        assert re.search(re.escape(old), text), old
        text = text.replace(old, new)
    path.write_text(text)
    path.with_suffix(".bin").write_bytes(ir.weights)
    return path

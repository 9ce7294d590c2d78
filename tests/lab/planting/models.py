"""Faults planted into models, and whether the commands of ``irrun debug`` name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.debugging.answers import Answers
from irrun.debugging.blaming import blame
from irrun.debugging.cases import layers_of, of_sizes
from irrun.debugging.cutting import constant_nodes, model_of
from irrun.debugging.layers import Tolerance, compare_layers
from irrun.debugging.shrinking import hold
from irrun.debugging.sides import ModelSide
from irrun.debugging.stopping import AS_WRITTEN, first_not_finite
from irrun.diagnostics import IRError, OpError
from irrun.editing import MutableGraph
from irrun.graph import Node, Outlet
from irrun.model import Loaded, build, load
from irrun.model.random_inputs import random_input
from irrun.openvino.nodes.records import with_attribute
from irrun.ops._declared.activation.relu import ReLU
from irrun.ops._declared.arithmetic.log import Log
from irrun.ops._declared.arithmetic.multiply import Multiply
from irrun.ops._declared.infrastructure.const import HeldConst
from irrun.tensor import Array, Fact

PRODUCTS: Final = ("Convolution", "GroupConvolution", "MatMul", "ConvolutionBackpropData", "LSTMSequence")


class Planted(NamedTuple):
    """A model with a fault in one layer."""

    layer: str
    model: Loaded


def _edited(model: Loaded) -> MutableGraph:
    return MutableGraph(model.graph, model.facts, model.weights)


def _done(model: Loaded, edited: MutableGraph, layer: str) -> Planted | None:
    """Return the model where its outputs have the types and shapes that they had."""
    try:
        graph, facts = edited.freeze()
    except OpError:
        return None
    made = model_of(model, graph, facts)
    same = [(a.type, a.shape) for a in facts.results()] == [(a.type, a.shape) for a in model.facts.results()]
    return Planted(layer, made) if same and not facts.diagnostics else None


def _constants(model: Loaded, *types: str, last: bool = True) -> Iterator[tuple[Node, int, Array]]:
    """Yield layers of some types with each constant of theirs, and its value; ``last`` leaves out the first input."""
    known = constant_nodes(model.graph)
    for node in model.graph.ordered():
        if node.type not in types or node.id in known:
            continue
        for port, outlet in enumerate(model.graph.sources(node.id)):
            if outlet is None or outlet.node not in known or (last and not port):
                continue
            id = outlet.node
            while model.graph.node(id).type == "Convert":
                id = model.graph.sources(id)[0].node  # type: ignore[union-attr]
            value = model.facts[Outlet(id, 0)].constant
            if model.graph.node(id).type == "Const" and value is not None and _users(model, id) == 1:
                yield node, id, value


def _users(model: Loaded, id: int) -> int:
    following = list(model.graph.successors(id))
    return sum(_users(model, one) if model.graph.node(one).type == "Convert" else 1 for one in following)


def _with_value(model: Loaded, node: Node, id: int, value: Array) -> Planted | None:
    edited = _edited(model)
    hold(edited, id, Fact.of(model.facts[Outlet(id, 0)].type, np.ascontiguousarray(value)))
    return _done(model, edited, node.name)


def weight(model: Loaded) -> Iterator[Planted | None]:
    """A weight of a product is another number."""
    for node, id, value in _constants(model, *PRODUCTS):
        if value.dtype.kind == "f" and value.size > 8:
            other = value.copy()
            other.flat[value.size // 2] += 4 * np.abs(value).max() + 1
            yield _with_value(model, node, id, other)


def scale(model: Loaded) -> Iterator[Planted | None]:
    """A factor is half as large again."""
    for node, id, value in _constants(model, "Multiply", "Divide"):
        if value.dtype.kind == "f":
            yield _with_value(model, node, id, value * np.float32(1.5))


def transposed(model: Loaded) -> Iterator[Planted | None]:
    """A square matrix is transposed."""
    for node, id, value in _constants(model, *PRODUCTS):
        square = value.ndim >= 2 and value.shape[-2] == value.shape[-1] > 1
        if value.dtype.kind == "f" and square:
            yield _with_value(model, node, id, value.swapaxes(-1, -2))


def pad(model: Loaded) -> Iterator[Planted | None]:
    """A convolution pads on the other side."""
    for node in model.graph.ordered():
        begin = getattr(node.op, "pads_begin", None)
        if node.type in ("Convolution", "GroupConvolution") and begin and begin[0] == 1:
            end = tuple(node.op.pads_end)  # type: ignore[union-attr]
            edited = _edited(model)
            record = with_attribute(node, "pads_begin", [0, *begin[1:]])
            edited.update(with_attribute(record, "pads_end", [end[0] + 1, *end[1:]]))
            yield _done(model, edited, node.name)


def axis(model: Loaded) -> Iterator[Planted | None]:
    """An operation works along another axis, or two axes are swapped."""
    for node in model.graph.ordered():
        if node.type in ("SoftMax", "Softmax"):
            edited = _edited(model)
            rank = model.facts[Outlet(node.id, 0)].rank or 1
            edited.update(with_attribute(node, "axis", (int(node.op.axis) - 1) % rank))  # type: ignore[union-attr]
            yield _done(model, edited, node.name)
    for node, id, value in _constants(model, "Transpose"):
        for one in range(value.size - 1):
            other = value.copy()
            other[[one, one + 1]] = other[[one + 1, one]]
            yield _with_value(model, node, id, other)


def shifted(model: Loaded) -> Iterator[Planted | None]:
    """A slice, or an index, begins one element earlier or later."""
    for node in model.graph.ordered():
        if node.type in ("Slice", "StridedSlice"):
            ids = [outlet.node for outlet in model.graph.sources(node.id)[1:3] if outlet is not None]
            for step in (1, -1):
                edited = _edited(model)
                facts = [model.facts[Outlet(id, 0)] for id in ids if model.graph.node(id).type == "Const"]
                if len(facts) < len(ids):
                    continue
                for id, fact in zip(ids, facts, strict=True):
                    hold(edited, id, Fact.of(fact.type, fact.constant + step))  # type: ignore[operator]
                yield _done(model, edited, node.name)
    for node, id, value in _constants(model, "Gather"):
        for step in (1, -1):
            yield _with_value(model, node, id, value + value.dtype.type(step))


def log_of_zero(model: Loaded) -> Iterator[Planted | None]:
    """A logarithm follows a layer that has zeros."""
    for node in model.graph.ordered():
        if node.type in ("ReLU", "Clamp"):
            yield _inserted(model, node, [("planted", Log(), None)], "planted")
    for node in model.graph.ordered():
        if node.type in ("Add", "MatMul") and node.id not in constant_nodes(model.graph):
            yield _inserted(model, node, [("zeros", ReLU(), None), ("planted", Log(), None)], "planted")


def overflow(model: Loaded) -> Iterator[Planted | None]:
    """A product that f16 cannot hold, divided again."""
    for node in model.graph.ordered():
        if node.type in ("Add", "MatMul", "ReLU") and node.id not in constant_nodes(model.graph):
            factors = [("planted", Multiply(), 60000.0), ("back", Multiply(), 1 / 60000)]
            yield _inserted(model, node, factors, "planted")


def _inserted(model: Loaded, node: Node, layers: list[tuple[str, Any, float | None]], name: str) -> Planted | None:
    """Return a model with layers between a layer and its consumers; a number is the constant of a layer."""
    outlet = Outlet(node.id, 0)
    fact = model.facts.get(outlet)
    if fact is None or not fact.type.is_float:
        return None
    edited = _edited(model)
    consumers = edited.consumers(outlet)
    at = outlet
    for own, op, number in layers:
        inputs = [at]
        if number is not None:
            value = Fact.of(fact.type, np.array(number, np.float32))
            record = Node(-1, f"{own}/factor", "Const", "opset1", HeldConst.of(value), 0, 1, ((),), None, {})
            inputs.append(Outlet(edited.add(record, (), [value]), 0))
        record = Node(-1, own, op.type, f"opset{op.opset}", op, 0, 1, ((),), None, {})
        at = Outlet(edited.add(record, inputs), 0)
    for inlet in consumers:
        edited.connect(at, inlet)
    return _done(model, edited, name)


KINDS: Final[Mapping[str, Callable[[Loaded], Iterator[Planted | None]]]] = {
    kind.__name__: kind for kind in (weight, scale, transposed, pad, axis, shifted, log_of_zero, overflow)
}


def inputs_of(model: Loaded) -> dict[int, Array]:
    return {port.index: random_input(port, 3) for port in model.inputs}


def plant(model: Loaded, inputs: dict[int, Array], kind: str, skipped: int = 0) -> Planted | None:
    """Return a model with a fault of a kind that changes its outputs; None where there is no place for it."""
    before = build(model, AS_WRITTEN)(inputs).to_tuple()
    for planted in KINDS[kind](model):
        if planted is None:
            continue
        try:
            after = build(planted.model, AS_WRITTEN)(inputs).to_tuple()
        except (IRError, OpError):
            continue
        changes = Answers(before, after).differ(Tolerance(0.01, 1e-3))
        if kind == "overflow":
            changes = first_not_finite(planted.model, inputs, ["f16"], AS_WRITTEN) is not None
        if changes and skipped == 0:
            return planted
        skipped -= changes
    return None


class Named(NamedTuple):
    """The layers that the commands name: of compare, or of run --stop-at, and of blame, with the size of its piece."""

    first: str
    blamed: str
    piece: int
    reproduces: bool


def named(model: Loaded, planted: Planted, inputs: dict[int, Array], kind: str) -> Named:
    """Ask the commands that are right for a kind of fault for the layer."""
    if kind == "overflow":
        stopped = first_not_finite(planted.model, inputs, ["f16"], AS_WRITTEN)
        found = blame(planted.model, "f16", inputs)
        first = "" if stopped is None else stopped.layer
    elif kind == "log_of_zero":
        stopped = first_not_finite(planted.model, inputs, ["nan", "inf"], {})
        first = "" if stopped is None else stopped.layer
        return Named(first, first, 1, stopped is not None)
    else:
        compared = compare_layers(planted.model, inputs, ModelSide(model, inputs))
        first = "" if compared.culprit is None else compared.culprit.layer
        found = blame(planted.model, model, inputs)
    return Named(first, found.layer, len(layers_of(found.case.model)), found.reproduces)


def outcomes(paths: Iterable[Path]) -> Iterator[tuple[str, bool | None]]:
    """Plant every kind of fault into every model; yield what is named, and whether that is right.

    That is None of a model that cannot run, into which nothing is planted.
    """
    for path in paths:
        try:
            model = load(path)
            inputs = inputs_of(model)
            model = of_sizes(model, inputs)
            build(model, AS_WRITTEN)(inputs)
        except (IRError, OpError) as error:
            yield f"{path} cannot run: {error}", None
            continue
        for kind in KINDS:
            planted = plant(model, inputs, kind)
            if planted is None:
                continue
            found = named(model, planted, inputs, kind)
            is_right = found.first == found.blamed == planted.layer and found.piece <= 3 and found.reproduces
            said = "ok" if is_right else f"not named, but {found}"
            yield f"{path.parent.name}/{path.stem} {kind} in {planted.layer}: {said}", is_right

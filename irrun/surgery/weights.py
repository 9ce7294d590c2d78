"""Other values and types of the weights of a model."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final, Literal

import numpy as np

from irrun.diagnostics import OpError
from irrun.document.info import DECOMPRESSION, entry_of, merged, with_entry, without
from irrun.editing import MutableGraph
from irrun.graph import Node, Outlet
from irrun.inference import infer_node
from irrun.model import Loaded
from irrun.openvino.models.halves import as_half, is_quantised, stays_in_f32
from irrun.ops._declared.infrastructure.const import Const, HeldConst
from irrun.ops._declared.type.convert import Convert
from irrun.surgery.drafts import closed, everywhere, held_constant, opened
from irrun.tensor import Array, Fact
from irrun.tensor.element_type import BF16, F16, F32

_STORED: Final = frozenset(("i8", "u8", "i4", "u4", "i2", "u2", "u3", "u6", "u1", "nf4", "f4e2m1", "f8e4m3", "f8e5m2"))
"""Types of compressed weights, which a Convert decompresses."""


def strip(model: Loaded, *, seed: int | None = 0) -> Loaded:
    """Return a model with other weights: random ones like the original, or zeros where ``seed`` is None.

    Weights are constants of floats with more than one element, and those of up to 8 bits that a Convert decompresses.
    Other constants stay, such as indices, and those on which shapes depend. Random floats are drawn from the normal
    distribution with the mean and deviation of the original, rounded to two digits, within its range. Equal seeds give
    equal weights.
    """
    plain, edited = opened(model)
    random = None if seed is None else np.random.default_rng(seed)
    everywhere(edited, lambda graph, _path: _strip(graph, random))
    return closed(edited, plain)


def convert(model: Loaded, type: Literal["f16", "f32"]) -> Loaded:
    """Return a model with weights stored in f16, each with a conversion to its type, or in f32 without conversions.

    As OpenVINO does, f16 leaves constants as they are that would lose much by it, and those of quantised models; also
    those of layers that are marked as f32, and those on which shapes depend: OpenVINO infers nothing through
    conversions of weights.
    """
    plain, edited = opened(model)
    if type == "f32" or not is_quantised(plain.graph):
        everywhere(edited, lambda graph, _path: _widen(graph) if type == "f32" else _narrow(graph))
    return closed(edited, plain)


def _strip(graph: MutableGraph, random: np.random.Generator | None) -> None:
    weights = {id: values for id in list(graph.graph) if (values := _weight(graph, id)) is not None}
    kept = _shaping(graph, weights)
    for id, values in weights.items():
        if id not in kept:
            other = np.zeros_like(values) if random is None else _drawn(values, random)
            _hold(graph, id, Fact.of(graph.facts[Outlet(id, 0)].type, other))


def _shaping(graph: MutableGraph, weights: Container[int]) -> set[int]:
    """Return the weights on whose values the shape of another tensor depends, such as scales of Interpolate."""
    behind: dict[int, set[int]] = {}
    found: set[int] = set()
    for id in graph.order:
        node, sources = graph.node(id), graph.sources(id)
        constants = {item.node: behind.get(item.node, set()) for item in sources if item is not None}
        reached = set().union(*constants.values()) | ({id} if id in weights else set())
        fact = graph.fact(Outlet(id, 0))
        if fact is not None and fact.is_constant:
            behind[id] = reached
        if reached and id not in weights and node.op is not None and not _is_settled(graph, node, constants):
            found |= reached
    return found


def _is_settled(graph: MutableGraph, node: Node, constants: Mapping[int, set[int]]) -> bool:
    """Return whether the shapes of a node stay the same where the values of some sources are unknown."""
    inputs = [
        fact if fact is None or source is None or not constants[source.node] else Fact(fact.type, fact.shape)
        for source, fact in zip(graph.sources(node.id), graph.inputs(node.id), strict=True)
    ]
    try:
        outputs, _ = infer_node(node, inputs, graph.weights)
    except OpError:
        return False
    known = [graph.fact(Outlet(node.id, port)) for port in range(len(outputs))]
    return all(fact is None or fact.shape == made.shape for fact, made in zip(known, outputs, strict=True))


def _value(graph: MutableGraph, id: int) -> Array | None:
    fact = graph.fact(Outlet(id, 0)) if isinstance(graph.node(id).op, Const) else None
    return None if fact is None else fact.constant


def _weight(graph: MutableGraph, id: int) -> Array | None:
    """Return the values of a constant that is a weight; None for other layers."""
    op, values = graph.node(id).op, _value(graph, id)
    if not isinstance(op, Const) or values is None or values.size < 2 or op.element_type.kind == "string":
        return None
    if op.element_type.is_float and op.element_type.name not in _STORED:
        return values
    readers = (graph.node(inlet.node) for inlet in graph.consumers(Outlet(id, 0)))
    is_stored = op.element_type.name in _STORED and any(isinstance(reader.op, Convert) for reader in readers)
    return values if is_stored else None


def _drawn(values: Array, random: np.random.Generator) -> Array:
    """Return random values between the least and the greatest finite one of an array, like these."""
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if not finite.size:
        return np.zeros_like(values)
    low, high = finite.min(), finite.max()
    if values.dtype.kind in "iu":
        return random.integers(int(low), int(high), values.shape, dtype=values.dtype, endpoint=True)
    limits = finite.astype(np.float64)
    mean, deviation = (float(f"{number:.1e}") for number in (limits.mean(), limits.std()))
    return np.clip(random.normal(mean, deviation, values.shape), low, high).astype(values.dtype)


def _hold(graph: MutableGraph, id: int, fact: Fact) -> None:
    graph.update(graph.node(id)._replace(op=HeldConst.of(fact)))


def _narrow(graph: MutableGraph) -> None:
    halves = {id: half for id in list(graph.graph) if (half := _half(graph, id)) is not None}
    shaping = _shaping(graph, halves)
    for id in [id for id in halves if id not in shaping]:
        node, half, type = graph.node(id), halves[id], graph.facts[Outlet(id, 0)].type
        stored = graph.add(held_constant(f"{node.name}_compressed", half), ())
        record = _convert(node, Convert(destination_type=type))
        graph.replace(Outlet(id, 0), Outlet(graph.add(record, [Outlet(stored, 0)], [Fact(type, half.shape)]), 0))
        graph.remove([id])


def _half(graph: MutableGraph, id: int) -> Fact | None:
    """Return a constant in f16; None for other layers, and for constants that keep their type."""
    fact = graph.fact(Outlet(id, 0)) if isinstance(graph.node(id).op, Const) else None
    return None if fact is None or stays_in_f32(graph, id) else as_half(fact)


def _widen(graph: MutableGraph) -> None:
    for id in list(graph.graph):
        node = graph.node(id)
        source = graph.source(id, 0) if isinstance(node.op, Convert) else None
        if source is None or not isinstance(source.op, Const) or graph.node(id).op.destination_type is not F32:  # type: ignore[union-attr]
            continue
        values = _value(graph, source.id)
        if values is None or source.op.element_type not in (F16, BF16):
            continue
        fact = Fact.of(F32, values.astype(np.float32))
        info = merged([without(node.info.layer, DECOMPRESSION), source.info.layer])
        names = node.names[0] if node.names else ()
        record = held_constant(node.name, fact, names)._replace(info=node.info._replace(layer=info, inputs=()))
        made = graph.add(record, (), [fact])
        graph.replace(Outlet(id, 0), Outlet(made, 0))
        graph.remove_unused([id])


def _convert(node: Node, op: Convert) -> Node:
    mark = entry_of(DECOMPRESSION, "")
    info = node.info if mark is None else node.info._replace(layer=with_entry(node.info.layer, mark))
    return Node(-1, node.name, "Convert", "opset1", op, 1, 1, node.names, None, {}, info)

"""The loss in the inputs of a layer by coarser numbers on one side, and whether a sound quantiser loses as much."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.debugging.levels import (
    HALF_STEP,
    QUANTISATION,
    QUANTISER,
    ROUNDING,
    LayerInputs,
    Loss,
    levels_of,
    tensor_loss,
)
from irrun.debugging.replaying import Layers
from irrun.debugging.resembling import SAME, distance
from irrun.graph import Outlet
from irrun.tensor import Array
from irrun.tensor.element_type import ElementType

_STEPS: Final = 4.0
"""The largest error of a quantised weight in steps, as where its range was chosen by its effect."""

EPSILON: Final = {"f16": 2.0**-11, "bf16": 2.0**-8}
"""The relative error of rounding one number."""

_LEAST: Final = {"f16": 2.0**-25, "bf16": 0.0}


def judge(ours: LayerInputs, theirs: LayerInputs, factor: float = 1.0) -> Loss | None:
    """Return the largest loss between the inputs of two layers; None where one is not that of a quantiser.

    The weights of the second one are to be multiplied by a ``factor``.
    """
    worst: Loss | None = None
    told: list[str] = []
    own, constants = ours.layers.constants(ours.id), theirs.layers.constants(theirs.id)
    for port, (mine, its) in enumerate(zip(ours.inputs, theirs.inputs, strict=True)):
        if mine is None and its is None:
            if port not in own and port not in constants:
                continue
            if port not in own or port not in constants:
                return None
            loss = constant_loss(ours.layers, ours.id, theirs.layers, theirs.id, port, factor)
        elif mine is None or its is None:
            return None
        elif distance(mine, its) <= SAME:
            continue
        else:
            loss = tensor_loss(mine, theirs, port) or tensor_loss(its, ours, port)
        if loss is None:
            return None
        if loss.kind:
            told.append(loss.detail or loss.what)
            worst = loss if worst is None or loss.noise > worst.noise else worst
    return None if worst is None else worst._replace(detail=", ".join(dict.fromkeys(told)))


def constant_loss(ours: Layers, id: int, theirs: Layers, other: int, port: int, factor: float = 1.0) -> Loss | None:
    """Return what a constant of a layer loses on the other side, with no kind where it is the same; None for more.

    That of the other side is to be multiplied by a ``factor``.
    """
    a, b = ours.constants(id)[port], theirs.constants(other)[port]
    if factor != 1 and b.dtype.kind == "f":
        b = b * b.dtype.type(factor)
    if distance(a, b) <= SAME**2 or (a.shape == b.shape and np.array_equal(a, b)):
        return Loss("", "", 0.0)
    if a.shape != b.shape or a.dtype.kind != "f" or b.dtype.kind != "f":
        return None
    gap = np.abs(a.astype(np.float64) - b.astype(np.float64))
    if not np.isfinite(gap).all():
        return None
    types = [name for layers, key in ((ours, id), (theirs, other)) for name in _stored(layers, key, port)]
    for name in ("f16", "bf16"):
        if name in types and not (a.size == 1 and (a == 0).all() != (b == 0).all()):
            allowed = 1.02 * EPSILON[name] * np.maximum(np.abs(a), np.abs(b)) + _LEAST[name]
            if (gap <= allowed).all():
                return Loss(ROUNDING, f"constants rounded to {name}", 0.0)
    sides = (ours, id, 1.0), (theirs, other, factor)
    steps = [step * by for layers, key, by in sides if (step := step_of(layers, key, port)) is not None]
    if steps:
        step = np.sum([np.broadcast_to(np.abs(item), a.shape) for item in steps], axis=0)
        if not _is_usual(gap, step):
            return None
        few = [name for name in types if name not in ("f32", "f16", "bf16", "i64", "i32")]
        return Loss(QUANTISATION, f"weights rounded to {few[0] if few else 'levels'}", 1.0)
    if {"nf4", "f4e2m1", "f8e4m3", "f8e5m2"} & set(types):
        rough = float(np.sqrt(np.mean(gap**2))) <= 0.2 * float(np.sqrt(np.mean(a.astype(np.float64) ** 2)))
        return Loss(QUANTISATION, "weights rounded to few bits", 1.0) if rough else None
    return None


def _is_usual(gap: Array, step: Array) -> bool:
    """Return whether errors are at most half a step, but for few elements of each slice, and never many steps."""
    scale = float(step.max(initial=0.0))
    off = gap > HALF_STEP * step + 1e-5 * scale
    if not off.any():
        return True
    if (gap > _STEPS * step + 1e-5 * scale).any():
        return False
    for axis in range(off.ndim):
        along = tuple(other for other in range(off.ndim) if other != axis)
        share = off.mean(axis=along)
        if off.size // max(off.shape[axis], 1) >= 4 and (share > 0.5).any():
            return False
    return bool(off.mean() <= 0.1)


def chain_of(layers: Layers, id: int, port: int) -> list[int]:
    """Return the constant layers that make a constant input, itself first."""
    graph = layers.graph
    operands = layers.operands(id)
    source = operands[port] if port < len(operands) else None
    waiting, chain = [] if source is None else [source.node], list[int]()
    while waiting and len(chain) < 32:
        at = waiting.pop(0)
        if at not in chain:
            chain.append(at)
            waiting += [outlet.node for outlet in graph.sources(at) if outlet is not None]
    return chain


def _stored(layers: Layers, id: int, port: int) -> list[str]:
    """Return the names of the element types that make a constant input."""
    facts = layers.model.facts
    found = [facts.get(Outlet(node, 0)) for node in chain_of(layers, id, port) if layers.node(node).type == "Const"]
    names = [fact.type.name for fact in found if fact is not None]
    quantised = any(layers.node(node).type == QUANTISER for node in chain_of(layers, id, port))
    return [*names, "levels"] if quantised else names


def step_of(layers: Layers, id: int, port: int) -> Array | None:
    """Return the distance of two levels of a quantised constant, for each element; None for another constant."""
    chain = chain_of(layers, id, port)
    for node in chain:
        if layers.node(node).type == QUANTISER:
            values = [_value(layers, outlet) for outlet in layers.graph.sources(node)]
            if len(values) == 5 and values[3] is not None and values[4] is not None:
                step = (values[4] - values[3]) / max(levels_of(layers, node) - 1, 1)
                return _through(layers, id, port, node, step)
    for node in chain:
        fact = layers.model.facts.get(Outlet(node, 0)) if layers.node(node).type == "Const" else None
        if fact is not None and _is_code(fact.type) and fact.constant is not None and len(chain) > 1:
            if fact.constant.size <= 1 < layers.constants(id)[port].size:
                continue
            whole = layers.operands(id)[port]
            assert whole is not None
            here = _value(layers, whole)
            bumped = _value(layers, whole, {node: fact.constant.astype(np.float32) + 1})
            if here is not None and bumped is not None:
                return np.asarray(bumped.astype(np.float64) - here.astype(np.float64))
    return None


def _is_code(type: ElementType) -> bool:
    return type.name in ("i8", "u8", "i4", "u4", "i2", "u2", "u1", "u3", "u6")


def _through(layers: Layers, id: int, port: int, node: int, step: Array) -> Array | None:
    """Return the step of a quantiser after what follows it, as far as that keeps its shape."""
    shape = layers.constants(id)[port].shape
    try:
        return np.broadcast_to(step, shape).astype(np.float64)
    except ValueError:
        fact = layers.model.facts.get(Outlet(node, 0))
        if fact is None or not fact.shape.is_static:
            return None
        whole = np.broadcast_to(step, fact.shape.static)
        return whole.reshape(shape).astype(np.float64) if whole.size == int(np.prod(shape)) else None


def _value(layers: Layers, outlet: Outlet | None, instead: dict[int, Array] | None = None) -> Array | None:
    """Compute a constant from those that it is made of, some of them replaced by floats."""
    if outlet is None:
        return None
    if instead and outlet.node in instead:
        return instead[outlet.node]
    node = layers.node(outlet.node)
    if node.type == "Const" or not instead:
        fact = layers.model.facts.get(outlet)
        if fact is not None and fact.constant is not None:
            return fact.constant.astype(np.float32) if fact.constant.dtype.kind in "iuf" else fact.constant
    sources = layers.graph.sources(outlet.node)
    inputs = [_value(layers, source, instead) for source in sources]
    if node.type == "Convert":
        return inputs[0]
    if node.type == "Reshape" and len(inputs) > 1 and inputs[0] is not None and inputs[1] is not None:
        fact = layers.model.facts.get(outlet)
        return inputs[0].reshape(fact.shape.static) if fact is not None and fact.shape.is_static else None
    if node.type == "Transpose" and inputs[0] is not None and len(inputs) > 1 and inputs[1] is not None:
        return inputs[0].transpose([int(axis) for axis in inputs[1]])
    if node.type in ("Multiply", "Subtract", "Add", "Divide") and inputs[0] is not None and inputs[1] is not None:
        function = {"Multiply": np.multiply, "Subtract": np.subtract, "Add": np.add, "Divide": np.divide}[node.type]
        with np.errstate(all="ignore"):
            return np.asarray(function(inputs[0], inputs[1]))
    return None

"""An index of shape arithmetic that would make the outputs of two models agree if it were another one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np

from irrun.debugging.cases import REFUSALS
from irrun.debugging.cutting import constant_nodes, model_of
from irrun.debugging.layers import Tolerance, within
from irrun.debugging.stopping import AS_WRITTEN
from irrun.debugging.verdicts import Suspect
from irrun.editing import MutableGraph
from irrun.graph import Node, Outlet
from irrun.model import Loaded, build
from irrun.openvino.nodes.records import record_of
from irrun.ops._declared.infrastructure.const import HeldConst
from irrun.tensor import Array, Fact

_LOOKING_UP: Final = frozenset({"Gather", "Slice", "StridedSlice"})
"""Layers that take elements of a shape, by an index that is their second input."""

_MOST: Final = 64
"""Models that are run in search of such an index."""

_SECONDS: Final = 60.0
"""Seconds of the processor after which no more are run."""

_TIED: Final = 3
"""Layers that may be told, where each of them would make the outputs agree."""


def supposed(
    model: Loaded,
    inputs: Mapping[int, Array],
    wanted: Sequence[Array],
    tolerance: Tolerance,
    config: Mapping[str, Any] | None = None,
) -> tuple[Suspect, ...]:
    """Return the layers that take one size of a shape, with which the outputs are the ``wanted`` ones if it is another.

    ``config`` has the settings of ``compile_model``. Nothing is returned where more than three layers do.
    """
    found: dict[int, Suspect] = {}
    deadline = time.process_time() + _SECONDS
    for node, taken, other in islice(_others(model), _MOST):
        if time.process_time() > deadline:
            return ()
        made = None if node.id in found else _outputs_with(model, node, other, inputs, config)
        if made is not None and all(within(a, b, tolerance) for a, b in zip(made, wanted, strict=True)):
            what = f"it takes the size {taken}, and with {other} in its place, the outputs agree"
            found[node.id] = Suspect(node.name, node.type, "", "constant", what, (_index_of(model, node),))
    return tuple(found.values()) if len(found) <= _TIED else ()


def _others(model: Loaded) -> Iterator[tuple[Node, int, int]]:
    """Yield the layers that take one size of a known shape, each with this size and another one of the shape."""
    constant = constant_nodes(model.graph)
    for node in model.graph.ordered():
        if node.type not in _LOOKING_UP or node.id in constant:
            continue
        data, index = model.graph.sources(node.id)[:2]
        shape, taken = (None if at is None else model.facts.get(at) for at in (data, Outlet(node.id, 0)))
        if shape is None or taken is None or index is None or index.node not in constant:
            continue
        sizes, size = shape.constant, taken.constant
        if sizes is None or size is None or sizes.ndim != 1 or sizes.dtype.kind not in "iu" or size.size != 1:
            continue
        here = int(size.reshape(-1)[0])
        yield from ((node, here, other) for other in dict.fromkeys(sizes.tolist()) if other != here)


def _outputs_with(
    model: Loaded, node: Node, size: int, inputs: Mapping[int, Array], config: Mapping[str, Any] | None
) -> tuple[Array, ...] | None:
    """Return the outputs of a model as written, with a number in place of a layer; None where it does not fit."""
    outlet = Outlet(node.id, 0)
    before = model.facts.get(outlet)
    if before is None or before.constant is None:
        return None
    fact = Fact.of(before.type, np.full_like(before.constant, size))
    graph = MutableGraph(model.graph, model.facts, model.weights)
    try:
        graph.replace(outlet, Outlet(graph.add(record_of(HeldConst.of(fact), node.name), (), [fact]), 0))
        graph.remove([node.id])
        edited, facts = graph.freeze()
        return build(model_of(model, edited, facts), {**(config or {}), **AS_WRITTEN})(dict(inputs)).to_tuple()
    except REFUSALS:
        return None


def _index_of(model: Loaded, node: Node) -> str:
    """Return the name of the index of a layer."""
    outlet = model.graph.sources(node.id)[1]
    return "" if outlet is None else model.graph.node(outlet.node).name

"""Edits of a model that would make its outputs those of another one: another size of a shape, two parts exchanged."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.debugging.cases import REFUSALS
from irrun.debugging.cutting import constant_nodes, model_of
from irrun.debugging.layers import Tolerance, within
from irrun.debugging.stopping import AS_WRITTEN
from irrun.debugging.verdicts import Suspect
from irrun.editing import MutableGraph
from irrun.graph import Node, Outlet
from irrun.graph.graph import Inlet
from irrun.model import Loaded, build
from irrun.openvino.nodes.records import record_of
from irrun.ops._declared.infrastructure.const import HeldConst
from irrun.tensor import Array, Fact

_LOOKING_UP: Final = frozenset({"Gather", "Slice", "StridedSlice"})
"""Layers that take elements of a shape, by an index that is their second input."""

_MOST: Final = 64
"""Models of each kind that are run."""

_SECONDS: Final = 60.0
"""Seconds of the processor after which no more are run."""

_TIED: Final = 3
"""Layers that may be told."""


class _Supposition(NamedTuple):
    """The layers that are at fault if the outputs agree after an edit."""

    suspects: tuple[Suspect, ...]
    edit: Callable[[MutableGraph], None]


def supposed(
    model: Loaded,
    inputs: Mapping[int, Array],
    wanted: Sequence[Array],
    tolerance: Tolerance,
    config: Mapping[str, Any] | None = None,
) -> tuple[Suspect, ...]:
    """Return the layers of which one edit makes the outputs the ``wanted`` ones.

    Either a layer takes another size of a shape, or the readers of two outputs of a layer are exchanged. ``config`` has
    the settings of ``compile_model``. Nothing is returned where more than three layers are found.
    """
    found: dict[str, Suspect] = {}
    deadline = time.process_time() + _SECONDS
    constant = constant_nodes(model.graph)
    kinds = _sizes(model, constant), _exchanges(model, constant)
    for suspects, edit in chain.from_iterable(islice(kind, _MOST) for kind in kinds):
        if time.process_time() > deadline:
            return ()
        made = None if suspects[0].name in found else _outputs_after(model, edit, inputs, config)
        if made is not None and all(within(a, b, tolerance) for a, b in zip(made, wanted, strict=True)):
            found |= {suspect.name: suspect for suspect in suspects}
    return tuple(found.values()) if len(found) <= _TIED else ()


def _sizes(model: Loaded, constant: Collection[int]) -> Iterator[_Supposition]:
    """Yield the layers that take one size of a known shape, each with another one of it, but none in ``constant``."""
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
        here, name = int(size.reshape(-1)[0]), model.graph.node(index.node).name
        for other in dict.fromkeys(sizes.tolist()):
            if other != here:
                what = f"it takes the size {here}, and with {other} in its place, the outputs agree"
                suspect = Suspect(node.name, node.type, "", "constant", what, (name,))
                yield _Supposition((suspect,), _holding(node, Fact.of(taken.type, np.full_like(size, other))))


def _holding(node: Node, fact: Fact) -> Callable[[MutableGraph], None]:
    """Return the edit that puts a constant in the place of a layer."""

    def edit(graph: MutableGraph) -> None:
        made = graph.add(record_of(HeldConst.of(fact), node.name), (), [fact])
        graph.replace(Outlet(node.id, 0), Outlet(made, 0))
        graph.remove([node.id])

    return edit


def _exchanges(model: Loaded, constant: Collection[int]) -> Iterator[_Supposition]:
    """Yield the readers of two outputs of a layer that have the same type and shape, but none in ``constant``."""
    for node in model.graph.ordered():
        outlets = [] if node.id in constant else [Outlet(node.id, port) for port in range(node.outputs)]
        for first, second in combinations(outlets, 2):
            facts = model.facts.get(first), model.facts.get(second)
            inlets = [(model.graph.consumers(a), b) for a, b in ((first, second), (second, first))]
            readers = {inlet.node: inlet.port for some, _ in inlets for inlet in some}
            is_alike = facts[0] is not None and facts[1] is not None and facts[0].shape == facts[1].shape
            if not is_alike or not all(some for some, _ in inlets) or len(readers) > _TIED:
                continue
            what = f'"{node.name}" has outputs {first.port} and {second.port}: with these exchanged, the outputs agree'
            nodes = [model.graph.node(id) for id in readers]
            suspects = tuple(Suspect(each.name, each.type, "", "input", what) for each in nodes)
            yield _Supposition(suspects, _connecting([(b, inlet) for some, b in inlets for inlet in some]))


def _connecting(pairs: Sequence[tuple[Outlet, Inlet]]) -> Callable[[MutableGraph], None]:
    """Return the edit that lets inputs of layers read other tensors."""

    def edit(graph: MutableGraph) -> None:
        for outlet, inlet in pairs:
            graph.connect(outlet, inlet)

    return edit


def _outputs_after(
    model: Loaded, edit: Callable[[MutableGraph], None], inputs: Mapping[int, Array], config: Mapping[str, Any] | None
) -> tuple[Array, ...] | None:
    """Return the outputs of an edited model as written; None where the edit does not fit it."""
    graph = MutableGraph(model.graph, model.facts, model.weights)
    try:
        edit(graph)
        return build(model_of(model, *graph.freeze()), {**(config or {}), **AS_WRITTEN})(dict(inputs)).to_tuple()
    except REFUSALS:
        return None

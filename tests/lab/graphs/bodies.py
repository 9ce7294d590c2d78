"""If, Loop and TensorIterator: layers whose sub-graphs are grown like the graph around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from irrun.ops.context import BodyInput, BodyOutput, BodyPorts
from irrun.tensor import Dim, Fact, Shape
from irrun.tensor.element_type import BOOLEAN, I32, I64, STRING
from tests.lab.graphs import adapt
from tests.lab.graphs.graph import Body, Graph, Input, ancestors, pruned
from tests.lab.graphs.grow import Grower, Rejected, Tensor
from tests.lab.graphs.theme import RUNNABLE

Step = Callable[[Grower], None]


def add_if(grower: Grower, step: Step) -> list[Tensor]:
    """Add an If with two sub-graphs of the same tensors."""
    given = _given(grower, grower.draw.int(1, 3))
    condition = _condition(grower)
    then, other = (Grower(grower.draw, grower.theme, is_body=True) for _ in range(2))
    for inner in (then, other):
        for tensor in given:
            inner.input(plain(tensor), tensor.array)
        grow_some(inner, step)
    results = _ends(then, grower.draw.int(1, 2))
    same = [adapt.like(other, tensor) for tensor in results]
    inputs = tuple(BodyInput(index, 1 + index) for index in range(len(given)))
    outputs = tuple(BodyOutput(index, index) for index in range(len(results)))
    ports = BodyPorts(inputs, outputs, (), len(given), len(results))
    bodies = {"then_body": closed(then, results, ports), "else_body": closed(other, same, ports)}
    return grower.add("If", 8, [condition, *given], outputs=len(results), bodies=bodies)


def add_loop(grower: Grower, step: Step) -> list[Tensor]:
    """A body that is run a number of times: tensors carried along, whole ones, slices, and the number of the run."""
    draw = grower.draw
    inner = Grower(draw, grower.theme, is_body=True)
    carried = _given(grower, draw.int(1, 2))
    whole = _given(grower, draw.int(0, 1))
    cut = _sliceable(grower) if draw.chance(0.5) else None
    count = cut[0].shape[cut[1]] if cut is not None else draw.int(1, 4)
    entries: list[BodyInput] = []
    external = [*carried, *whole]
    for index, tensor in enumerate(external):
        inner.input(plain(tensor), tensor.array)
        entries.append(BodyInput(index, 2 + index))
    if cut is not None:
        external.append(cut[0])
        entries.append(_sliced(inner, cut, len(entries), 1 + len(external)))
    if draw.chance(0.5):
        inner.input(Fact(I64, Shape([])), np.asarray(0))
        entries.append(BodyInput(len(entries), None))
    grow_some(inner, step)
    results = [adapt.like(inner, tensor) for tensor in carried]
    if cut is not None and len(external) - 1 not in ancestors(inner.nodes, results[0].source.node):
        raise Rejected("the slices are of no use")
    results.append(inner.constant(BOOLEAN, np.asarray(True)))
    outputs = [BodyOutput(index, index) for index in range(len(carried))]
    outputs.append(BodyOutput(len(carried), None))
    if draw.chance(0.6):
        axis = draw.int(0, results[0].rank)
        results.append(inner.one("Unsqueeze", 1, results[0], adapt.ints(inner, [axis])))
        outputs.append(BodyOutput(len(carried) + 1, len(carried), axis))
    back = tuple((index, index) for index in range(len(carried)))
    ports = BodyPorts(tuple(entries), tuple(outputs), back, len(entries), len(results))
    trip = grower.ints(count, [I32, I64], 0.7)
    begin = grower.constant(BOOLEAN, np.asarray(True))
    return grower.add(
        "Loop", 5, [trip, begin, *external], outputs=len(outputs) - 1, bodies={"body": closed(inner, results, ports)}
    )


def add_iterator(grower: Grower, step: Step) -> list[Tensor]:
    """A body that is run for each slice of a tensor."""
    draw = grower.draw
    if grower.is_body:
        raise Rejected("OpenVINO has no TensorIterator in a body")
    inner = Grower(draw, grower.theme, is_body=True)
    cut = _sliceable(grower)
    if cut is None:
        raise Rejected("nothing to slice")
    reverse = draw.chance(0.4)
    carried = _given(grower, draw.int(0, 2))
    entries = [_sliced(inner, cut, 0, 0, reverse=reverse)]
    for index, tensor in enumerate(carried):
        inner.input(plain(tensor), tensor.array)
        entries.append(BodyInput(1 + index, 1 + index))
    grow_some(inner, step)
    results = [adapt.like(inner, tensor) for tensor in carried]
    joined = _ends(inner, 1)[0]
    if joined.rank == 0 or 0 not in ancestors(inner.nodes, joined.source.node):
        raise Rejected("nothing of the slices can be joined")
    axis = draw.int(0, joined.rank - 1)
    size = joined.shape[axis]
    begin, end = (-1, 0) if reverse else (0, -1)
    stride = -size if reverse else size
    outputs = [BodyOutput(index, index) for index in range(len(carried))]
    outputs.append(BodyOutput(len(carried), len(carried), axis, begin, end, stride, size))
    back = tuple((index, 1 + index) for index in range(len(carried)))
    ports = BodyPorts(tuple(entries), tuple(outputs), back, len(entries), len(results) + 1)
    body = closed(inner, [*results, joined], ports)
    return grower.add("TensorIterator", 1, [cut[0], *carried], outputs=len(outputs), bodies={"body": body})


def _condition(grower: Grower) -> Tensor:
    found = grower.find([BOOLEAN], lambda t: t.array.size == 1 and t.rank < 2)
    if found is not None and grower.draw.chance(0.6):
        return found
    value = np.asarray(grower.draw.chance(0.5))
    return grower.parameter(BOOLEAN, value) if grower.draw.chance(0.8) else grower.constant(BOOLEAN, value)


def _given(grower: Grower, count: int) -> list[Tensor]:
    """Tensors for a body to work on."""
    found: list[Tensor] = []
    for _ in range(count):
        known = {tensor.source for tensor in found}
        tensor = grower.find(
            RUNNABLE - {STRING},
            lambda t, known=known: 0 < t.array.size < 200 and t.source not in known,
        )
        found += [tensor] if tensor is not None else []
    if count and not found:
        raise Rejected("nothing to hand over")
    return found


def _sliceable(grower: Grower) -> tuple[Tensor, int] | None:
    """A tensor and an axis of few elements."""
    found = grower.find(RUNNABLE - {STRING}, lambda t: t.rank > 0 and t.array.size > 0 and min(t.shape) < 5)
    if found is None:
        return None
    return found, grower.draw.pick([axis for axis, size in enumerate(found.shape) if size < 5])


def _sliced(
    inner: Grower, cut: tuple[Tensor, int], internal: int, external: int, *, reverse: bool = False
) -> BodyInput:
    """A Parameter for slices of one element."""
    tensor, axis = cut
    dims = list(plain(tensor).shape)
    dims[axis] = Dim.exactly(1)
    inner.input(Fact(tensor.type, Shape(dims)), np.take(tensor.array, [-1 if reverse else 0], axis))
    begin, end, stride = (-1, 0, -1) if reverse else (0, -1, 1)
    return BodyInput(internal, external, axis, begin, end, stride, 1)


def grow_some(inner: Grower, step: Step) -> None:
    """A few layers."""
    layers = inner.draw.int(1, 4)
    for _ in range(6 * layers):
        try:
            with inner.attempt():
                step(inner)
            layers -= 1
        except Rejected:
            pass
        if layers == 0:
            return


def _ends(inner: Grower, count: int) -> list[Tensor]:
    """Tensors that become results, late ones first."""
    ends = [tensor for tensor in reversed(inner.tensors) if tensor.type is not STRING and tensor.array.size > 0]
    if not ends:
        raise Rejected("an empty body")
    return ends[:count]


def plain(tensor: Tensor) -> Fact:
    """The type of a tensor, and what is told of its shape, without symbols."""
    return Fact(tensor.type, Shape.parse(str(tensor.fact.shape)))


def closed(inner: Grower, results: Sequence[Tensor], ports: BodyPorts) -> Body:
    """The body; its Parameters forget the values that they were grown with."""
    nodes = tuple(Input(node.fact) if isinstance(node, Input) else node for node in inner.nodes)
    graph = Graph(nodes, tuple(tensor.source for tensor in results))
    return Body(pruned(graph, keep_inputs=True), ports)


KINDS: Final = (add_if, add_loop, add_iterator)

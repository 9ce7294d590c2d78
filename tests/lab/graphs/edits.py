"""Edits that make a graph smaller or simpler."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from irrun.runtime.state import State
from irrun.tensor import Array, Fact, Shape
from tests.lab.graphs.evaluate import Evaluator
from tests.lab.graphs.graph import Body, Constant, Graph, Input, Layer, Node, Source, pruned, variable


def fewer_results(graph: Graph) -> Iterator[Graph]:
    """Yield the graph with half of the results, with one of them, and with all but one."""
    half = len(graph.results) // 2
    for results in (graph.results[:half], graph.results[half:]) if half else ():
        yield pruned(Graph(graph.nodes, results))
    for source in graph.results:
        yield pruned(Graph(graph.nodes, (source,)))
    for index in range(len(graph.results)):
        yield pruned(Graph(graph.nodes, (*graph.results[:index], *graph.results[index + 1 :])))


def cut(graph: Graph, indices: Collection[int]) -> Graph:
    """The graph with inputs, or constants, in place of what some layers make; with a variable goes all that uses it."""
    variables = {variable(graph.nodes[index]) for index in indices} - {None}
    gone = {*indices, *(index for index, node in enumerate(graph.nodes) if variable(node) in variables)}
    return _replaced(graph, gone, keep=False)


def sever(graph: Graph, indices: Collection[int]) -> Graph:
    """The graph with inputs, or constants, where others read what some nodes make; that is a result instead."""
    return _replaced(graph, indices, keep=True)


def _replaced(graph: Graph, indices: Collection[int], *, keep: bool) -> Graph:
    arrays, facts = known(graph)
    nodes: list[Node] = []
    placed: dict[Source, Source] = {}
    kept: list[Source] = []
    for index, node in enumerate(graph.nodes):
        ports = [Source(index, port) for port in range(node.outputs)] if isinstance(node, Layer) else [Source(index)]
        if keep or index not in indices:
            made = {source: Source(len(nodes), source.port) for source in ports}
            moved = replace(node, sources=tuple(placed[s] for s in node.sources)) if isinstance(node, Layer) else node
            nodes.append(moved)
            placed |= made
            kept += made.values() if index in indices else ()
        for source in ports if index in indices else ():
            placed[source] = Source(len(nodes))
            nodes.append(leaf(source, arrays, facts, dynamic=True))
    results = (placed[source] for source in graph.results if not keep or source.node not in indices)
    return pruned(Graph(tuple(nodes), (*results, *kept)))


def cuts(graph: Graph) -> Iterator[Graph]:
    """Each layer cut off."""
    for index in reversed(range(len(graph.nodes))):
        if isinstance(graph.nodes[index], Layer):
            yield cut(graph, {index})


def bypasses(graph: Graph) -> Iterator[Graph]:
    """A layer left out: its consumers read what it read."""
    _, facts = known(graph)
    for index, node in reversed(list(enumerate(graph.nodes))):
        if isinstance(node, Layer):
            for source in node.sources:
                if facts[source].type is facts[Source(index)].type:
                    yield pruned(_redirected(graph, Source(index), source))


def _redirected(graph: Graph, old: Source, new: Source) -> Graph:
    def other(source: Source) -> Source:
        return new if source == old else source

    nodes = [
        replace(node, sources=tuple(map(other, node.sources))) if isinstance(node, Layer) else node
        for node in graph.nodes
    ]
    return Graph(tuple(nodes), tuple(map(other, graph.results)))


def known(graph: Graph) -> tuple[Mapping[Source, Array], Mapping[Source, Fact]]:
    evaluator = Evaluator(graph)
    return evaluator.run(graph.feeds, State()), evaluator.facts


def leaf(source: Source, arrays: Mapping[Source, Array], facts: Mapping[Source, Fact], *, dynamic: bool) -> Node:
    """A tensor as a constant, where it is known before the graph runs, else as an input."""
    return leaf_of(facts[source], arrays[source], dynamic=dynamic)


def leaf_of(fact: Fact, array: Array, *, dynamic: bool = True) -> Node:
    """A constant where a tensor is known before the graph runs, else an input."""
    if fact.constant is not None:
        return Constant(fact.type, array)
    return Input(Fact(fact.type, _plain(fact.shape) if dynamic else Shape(array.shape)), array)


def _plain(shape: Shape) -> Shape:
    """The shape without symbols."""
    return Shape.parse(str(shape))


def bodies(graph: Graph) -> Iterator[Graph]:
    """A smaller sub-graph: a result of a body that is another of its tensors, or a layer of it left out."""
    for index, node in enumerate(graph.nodes):
        for tag, body in node.bodies.items() if isinstance(node, Layer) else ():
            facts = Evaluator(body.graph).facts
            for inner, layer in reversed(list(enumerate(body.graph.nodes))):
                for source in layer.sources if isinstance(layer, Layer) else ():
                    if facts[source].type is facts[Source(inner)].type:
                        smaller = pruned(_redirected(body.graph, Source(inner), source), keep_inputs=True)
                        changed = replace(node, bodies={**node.bodies, tag: Body(smaller, body.ports)})
                        yield _with_node(graph, index, changed)


def told(graph: Graph) -> Iterator[Graph]:
    """An input of which every size is told."""
    for index, node in enumerate(graph.nodes):
        if isinstance(node, Input) and node.value is not None and not node.fact.shape.is_static:
            yield _with_node(graph, index, replace(node, fact=Fact(node.fact.type, Shape(node.value.shape))))


def defaults(graph: Graph) -> Iterator[Graph]:
    """An attribute with its default."""
    for index, node in enumerate(graph.nodes):
        for spec in node.op.spec.attributes if isinstance(node, Layer) else ():
            if (
                not spec.required
                and spec.kind not in ("type", "shape")
                and getattr(node.op, spec.field) != spec.default
            ):
                values: dict[str, Any] = {**vars(node.op), spec.field: spec.default}
                yield _with_node(graph, index, replace(node, op=type(node.op)(**values)))


def smaller(graph: Graph) -> Iterator[Graph]:
    """Yield the graph with a size replaced by a smaller one wherever it occurs, in shapes and in lists of integers."""
    leaves = [node for node in graph.nodes if not isinstance(node, Layer) and node.value is not None]
    sizes = sorted({size for node in leaves for size in node.value.shape if size > 1}, reverse=True)
    for size in sizes:
        for less in sorted({1, 2, size // 2, size - 1}):
            if 0 < less < size:
                for lists in (True, False):
                    yield _resized(graph, size, less, lists)


def _resized(graph: Graph, size: int, less: int, lists: bool) -> Graph:
    nodes: list[Node] = []
    for node in graph.nodes:
        if isinstance(node, Layer) or node.value is None:
            nodes.append(node)
            continue
        array = node.value[tuple(slice(less if length == size else length) for length in node.value.shape)]
        if lists and isinstance(node, Constant) and array.dtype.kind in "iu":
            array = np.where(array == size, less, array).astype(array.dtype)
        if isinstance(node, Constant):
            nodes.append(replace(node, value=array))
        else:
            nodes.append(Input(_refit(node.fact, array), array))
    return Graph(tuple(nodes), graph.results)


def _refit(fact: Fact, array: Array) -> Fact:
    dims = [dim if dim.admits(size) else size for dim, size in zip(fact.shape, array.shape, strict=True)]
    return Fact(fact.type, Shape(dims))


def rounder(graph: Graph) -> Iterator[Graph]:
    """Simple numbers: ones, or whole numbers. Integers may be indices and stay."""
    for index, node in enumerate(graph.nodes):
        if isinstance(node, Layer) or node.value is None or node.value.dtype.kind != "f":
            continue
        for array in (np.ones_like(node.value), np.asarray(np.round(node.value))):
            if not np.array_equal(array, node.value):
                yield _with_node(graph, index, replace(node, value=array))


def _with_node(graph: Graph, index: int, node: Node) -> Graph:
    return Graph((*graph.nodes[:index], node, *graph.nodes[index + 1 :]), graph.results)

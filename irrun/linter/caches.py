"""The caches of a language model: variables that grow along an axis, and what reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from irrun.graph import Graph, Node
from irrun.linter.context import Context
from irrun.linter.scopes import Placed, by_type, once
from irrun.tensor import ElementType

_MOVING: Final = frozenset(
    {
        "Broadcast",
        "Concat",
        "Convert",
        "Gather",
        "Multiply",
        "Reshape",
        "Slice",
        "Squeeze",
        "StridedSlice",
        "Tile",
        "Transpose",
        "Unsqueeze",
    }
)
"""Operations between a variable and the attention that reads it."""

_FUSED: Final = frozenset({"ScaledDotProductAttention", "PagedAttentionExtension"})
_BEFORE_SOFTMAX: Final = frozenset({"Add", "Convert", "Divide", "Multiply", "Reshape", "Select", "Slice"})


class Cache(NamedTuple):
    """A variable that an Assign extends along ``axis``; ``elements`` are those of one step along it, of one text."""

    item: Placed
    axis: int
    elements: int
    type: ElementType


@once
def caches(context: Context) -> Sequence[Cache]:
    """Return the variables that grow: what is assigned is a Concat of the value that was read."""
    reads = {_variable(item): item for item in by_type(context).get("ReadValue", ())}
    found = []
    for assign in by_type(context).get("Assign", ()):
        item, graph = reads.get(_variable(assign)), assign.scope.graph
        source = graph.sources(assign.node.id)[0]
        facts = assign.scope.facts
        if item is None or source is None or facts is None or item.scope.graph is not graph:
            continue
        node, fact = graph.node(source.node), facts.get(source)
        if node.type != "Concat" or fact is None or fact.shape.dims is None:
            continue
        if item.node.id not in graph.upstream([node.id]):
            continue
        axis = int(getattr(node.op, "axis", 0)) % len(fact.shape.dims)
        elements = 1
        for place, dim in enumerate(fact.shape.dims):
            elements *= dim.lo if dim.is_static and place != axis else 1
        found.append(Cache(item, axis, elements, fact.type))
    return tuple(found)


@once
def unfused(context: Context) -> Sequence[Placed]:
    """Return the SoftMax layers of attention that reads a cache by products instead of by one operation."""
    softmaxes = {(id(item.scope.graph), item.node.id): item for item in by_type(context).get("SoftMax", ())}
    softmaxes |= {(id(item.scope.graph), item.node.id): item for item in by_type(context).get("Softmax", ())}
    found: dict[tuple[int, int], Placed] = {}
    for cache in caches(context):
        graph = cache.item.scope.graph
        for node in _softmaxes(graph, cache.item.node):
            key = (id(graph), node.id)
            if key in softmaxes:
                found[key] = softmaxes[key]
    return tuple(found.values())


def _softmaxes(graph: Graph, variable: Node) -> Iterator[Node]:
    """Yield the SoftMax layers behind a product with the value of a variable."""
    waiting, seen = [(variable.id, False)], {(variable.id, False)}
    while waiting:
        id, is_product = waiting.pop()
        for target in graph.successors(id):
            node = graph.node(target)
            if node.type in _FUSED:
                continue
            if is_product and node.type in ("SoftMax", "Softmax"):
                yield node
                continue
            following = (target, is_product or node.type == "MatMul")
            allowed = _BEFORE_SOFTMAX if is_product else _MOVING | {"MatMul"}
            if node.type in allowed and following not in seen:
                seen.add(following)
                waiting.append(following)


def _variable(item: Placed) -> str:
    return item.layer.data.get("variable_id", "")

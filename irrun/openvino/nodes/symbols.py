"""Symbols that a program gives to sizes of Parameters."""

from __future__ import annotations

from irrun.graph import Graph, Node
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.tensor import Dim, Shape


def without_shared_symbols(graph: Graph) -> Graph:
    """Return a graph whose Parameters have no symbols, if two sizes share one; else the same graph.

    A plan relies on equal sizes, and inputs may contradict what the program says of them.
    """
    operations = [op for id in graph.parameters if isinstance(op := graph.node(id).op, Parameter)]
    sizes = [size for op in operations for size in op.shape.dims or ()]
    names = [name for size in sizes if (name := size.declared) is not None]
    if len(set(names)) == len(names):
        return graph
    return graph.with_nodes(map(_anonymous, map(graph.node, graph.parameters)))


def _anonymous(record: Node) -> Node:
    op = record.op
    if not isinstance(op, Parameter) or op.shape.dims is None:
        return record
    plain = Shape([Dim(size.lo, size.hi) for size in op.shape])
    return record._replace(op=Parameter(element_type=op.element_type, shape=plain))

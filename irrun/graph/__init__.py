"""The meaning of a document: a networkx graph of operations."""

from irrun.graph.bind import Bound, bind
from irrun.graph.graph import Body, Graph, Node, Outlet

__all__ = ["Body", "Bound", "Graph", "Node", "Outlet", "bind"]

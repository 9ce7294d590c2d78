"""Edit a graph by patches, each of which must keep the type and the shape of the outlet that it replaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from irrun.editing import EditError, MutableGraph
from irrun.graph import Graph, Node, Outlet
from irrun.graph.marks import of_products
from irrun.inference import Facts
from irrun.ops import Op
from irrun.ops._declared.fused.base import Fused
from irrun.ops.calling import infer
from irrun.optimize.settings import Settings
from irrun.tensor import Array, Fact

if TYPE_CHECKING:
    from irrun.optimize.packed import Packed


class PatchError(EditError):
    """A patch would change the meaning of a graph: a bug in the pass that made it."""


class Rewriter(MutableGraph):
    """The graph that passes edit, with the values of constant outlets.

    A pass adds a node with ``fuse``, and puts it in the place of others with ``replace``, which keeps the meaning or
    raises PatchError. ``optimized`` returns the result; the original is not modified.
    """

    def __init__(
        self,
        graph: Graph,
        facts: Facts,
        known: Mapping[Outlet, Array],
        packed: Mapping[Outlet, Packed] | None = None,
        settings: Settings | None = None,
    ) -> None:
        super().__init__(graph, facts)
        self.settings: Settings = settings if settings is not None else Settings()
        self.types: set[str] = {node.type for node in graph.ordered()}
        """The types of the layers that the graph has or had."""
        self._diagnostics = facts.diagnostics
        self._known = dict(known)
        self._packed = packed if packed is not None else {}
        self._results = frozenset(graph.results)
        self._ends = frozenset((*graph.parameters, *graph.results, *graph.sinks))
        self.trim()

    # -- reading

    def nodes(self, *types: str, views: bool = False) -> Iterator[Node]:
        """Yield the current nodes of these types, or all nodes, in topological order.

        With ``views`` those too whose target shape, axes or permutation do not depend on the elements of inputs: others
        stay, so that their values are checked when they arrive.
        """
        for id in self.order:
            if id not in self.graph:
                continue
            node = self.graph.node(id)
            chosen = node.type in types or (views and self._is_determined_view(node))
            if (not types and not views) or (chosen and not self._is_cut(node)):
                yield node

    def _is_determined_view(self, node: Node) -> bool:
        return node.op is not None and node.op.view and self.is_determined(node)

    def is_determined(self, node: Node) -> bool:
        """Return whether no input but the first has elements that only a run tells."""
        return all(
            outlet is None or outlet in self._known or ((fact := self.fact(outlet)) is not None and fact.is_determined)
            for outlet in self.sources(node.id)[1:]
        )

    def _is_cut(self, node: Node) -> bool:
        """Return whether a node has no inputs left because all its outputs are constant."""
        return not node.inputs and self._is_constant(node)

    def _is_constant(self, node: Node) -> bool:
        outlets = self.outputs(node.id)
        return not [outlet for outlet in outlets if outlet not in self._known and outlet not in self._packed]

    def maker(self, outlet: Outlet | None) -> Node | None:
        """Return the node that computes an outlet in each run; None for a constant, whose node has no inputs left."""
        node = None if outlet is None else self.node(outlet.node)
        return None if node is None or self._is_cut(node) else node

    def only_consumer(self, outlet: Outlet) -> Node | None:
        """Return the only consumer of an outlet; None if it has several, or is a Result."""
        inlets = self.consumers(outlet)
        if len(inlets) != 1:
            return None
        return None if inlets[0].node in self._results else self.graph.node(inlets[0].node)

    def constant(self, outlet: Outlet | None) -> Array | None:
        """Return the value of a constant outlet."""
        return None if outlet is None else self._known.get(outlet)

    def packed(self, outlet: Outlet | None) -> Packed | None:
        """Return the compressed value of a constant outlet, which has no ``constant`` then."""
        return None if outlet is None else self._packed.get(outlet)

    @property
    def has_packed(self) -> bool:
        """Return whether there are compressed values."""
        return bool(self._packed)

    # -- editing

    def set_constant(self, outlet: Outlet, value: Array) -> None:
        """Record the value of a constant outlet."""
        self._known[outlet] = value

    def trim(self) -> None:
        """Detach constant nodes from their inputs, and drop nodes that no Result and no sink depends on."""
        for id in self.order:
            node = self.graph.node(id)
            if id not in self._results and node.inputs and node.outputs and self._is_constant(node):
                self.feed(id, ())
        self.remove(set(self.graph).difference(self.graph.dependencies()))

    def fuse(self, op: Op, inputs: Sequence[Outlet | None], nodes: Sequence[Node]) -> Outlet:
        """Add a node in place of ``nodes``, with the name and the layer of the first; return its first output."""
        first = nodes[0]
        if isinstance(op, Fused):
            op.parts = tuple(part for node in nodes for part in parts(node))
        self.types.add(op.type)
        facts = infer(op, [self.fact(outlet) for outlet in inputs])
        node = first._replace(type=op.type, version="", op=op, outputs=len(facts), names=((),) * len(facts))
        node = node._replace(info=of_products(nodes))
        return Outlet(self.add(node, inputs, facts), 0)

    def replace(self, old: Outlet, new: Outlet) -> None:
        """Feed all consumers of ``old`` from ``new``; PatchError if type or shape would change."""
        before, after = self.facts[old], self.facts[new]
        if before.type is not after.type or not before.shape.compatible(after.shape):
            raise PatchError(f"{self.node(old.node).name}: {before} would become {after}")
        shape = before.shape.merge(after.shape)
        if shape is not None:
            self.facts[new] = Fact(after.type, shape, after.value)
        for inlet in self.consumers(old):
            self._feed(new, inlet, old)
        self.remove_unused([old.node], self._ends)

    def replace_all(self, old: int, new: int) -> None:
        """Feed the consumers of each output of a node from the same output of another."""
        for port in sorted({port for port, _ in self.graph.fed(old)}):
            self.replace(Outlet(old, port), Outlet(new, port))

    def optimized(self) -> tuple[Graph, Facts, Mapping[Outlet, Array]]:
        """Return the graph, its facts and its constants. Compressed values with consumers left are decompressed."""
        for outlet, packed in self._packed.items():
            if self.consumers(outlet):
                self._known[outlet] = packed.unpacked()
        self._stale.clear()
        graph, facts = self.freeze()
        known = {outlet: value for outlet, value in self._known.items() if outlet.node in graph}
        return graph, Facts(graph, facts.of, facts.bodies, self._diagnostics), known


def parts(node: Node) -> tuple[str, ...]:
    """Return the names of the layers that a node replaces."""
    return node.op.parts if isinstance(node.op, Fused) else (node.name,)

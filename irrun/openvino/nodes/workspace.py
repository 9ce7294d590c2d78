"""The graph that nodes are in while users hold them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

from irrun.diagnostics import IRError, OpError
from irrun.document.places import op_diagnostic
from irrun.editing import MutableGraph
from irrun.editing.mutable import NO_WEIGHTS
from irrun.graph import Graph, Node, Outlet
from irrun.graph.graph import PARAMETER, RESULT, GraphEnds, Inlet
from irrun.inference import Facts, infer
from irrun.inference.infer import input_notes
from irrun.openvino.nodes.records import CLASS_NAMES, held
from irrun.openvino.nodes.symbols import without_shared_symbols
from irrun.tensor import Fact

if TYPE_CHECKING:
    from irrun.document.weights import Weights


class Workspace(MutableGraph):
    """A graph and the handles of its nodes. Connecting nodes of two graphs joins these.

    A node stays as long as there is a handle of it, or another node that consumes it: a model has handles of its ends.
    """

    def __init__(self, graph: Graph | None = None, facts: Facts | None = None, weights: Weights = NO_WEIGHTS) -> None:
        graph = graph if graph is not None else Graph.of((), {}, (), (), ())
        super().__init__(graph, facts if facts is not None else Facts(graph, {}, {}, ()), weights)
        self._handles: WeakValueDictionary[int, Handle] = WeakValueDictionary()
        self._released: deque[int] = deque()
        self._notes: dict[int, dict[tuple[str, int], dict[str, Any]]] = {}
        self._kept: dict[int, Handle] = {}
        self._snapshots: dict[tuple[tuple[int, ...], ...], tuple[Graph, Facts]] = {}

    # -- handles

    def handle(self, id: int) -> Handle:
        """Return the handle of a node."""
        found = self._handles.get(id)
        if found is None:
            of_user = getattr(self.node(id).op, "node_of_user", None)
            if of_user is not None:
                return self._of_user(id, of_user())
            cls = HANDLES.get(self.node(id).type, HANDLES[""])
            found = cls.__new__(cls)
            found._bind(self, id)
        return found

    def _of_user(self, id: int, node: Handle) -> Handle:
        """Bind a new node of a user's class to a node of this graph, which gets the operation that knows it."""
        op = node.record.op
        node._graph.released(node._id)
        node._bind(self, id)
        self._thaw()
        self.graph.put(self.node(id)._replace(op=op))
        return node

    def notes(self, id: int, side: str, index: int = 0) -> dict[str, Any]:
        """Return the notes on a node, or on one of its ports, that no file has."""
        return self._notes.setdefault(id, {}).setdefault((side, index), {})

    def copy_notes(self, other: Workspace, ids: Iterable[int]) -> None:
        """Copy the notes on some nodes of another graph, in which they have the same ids."""
        for id in other._notes.keys() & set(ids):
            self._notes[id] = {place: dict(notes) for place, notes in other._notes[id].items()}

    def keep(self, handle: Handle) -> None:
        """Keep a handle that has a state of its own as long as its node."""
        self._kept[handle._id] = handle

    def join(self, other: Workspace) -> None:
        """Take over the nodes of another graph. Their handles follow them; constants get their values in memory."""
        other.sweep()
        ordered = dict.fromkeys((*other.order, *other.graph))
        moved = {id: self._next + place for place, id in enumerate(ordered)}
        self._next += len(moved)
        self._leads_back = self._leads_back or other.is_cyclic
        self._thaw()
        for id, new in moved.items():
            record = held(other.node(id), other.weights.read, other.facts.get(Outlet(id, 0)))
            self.graph.put(record._replace(id=new))
        for source, target, edge in other.graph.edges(data=True):
            self.graph.connect(Outlet(moved[source], edge["from_port"]), Inlet(moved[target], edge["to_port"]))
        self.facts.update({Outlet(moved[id], port): fact for (id, port), fact in other.facts.items()})
        self.bodies.update({(moved[id], tag): facts for (id, tag), facts in other.bodies.items()})
        self._notes.update({moved[id]: notes for id, notes in other._notes.items()})
        self._kept.update({moved[id]: handle for id, handle in other._kept.items()})
        self._faulty.update({moved[id]: fault for id, fault in other._faulty.items()})
        self._stale.update(moved[id] for id in other._stale)
        for id, handle in list(other._handles.items()):
            handle._bind(self, moved[id])
        self._order = None

    def released(self, id: int) -> None:
        """Note that a handle is gone; its node goes with it before the next edit, if nothing consumes it."""
        self._released.append(id)

    def sweep(self) -> None:
        """Remove the nodes that have no handle any more, and that nothing consumes."""
        while self._released:
            id = self._released.popleft()
            if id not in self._handles:
                self.remove_unused([id], self._handles)

    def consumers(self, outlet: Outlet) -> list[Inlet]:
        """Return the inputs that an outlet feeds."""
        self.sweep()
        return super().consumers(outlet)

    def _feed(self, outlet: Outlet, inlet: Inlet, before: Outlet | None) -> None:
        """Feed an input; an output of a model keeps the names that it has, also where another node feeds it."""
        record = self.node(inlet.node)
        if before is not None and record.type == RESULT and not record.output_names:
            names = self.output_names(inlet.node)
            if names and self.node(before.node).type != PARAMETER:
                self.update(record._replace(output_names=tuple(sorted(names))))
        super()._feed(outlet, inlet, before)

    def tensor_names(self, outlet: Outlet) -> set[str]:
        """Return the names of a tensor: its own, and those of the outputs of models that it is."""
        names = self.node(outlet.node).names
        own = names[outlet.port] if outlet.port < len(names) else ()
        readers = (self.node(inlet.node) for inlet in self.consumers(outlet))
        return {*own, *(name for reader in readers for name in reader.output_names)}

    def output_names(self, id: int) -> set[str]:
        """Return the names of the output that a Result is: its own, or those of the tensor."""
        record, source = self.node(id), next(iter(self.sources(id)), None)
        return set(record.output_names) or (set() if source is None else self.tensor_names(source))

    def remove(self, ids: Iterable[int]) -> None:
        """Remove nodes, with their notes."""
        gone = set(ids)
        super().remove(gone)
        for id in gone:
            self._notes.pop(id, None)
            self._kept.pop(id, None)

    def _thaw(self) -> None:
        super()._thaw()
        self._snapshots.clear()

    def _set_facts(self, id: int, facts: Sequence[Fact]) -> list[int]:
        self._snapshots.clear()
        return super()._set_facts(id, facts)

    # -- values

    def infer_node(self, id: int) -> None:
        """Infer the facts of one node now; IRError where its inputs do not fit."""
        self._stale.discard(id)
        self._stale.update(self._infer_again(id))
        faults = self.faults((id,))
        if faults:
            raise IRError(faults)

    def needed(self, parameters: Sequence[int], results: Sequence[int], sinks: Sequence[int]) -> list[int]:
        """Return the nodes of a model with these ends in topological order.

        RuntimeError where nodes depend on themselves, or on a Parameter that is not among them.
        """
        found = self.graph.upstream((*results, *sinks)).union(parameters)
        ordered = [id for id in self.order if id in found]
        if len(ordered) < len(found):
            rings = [ring[0] for ring in self.graph.cycles() if ring[0] in found]
            raise RuntimeError(f'node "{self.node(rings[0]).name}" depends on its own output')
        declared = set(parameters)
        for id in ordered:
            if self.node(id).type == PARAMETER and id not in declared:
                name = self.node(id).name
                raise RuntimeError(f'Parameter "{name}" is used, but is not among the parameters of the model')
        return ordered

    def validate(self, *ends: Sequence[int]) -> None:
        """Infer what edits have changed; IRError where nodes of a model with these ends do not fit together."""
        self.sweep()
        kept = [self._kept[id] for id in self.needed(*ends) if id in self._kept] if self._kept else []
        for handle in kept:
            handle.refresh()
        self.infer()
        faults = self.faults(set(self.needed(*ends))) if self.is_faulty or self.is_cyclic else ()
        if faults:
            raise IRError(faults)
        received = [handle.receive() for handle in kept]
        if any(received):
            self.validate(*ends)

    def ordered(self, parameters: Sequence[int], results: Sequence[int], sinks: Sequence[int]) -> list[int]:
        """Return the nodes of a model in OpenVINO's order: depth first, from the Parameters, the sinks, the Results."""
        self.needed(parameters, results, sinks)
        waiting, found = [*results, *sinks, *parameters], dict[int, None]()
        while waiting:
            id = waiting[-1]
            sources = [outlet.node for outlet in self.sources(id) if outlet is not None and outlet.node not in found]
            if id in found or not sources:
                found.setdefault(waiting.pop())
            else:
                waiting += reversed(sources)
        return list(found)

    def snapshot(self, *ends: Sequence[int]) -> tuple[Graph, Facts]:
        """Return the graph of a model with these ends, and its facts; IRError where nodes do not fit together."""
        key = tuple(map(tuple, ends))
        self.validate(*key)
        if key not in self._snapshots:
            needed = self.needed(*key)
            graph = self.graph.without(set(self.graph).difference(needed))
            graph.ends = GraphEnds(*key)
            known = {outlet: fact for outlet, fact in self.facts.items() if outlet.node in graph}
            bodies = {key: facts for key, facts in self.bodies.items() if key[0] in graph}
            anonymous = without_shared_symbols(graph)
            self._snapshots[key] = (
                (graph, Facts(graph, known, bodies, ()))
                if anonymous is graph
                else (anonymous, infer(anonymous, self.weights))
            )
        return self._snapshots[key]


class Handle:
    """A node: the graph that it is in, and its id there."""

    _graph: Workspace
    _id: int

    def _bind(self, graph: Workspace, id: int) -> None:
        """Make this the handle of a node."""
        self._graph, self._id = graph, id
        graph._handles[id] = self

    def _begin(
        self, record: Node, sources: Sequence[tuple[Handle, int]] = (), facts: Sequence[Fact] | None = None
    ) -> None:
        """Add a node with outputs of other nodes as its inputs, and make this its handle.

        Its facts are inferred where they are not given; IRError where the inputs do not fit.
        """
        graph = joined([node for node, _ in sources])
        inputs = [Outlet(node._id, port) for node, port in sources]
        try:
            self._bind(graph, graph.add(record, inputs, facts))
        except OpError as error:
            notes = input_notes([graph.fact(outlet) for outlet in inputs])
            raise IRError([op_diagnostic(error, record.layer, (), notes)]) from None

    def refresh(self) -> None:
        """Bring the record up to date with the state that a kept handle has of its own."""

    def receive(self) -> bool:
        """Take what inference knows into the state of a kept handle; return whether it was changed."""
        return False

    def __del__(self) -> None:
        graph = self.__dict__.get("_graph")
        if graph is not None:
            graph.released(self._id)

    @property
    def record(self) -> Node:
        """The operation as the graph has it."""
        return self._graph.node(self._id)

    def _update(self, record: Node) -> None:
        """Replace the record of the node."""
        self._graph.update(record)

    @property
    def friendly_name(self) -> str:
        """The name of the node, which may be changed."""
        return self.record.name

    @friendly_name.setter
    def friendly_name(self, name: str) -> None:
        layer = self.record.layer
        self._update(self.record._replace(name=name, layer=None if layer is None else layer._replace(name=name)))

    def get_type_name(self) -> str:
        """Return the type of the operation as OpenVINO spells it."""
        return CLASS_NAMES.get(self.record.type, self.record.type)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The types, shapes and values that inference knows of the outputs."""
        return tuple(self.fact(index) for index in range(self._count))

    @property
    def _count(self) -> int:
        """The number of outputs: those that the file declares, or those that inference found, where these are more."""
        return len(self._graph.outputs(self._id))

    def fact(self, index: int) -> Fact:
        """Return the fact of an output, unknown where its node was not inferred; RuntimeError for no such output."""
        known, record = self._graph.fact(Outlet(self._id, index)), self.record
        declared = len(record.op.spec.outputs) if record.op is not None else 0
        if known is None and not 0 <= index < max(record.outputs, declared):
            what = f'node "{self.friendly_name}" has {self._count} outputs, so there is no output {index}'
            raise RuntimeError(what)
        return known if known is not None else Fact.unknown()

    def _source(self, index: int) -> Outlet:
        """Return the outlet that feeds an input; RuntimeError where there is no such input."""
        outlets = self._graph.sources(self._id)
        if not 0 <= index < len(outlets):
            raise RuntimeError(f'node "{self.friendly_name}" has {len(outlets)} inputs, so there is no input {index}')
        source = outlets[index]
        if source is None:
            raise RuntimeError(f'input {index} of node "{self.friendly_name}" is not connected')
        return source


HANDLES: Final[dict[str, type[Handle]]] = {"": Handle}
"""The class of the handles of each type of layer; of all others under the empty text."""


def joined(nodes: Iterable[Handle]) -> Workspace:
    """Return the graph of some nodes, which is a new one for none; their graphs become one."""
    graphs = list(dict.fromkeys(node._graph for node in nodes))
    if not graphs:
        return Workspace()
    largest = max(graphs, key=lambda graph: len(graph.graph))
    for graph in graphs:
        if graph is not largest:
            largest.join(graph)
    return largest

"""Connects the ports of layers along the edges, and finds the faulty edge behind each unconnected input."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from irrun.diagnostics import Anchor, Diagnostic, Fault
from irrun.document.places import layer_ref
from irrun.document.records import EdgeElement, LayerElement, NetElement
from irrun.graph.faults import DanglingEdge, DuplicateLayerId, InputFedTwice, UnknownEdgePort
from irrun.graph.graph import Inlet, Outlet
from irrun.graph.ids import PortIds, is_id, port_ids

Sources = dict[int, list[Outlet | None]]


class _Stray(NamedTuple):
    """An edge to an unknown end, which explains one unconnected input.

    ``node`` is its intended target where known, ``finding`` the index of the finding that reports it.
    """

    node: int | None
    finding: int | None


class _Strays:
    """Edges that lead nowhere, each of which explains one input without an edge."""

    def __init__(self, strays: Sequence[_Stray]) -> None:
        self._by_node: dict[int | None, deque[_Stray]] = {}
        for stray in strays:
            self._by_node.setdefault(stray.node, deque()).append(stray)

    def take(self, node: int) -> _Stray | None:
        """Remove and return an edge that was to lead to a node, else one with an unknown end, else any."""
        for key in (node, None, next(iter(self._by_node), None)):
            waiting = self._by_node.get(key)
            if waiting:
                stray = waiting.popleft()
                if not waiting:
                    del self._by_node[key]
                return stray
        return None


class Connections:
    """The connections of the layers of one net along its edges.

    ``sources`` are the outlets that feed each input, ``open`` the inputs that no edge names. Inputs with a faulty edge
    are in neither: their source is unknown. ``twice`` are layers with the id of an earlier one.
    """

    def __init__(self, net: NetElement, layers: Mapping[int, LayerElement], twice: Sequence[LayerElement]) -> None:
        self.sources: Sources = {id: [None] * len(layer.inputs) for id, layer in layers.items()}
        self.open: list[Inlet] = []
        self.found: list[Diagnostic] = []
        self._layers = layers
        self._ambiguous = {layer.id for layer in twice}
        self._by_text: dict[str, int] = {}
        for id, layer in layers.items():
            self._by_text.setdefault(layer.id, id)
        self._lost: set[Inlet] = set()
        self._strays: list[_Stray] = []
        self._unknown_ports: dict[tuple[int, str, str], int] = {}
        self._ids: dict[tuple[int, str], PortIds] = {}
        missing = self._missing(net.edges)
        nameless = [id for id, layer in layers.items() if not is_id(layer.id)] if missing else []
        if len(nameless) == len(missing) == 1:
            self._by_text[next(iter(missing))] = nameless[0]
            missing = {}
        self._report_ids(missing, twice, len(nameless))
        for edge in net.edges:
            self._edge(edge)
            if not edge.to_layer:
                self._strays.append(_Stray(None, None))
        self._unconnected()

    def _missing(self, edges: Sequence[EdgeElement]) -> dict[str, list[tuple[EdgeElement, str]]]:
        """Return the layer ids that edges name but no layer has, with those edges."""
        missing: dict[str, list[tuple[EdgeElement, str]]] = {}
        if self._by_text.keys() >= {id for edge in edges for id in (edge.from_layer, edge.to_layer)}:
            return missing
        for edge in edges:
            for name, id in (("from-layer", edge.from_layer), ("to-layer", edge.to_layer)):
                if self._is_missing(id):
                    missing.setdefault(id, []).append((edge, name))
        return {
            id: named
            for id, named in missing.items()
            if not all(name == "to-layer" and self._is_missing(edge.from_layer) for edge, name in named)
        }

    def _is_missing(self, id: str) -> bool:
        return id != "" and id not in self._by_text

    def _report_ids(
        self, missing: Mapping[str, list[tuple[EdgeElement, str]]], twice: Sequence[LayerElement], nameless: int
    ) -> None:
        """Report each missing layer id, unless a layer with a faulty id explains it."""
        ids = list(missing) if self._layers else list(missing)[:1]
        for index, layer in enumerate(twice):
            notes = tuple(f'edges name layer "{id}", which does not exist' for id in ids[index : index + 1])
            self._report(DuplicateLayerId(id=layer.id), Anchor(layer.element, "value", "id"), layer, None, notes)
        for id in ids[: len(twice) + nameless]:
            self._strays += [_Stray(None, None) for edge, _ in missing[id] if self._is_missing(edge.to_layer)]
        for id in ids[len(twice) + nameless :]:
            edge, name = missing[id][0]
            more = len(missing[id]) - 1
            others = (f"{more} more edge{'s name' if more > 1 else ' names'} it",) if more else ()
            other = edge.to_layer if name == "from-layer" and self._is_missing(edge.to_layer) else None
            fault = DanglingEdge(end=name, id=id, other=other)
            self._report(fault, Anchor(edge.element, "value", name), None, None, others)
            finding = len(self.found) - 1
            self._strays += [_Stray(None, finding) for edge, _ in missing[id] if self._is_missing(edge.to_layer)]

    def _edge(self, edge: EdgeElement) -> None:
        source = self._layer(edge.from_layer)
        target = self._layer(edge.to_layer)
        output = None if source is None else self._port(edge, "from-port", edge.from_port, source)
        input = None if target is None else self._port(edge, "to-port", edge.to_port, target)
        if target is None or input is None:
            return
        inlet = Inlet(target, input)
        before = self.sources[target][input]
        if before is not None or inlet in self._lost:
            layer = self._layers[target]
            notes = () if before is None else (f"the other edge comes from layer {self._layers[before.node].id}",)
            self._report(InputFedTwice(port=edge.to_port), Anchor(edge.element), layer, edge.to_port, notes)
            self._strays.append(_Stray(target, len(self.found) - 1))
            self._lose(inlet)
        elif source is None or output is None:
            self._lose(inlet)
        else:
            self.sources[target][input] = Outlet(source, output)

    def _layer(self, id: str) -> int | None:
        return None if id in self._ambiguous else self._by_text.get(id)

    def _port(self, edge: EdgeElement, name: str, port: str, node: int) -> int | None:
        side = "output" if name == "from-port" else "input"
        ids = self._port_ids(node, side)
        index = ids.index(port)
        if index is not None:
            return index
        layer = self._layers[node]
        ports = layer.outputs if side == "output" else layer.inputs
        group = node, name, port if ports else ""
        finding = self._unknown_ports.get(group)
        if finding is None and port and not ids.any_faulty:
            fault = UnknownEdgePort(end=name, port=port, layer=layer, known=ids.listed())
            self._report(fault, Anchor(edge.element, "value", name), layer, port)
            finding = len(self.found) - 1
            self._unknown_ports[group] = finding
        if name == "to-port":
            self._strays.append(_Stray(node, finding))
        return None

    def _port_ids(self, node: int, side: str) -> PortIds:
        found = self._ids.get((node, side))
        if found is None:
            layer = self._layers[node]
            found = port_ids(layer.inputs) if side == "input" else port_ids(layer.outputs, len(layer.inputs))
            self._ids[node, side] = found
        return found

    def _lose(self, inlet: Inlet) -> None:
        self.sources[inlet.node][inlet.port] = None
        self._lost.add(inlet)

    def _unconnected(self) -> None:
        """Collect inputs that no edge names, except one for each stray edge, preferably of the same layer."""
        inlets = [
            Inlet(id, index)
            for id, sources in self.sources.items()
            for index, outlet in enumerate(sources)
            if outlet is None
        ]
        strays = _Strays(self._strays)
        left: dict[int, list[str]] = {}
        for inlet in inlets:
            layer = self._layers[inlet.node]
            port = layer.inputs[inlet.port]
            if (
                inlet in self._lost
                or self._port_ids(inlet.node, "input").is_faulty(inlet.port)
                or layer.id in self._ambiguous
                or not is_id(layer.id)
            ):
                continue
            stray = strays.take(inlet.node)
            if stray is None:
                self.open.append(inlet)
            elif stray.finding is not None:
                note = f'input port {port.id} of layer {layer.id} "{layer.name}" is left without an edge'
                left.setdefault(stray.finding, []).append(note)
        for finding, notes in left.items():
            before = self.found[finding]
            self.found[finding] = before._replace(notes=(*before.notes, *notes))

    def _report(
        self,
        fault: Fault,
        anchor: Anchor,
        layer: LayerElement | None,
        port: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        ref = None if layer is None else layer_ref(layer)
        self.found.append(fault.at(anchor, ref, port, notes))

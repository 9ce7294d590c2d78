"""Connects a body to its layer along the port map, and its iterations along the back edges."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from irrun.diagnostics import Anchor, Diagnostic, LayerRef, Severity
from irrun.document.places import in_layer, layer_ref
from irrun.document.records import BodyElement, EdgeElement, LayerElement, MapElement, NetElement
from irrun.graph.faults import WrongBackEdge, WrongPortMap
from irrun.graph.graph import PARAMETER, RESULT, Graph
from irrun.graph.ids import duplicates, is_id, port_ids
from irrun.ops.context import BodyInput, BodyOutput, BodyPorts

NO_PORTS: Final = BodyPorts((), (), (), 0, 0)

_PURPOSES: Final = {"input": "current_iteration", "output": "execution_condition"}
_ENDS: Final = "external_port_id", "internal_layer_id"
_INTEGER: Final = re.compile(r"\s*[+-]?[0-9]{1,19}", re.ASCII)
_NUMBERS: Final = "axis", "start", "end", "stride", "part_size"


class ConnectedBody(NamedTuple):
    """The connections of a body; ``sound`` is false where one is faulty, which may be reported elsewhere."""

    ports: BodyPorts
    sound: bool
    diagnostics: Sequence[Diagnostic] = ()


def connect_body(
    layer: LayerElement,
    element: BodyElement,
    graph: Graph,
    path: tuple[str, ...],
    edges: Sequence[EdgeElement],
    misread: Collection[LayerRef],
) -> ConnectedBody:
    """Connect a body to its layer.

    Inputs that ``edges`` leave unconnected as well are reported elsewhere; layers in ``misread`` may have been meant to
    be others.
    """
    connector = _Connector(layer, element, graph, path, misread)
    if _has_faulty_ids(element.net):
        return ConnectedBody(NO_PORTS, False)
    if not element.port_map and (graph.parameters or layer.outputs):
        connector.wrong_map(f"{layer.type} has no port map for <{element.tag}>", Anchor(element.element))
        return ConnectedBody(NO_PORTS, False, connector.found)
    sound = connector.map(edges)
    sound = connector.loop() and sound
    if sound and not connector.errors:
        connector.complete()
    return ConnectedBody(connector.ports(), sound and not connector.errors, connector.found)


class _Connector:
    def __init__(
        self,
        layer: LayerElement,
        element: BodyElement,
        graph: Graph,
        path: tuple[str, ...],
        misread: Collection[LayerRef],
    ) -> None:
        self.found: list[Diagnostic] = []
        self._layer = layer
        self._element = element
        self._graph = graph
        self._path = path
        self._misread = misread
        self._parameters = {_layer_id(graph, id): index for index, id in enumerate(graph.parameters)}
        self._results = {_layer_id(graph, id): index for index, id in enumerate(graph.results)}
        self._gone = _missing_ids(element.net) | {item.id for item in element.net.layers if layer_ref(item) in misread}
        self._inputs: list[BodyInput] = []
        self._outputs: list[BodyOutput] = []
        self._fed: set[int] = set()
        self._numbered: set[int] = set()
        self._sliced: set[int] = set()
        self._made: set[int | None] = set()
        self._back_edges: dict[int, int] = {}

    def ports(self) -> BodyPorts:
        back_edges = tuple((result, parameter) for parameter, result in self._back_edges.items())
        counts = len(self._parameters), len(self._results)
        return BodyPorts(tuple(self._inputs), tuple(self._outputs), back_edges, *counts)

    # -- the port map

    def map(self, edges: Sequence[EdgeElement]) -> bool:
        """Connect the entries of the port map; return whether all of them lead somewhere."""
        layer, sound = self._layer, True
        counted = self._counted_outputs()
        ids = {"input": port_ids(layer.inputs), "output": port_ids(layer.outputs, len(layer.inputs))}
        for entry in self._element.port_map:
            values = self._values(entry)
            if values is None or any(name not in entry.attributes for name in _ENDS) or not self._has_inner(entry):
                sound = False
                continue
            outer = entry.attributes["external_port_id"]
            external = None if outer == "-1" else ids[entry.kind].index(outer)
            if entry.kind == "output" and outer in counted:
                external = int(outer)
            purpose = _PURPOSES[entry.kind]
            if outer == "-1" and entry.attributes.get("purpose") != purpose:
                sound = False
                self._wrong_entry(entry, "external_port_id", f'an entry without a port has purpose="{purpose}"')
                continue
            if external is None and outer != "-1":
                sound = False
                if not any(_names_port(edge, layer.id, outer, entry.kind) for edge in edges):
                    self._wrong_entry(entry, "external_port_id", f"{layer.type} has no such {entry.kind} port")
            else:
                self._join(entry, external, values)
        return sound

    def _counted_outputs(self) -> frozenset[str]:
        """Return the ids of the output entries if they count the outputs from 0 on, as on the page of If; else none."""
        count = len(self._layer.outputs)
        entries = (entry for entry in self._element.port_map if entry.kind == "output")
        ids = {entry.attributes.get("external_port_id", "") for entry in entries} - {"-1"}
        return frozenset(ids) if ids == {str(index) for index in range(count)} else frozenset()

    def _values(self, entry: MapElement) -> dict[str, int] | None:
        """Return the numbers of an entry; None where one is not an integer."""
        values = {}
        for name in _NUMBERS:
            text = entry.attributes.get(name)
            if text is None:
                continue
            if _INTEGER.fullmatch(text) is None:
                what = f'{name}="{text}" of the port map is not an integer'
                self.wrong_map(what, Anchor(entry.element, "value", name))
                return None
            values[name] = int(text)
        if entry.kind == "input" and values.get("axis", 0) < 0:
            self._wrong_entry(entry, "axis", "expected 0 or more")
            return None
        return values

    def _has_inner(self, entry: MapElement) -> bool:
        """Return whether the body has the layer that an entry names; report the first entry that names another one."""
        is_input = entry.kind == "input"
        inner = entry.attributes["internal_layer_id"]
        if inner in (self._parameters if is_input else self._results):
            return True
        if inner not in self._gone:
            self._gone.add(inner)
            what = f"the body has no {PARAMETER if is_input else RESULT} with this id"
            self._wrong_entry(entry, "internal_layer_id", what)
        return False

    def _join(self, entry: MapElement, external: int | None, values: Mapping[str, int]) -> None:
        inner = entry.attributes["internal_layer_id"]
        if entry.kind == "input":
            parameter = self._parameters[inner]
            if parameter in self._fed:
                self._wrong_entry(entry, "internal_layer_id", f"this {PARAMETER} is fed twice")
            else:
                self._fed.add(parameter)
                if external is None:
                    self._numbered.add(parameter)
                elif "axis" in values:
                    self._sliced.add(parameter)
                self._inputs.append(BodyInput(parameter, external, **values))
        elif external is not None and external in self._made:
            self._wrong_entry(entry, "external_port_id", "this output is produced twice")
        else:
            self._made.add(external)
            self._outputs.append(BodyOutput(self._results[inner], external, **values))

    # -- the back edges

    def loop(self) -> bool:
        """Connect the back edges; return whether all of them are sound."""
        sound = True
        for edge in self._element.back_edges:
            from_ = "from-layer", edge.from_layer, self._results, RESULT
            to = "to-layer", edge.to_layer, self._parameters, PARAMETER
            if not all(self._is_there(edge.element, *end) for end in (from_, to)):
                sound = False
                continue
            parameter = self._parameters[edge.to_layer]
            if parameter in self._back_edges:
                what = f'to-layer "{edge.to_layer}": another back edge leads to this {PARAMETER}'
                self._wrong_back_edge(what, edge.element, "to-layer")
            elif parameter in self._numbered:
                what = f'to-layer "{edge.to_layer}": each iteration gives this {PARAMETER} its number'
                self._wrong_back_edge(what, edge.element, "to-layer")
            elif parameter in self._sliced:
                what = f'to-layer "{edge.to_layer}": the edge has no effect, since this {PARAMETER} gets slices'
                self._wrong_back_edge(what, edge.element, "to-layer", Severity.WARNING)
            else:
                self._back_edges[parameter] = self._results[edge.from_layer]
        return sound

    def _is_there(self, element: int, name: str, id: str, among: Mapping[str, int], kind: str) -> bool:
        if id in among and id:
            return True
        if id and id not in self._gone:
            self._wrong_back_edge(f'{name} "{id}": the body has no {kind} with this id', element, name)
        return False

    # -- missing entries

    def complete(self) -> None:
        """Report Parameters of a body without input, and outputs of the layer without a source."""
        layer, tag = self._layer, self._element.tag
        inner = (*self._path, f'{layer.type} "{layer.name}" › {tag}')
        for index, id in enumerate(self._graph.parameters):
            parameter = self._graph.node(id).layer
            if index not in self._fed and parameter is not None and layer_ref(parameter) not in self._misread:
                fault = WrongPortMap(
                    what=f"no <input> of the port map feeds this {PARAMETER} of {layer.type} {layer.id}"
                )
                self.found.append(in_layer(fault, Anchor(parameter.element), parameter, inner))
        repeated = len({port.id for port in layer.outputs}) < len(layer.outputs)
        for index, port in enumerate(layer.outputs):
            if index not in self._made and not repeated:
                what = f"no <output> of the port map of <{tag}> produces output port {port.id}"
                self.wrong_map(what, Anchor(port.element), port.id)

    # -- findings

    def _wrong_entry(self, entry: MapElement, name: str, what: str) -> None:
        self.wrong_map(f'{name} "{entry.attributes[name]}": {what}', Anchor(entry.element, "value", name))

    def wrong_map(self, what: str, anchor: Anchor, port: str | None = None) -> None:
        self.found.append(in_layer(WrongPortMap(what=what), anchor, self._layer, self._path, port))

    def _wrong_back_edge(self, what: str, element: int, name: str, severity: Severity = Severity.ERROR) -> None:
        fault, anchor = WrongBackEdge(what=what, severity=severity), Anchor(element, "value", name)
        self.found.append(in_layer(fault, anchor, self._layer, self._path))

    @property
    def errors(self) -> list[Diagnostic]:
        return [item for item in self.found if item.severity is Severity.ERROR]


def _layer_id(graph: Graph, id: int) -> str:
    layer = graph.node(id).layer
    return layer.id if layer is not None else ""


def _names_port(edge: EdgeElement, layer: str, port: str, side: str) -> bool:
    ends = (edge.to_layer, edge.to_port) if side == "input" else (edge.from_layer, edge.from_port)
    return ends == (layer, port)


def _missing_ids(net: NetElement) -> set[str]:
    """Return the layer ids that edges name but no layer has; they are reported with the edges."""
    ids = {layer.id for layer in net.layers}
    return {id for edge in net.edges for id in (edge.from_layer, edge.to_layer)} - ids


def _has_faulty_ids(net: NetElement) -> bool:
    """Return whether the layer ids are invalid or repeated, or all layers are missing; reported with the body."""
    if not net.layers:
        return bool(net.edges)
    return any(not is_id(layer.id) for layer in net.layers) or bool(duplicates(net.layers))

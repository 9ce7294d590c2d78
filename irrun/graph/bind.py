"""Document -> Graph: gives each layer its operation and joins the ports that the edges name."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from irrun.diagnostics import Anchor, Diagnostic, Fix, LayerRef, OpError, Severity, near_match
from irrun.document.records import BodyElement, EdgeElement, LayerElement, MapElement, NetElement, PortElement
from irrun.document.reader import Document
from irrun.graph.graph import Body, Graph, Node, Outlet
from irrun.ops import Op
from irrun.ops.context import BodyInput, BodyOutput, BodyPorts
from irrun.ops.declaration import REQUIRED
from irrun.ops.registry import resolve
from irrun.ops.spec import AttrSpec, AttributeMissing, AttributeUnknown, OpSpec
from irrun.tensor import DYNAMIC, Shape
from irrun.tensor.element_type import BY_PRECISION

PARAMETER = "Parameter"
RESULT = "Result"


@dataclass(frozen=True)
class Bound:
    """A graph, and what was found on the way to it."""

    graph: Graph
    diagnostics: tuple[Diagnostic, ...]


def bind(document: Document) -> Bound:
    """The graph that a document describes. Layers that cannot be understood stay in it, without an operation."""
    binder = _Binder(fragment=document.fragment)
    graph = binder.net(document.net, ())
    return Bound(graph, tuple(binder.found))


def layer_ref(layer: LayerElement) -> LayerRef:
    return LayerRef(layer.id, layer.name, layer.type, layer.version or "")


@dataclass
class _Binder:
    fragment: bool
    found: list[Diagnostic] = field(default_factory=list)

    def net(self, net: NetElement, path: tuple[str, ...]) -> Graph:
        """The graph of a net, or of the inside of the body that ``path`` leads to."""
        ids = self._ids(net.layers, path)
        digraph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
        sources: dict[int, list[Outlet | None]] = {}
        layers: dict[int, LayerElement] = {}
        by_text: dict[str, int] = {}
        for id, layer in zip(ids, net.layers, strict=True):
            layers[id] = layer
            by_text.setdefault(layer.id, id)
            sources[id] = [None] * len(layer.inputs)
            node = self._node(id, layer, path)
            _add(digraph, node)
        for edge in net.edges:
            self._edge(edge, by_text, layers, sources, digraph, path)
        extra = self._loose(ids, layers, sources, digraph, path)
        order = self._order([*extra, *ids], sources, digraph, layers, path)
        types = {id: digraph.nodes[id]["type"] for id in (*extra, *ids)}
        return Graph(
            digraph,
            order,
            {id: tuple(outlets) for id, outlets in sources.items()},
            [id for id, type in types.items() if type == PARAMETER],
            [id for id, type in types.items() if type == RESULT],
            [id for id in ids if _keeps_state(digraph.nodes[id]["op"]) and not digraph.out_degree(id)],
        )

    # -- layers

    def _ids(self, layers: Sequence[LayerElement], path: tuple[str, ...]) -> list[int]:
        ids: list[int] = []
        seen: set[int] = set()
        for index, layer in enumerate(layers):
            id = int(layer.id) if layer.id.isascii() and layer.id.isdigit() else -1 - index
            if id in seen:
                if not self.fragment:
                    what = f'layer id "{layer.id}" is used twice, expected an id of its own'
                    self._report("IR201", what, Anchor(layer.element, "value", "id"), layer, path)
                id = -1 - index
            seen.add(id)
            ids.append(id)
        return ids

    def _node(self, id: int, layer: LayerElement, path: tuple[str, ...]) -> Node:
        op = self._operation(layer, path)
        bodies: dict[str, Body] = {}
        for element in layer.bodies:
            inner = (*path, f'{layer.type} "{layer.name}" › {element.tag}')
            graph = self.net(element.net, inner)
            bodies[element.tag] = Body(graph, self._body_ports(layer, element, graph, path))
        if op is not None:
            for tag in op.bodies:
                if tag not in bodies:
                    self._report("IR304", f"{layer.type} has no <{tag}>", Anchor(layer.element), layer, path)
                    op = None
                    break
        names = tuple(_names(port.names) for port in layer.outputs)
        return Node(id, layer.name, layer.type, layer.version or "", op, len(layer.outputs), names, layer, bodies)

    def _operation(self, layer: LayerElement, path: tuple[str, ...]) -> Op | None:
        if not layer.type:
            return None
        try:
            cls = resolve(layer.type, layer.version)
        except OpError as error:
            attribute = "version" if layer.version and not error.message.startswith("no operation") else "type"
            self._report(error.code, error.message, Anchor(layer.element, "attribute", attribute), layer, path)
            return None
        values: dict[str, Any] = {}
        spec = cls.spec
        failed = self._unknown_attributes(layer, spec, path)
        for declared in spec.attributes:
            try:
                value = self._attribute(layer, declared, path)
            except OpError as error:
                self._op_error(error, layer, path)
                failed = True
                continue
            if value is not REQUIRED:
                values[declared.field] = value
        if failed:
            return None
        try:
            return cls(**values)
        except OpError as error:
            self._op_error(error, layer, path)
            return None

    def _unknown_attributes(self, layer: LayerElement, spec: OpSpec, path: tuple[str, ...]) -> bool:
        """Report attributes that the operation does not have; whether one of them stands for one that is missing."""
        known = {attribute.name for attribute in spec.attributes}
        required = {attribute.name for attribute in spec.attributes if attribute.required}
        absent = required - set(layer.data)
        failed = False
        for name in layer.data:
            if name in known:
                continue
            close = near_match(name, known - set(layer.data)) or near_match(name, known)
            error = AttributeUnknown(f"{layer.type} has no attribute {name}{close}", attribute=name)
            anchor = Anchor(layer.data_element, "name", name)
            self._report(error.code, error.message, anchor, layer, path, Severity.WARNING if not close else Severity.ERROR)
            failed = failed or any(f"did you mean {word}?" in close for word in absent)
        return failed

    def _attribute(self, layer: LayerElement, attribute: AttrSpec, path: tuple[str, ...]) -> Any:
        text = layer.data.get(attribute.name)
        if text is not None:
            return attribute.parse(text)
        if attribute.openvino is REQUIRED:
            if attribute.required:
                raise AttributeMissing(f"{layer.type} requires the attribute {attribute.name}", attribute=attribute.name)
            return REQUIRED
        if any(near_match(name, [attribute.name]) for name in layer.data):
            return attribute.openvino
        reads = attribute.text(attribute.openvino) or "ones or zeros"
        prints = "requires it" if attribute.required else f"says {attribute.text(attribute.default)}"
        what = f"{attribute.name} is absent: OpenVINO reads {reads}, the specification {prints}"
        code = AttributeMissing.code if attribute.required else "IR310"
        severity = Severity.ERROR if attribute.required else Severity.WARNING
        self._report(code, what, Anchor(layer.data_element or layer.element), layer, path, severity)
        return attribute.openvino

    # -- edges

    def _edge(
        self,
        edge: EdgeElement,
        by_text: Mapping[str, int],
        layers: Mapping[int, LayerElement],
        sources: dict[int, list[Outlet | None]],
        digraph: nx.MultiDiGraph[int],
        path: tuple[str, ...],
    ) -> None:
        for name, id in (("from-layer", edge.from_layer), ("to-layer", edge.to_layer)):
            if id not in by_text:
                what = f'{name} "{id}": there is no layer with this id'
                self._report("IR202", what, Anchor(edge.element, "value", name), None, path)
                return
        source, target = by_text[edge.from_layer], by_text[edge.to_layer]
        output = _port_index(layers[source].outputs, edge.from_port)
        input = _port_index(layers[target].inputs, edge.to_port)
        for name, port, index, layer, side in (
            ("from-port", edge.from_port, output, layers[source], "output"),
            ("to-port", edge.to_port, input, layers[target], "input"),
        ):
            if index is None:
                what = f'{name} "{port}": layer {layer.id} ({layer.type}) has no such {side} port'
                self._report("IR203", what, Anchor(edge.element, "value", name), layer, path)
                return
        assert output is not None and input is not None
        if sources[target][input] is not None:
            what = f"input port {edge.to_port} is fed twice, expected one edge"
            self._report("IR205", what, Anchor(edge.element), layers[target], path)
            return
        sources[target][input] = Outlet(source, output)
        digraph.add_edge(source, target, from_port=output, to_port=input)

    def _loose(
        self,
        ids: Sequence[int],
        layers: Mapping[int, LayerElement],
        sources: dict[int, list[Outlet | None]],
        digraph: nx.MultiDiGraph[int],
        path: tuple[str, ...],
    ) -> list[int]:
        """Report inputs that nothing feeds; in a fragment, give each a Parameter of the port's dims and type."""
        made: list[int] = []
        for id in ids:
            layer = layers[id]
            for index, port in enumerate(layer.inputs):
                if sources[id][index] is not None:
                    continue
                if not self.fragment:
                    what = f"input port {port.id} is not connected, expected an edge to it"
                    self._report("IR204", what, Anchor(port.element), layer, path)
                    continue
                parameter = -1 - len(layers) - len(made)
                made.append(parameter)
                op = _loose_parameter(port)
                _add(digraph, Node(parameter, f"{layer.id}.{port.id}", PARAMETER, "", op, 1, ((),), None, {}))
                sources[parameter] = []
                sources[id][index] = Outlet(parameter, 0)
                digraph.add_edge(parameter, id, from_port=0, to_port=index)
        return made

    def _order(
        self,
        ids: Sequence[int],
        sources: dict[int, list[Outlet | None]],
        digraph: nx.MultiDiGraph[int],
        layers: Mapping[int, LayerElement],
        path: tuple[str, ...],
    ) -> list[int]:
        """A topological order; a cycle is reported and its nodes are left out of it."""
        rank = {id: index for index, id in enumerate(ids)}
        waiting = {id: sum(outlet is not None for outlet in sources[id]) for id in ids}
        ready = [rank[id] for id in ids if not waiting[id]]
        heapq.heapify(ready)
        order: list[int] = []
        while ready:
            id = ids[heapq.heappop(ready)]
            order.append(id)
            for _, target in digraph.out_edges(id):
                waiting[target] -= 1
                if not waiting[target]:
                    heapq.heappush(ready, rank[target])
        if len(order) < len(ids):
            left = digraph.subgraph(set(ids) - set(order))
            ring = [edge[0] for edge in nx.find_cycle(left)]
            ring = ring[ring.index(min(ring)) :] + ring[: ring.index(min(ring))]
            names = " → ".join(f'"{digraph.nodes[id]["name"]}"' for id in (*ring, ring[0]))
            layer = layers[ring[0]]
            self._report("IR206", f"the layers form a cycle: {names}", Anchor(layer.element), layer, path)
        return order

    # -- bodies

    def _body_ports(self, layer: LayerElement, element: BodyElement, graph: Graph, path: tuple[str, ...]) -> BodyPorts:
        parameters = {_layer_id(graph, id): index for index, id in enumerate(graph.parameters)}
        results = {_layer_id(graph, id): index for index, id in enumerate(graph.results)}
        inputs: list[BodyInput] = []
        outputs: list[BodyOutput] = []
        for entry in element.port_map:
            values = self._map_values(layer, entry, path)
            if values is None:
                continue
            ends = parameters if entry.kind == "input" else results
            ports = layer.inputs if entry.kind == "input" else layer.outputs
            inner = entry.attributes.get("internal_layer_id", "")
            if inner not in ends:
                what = f'internal_layer_id "{inner}": the body has no {PARAMETER if entry.kind == "input" else RESULT} with this id'
                self._report("IR207", what, Anchor(entry.element, "value", "internal_layer_id"), layer, path)
                continue
            outer = entry.attributes.get("external_port_id", "")
            external = None if outer == "-1" else _port_index(ports, outer)
            if external is None and outer != "-1":
                what = f'external_port_id "{outer}": the layer has no such {entry.kind} port'
                self._report("IR207", what, Anchor(entry.element, "value", "external_port_id"), layer, path)
                continue
            if entry.kind == "input":
                inputs.append(BodyInput(ends[inner], external, **values))
            else:
                outputs.append(BodyOutput(ends[inner], external, **values))
        back_edges: list[tuple[int, int]] = []
        for edge in element.back_edges:
            for name, id, among, kind in (
                ("from-layer", edge.from_layer, results, RESULT),
                ("to-layer", edge.to_layer, parameters, PARAMETER),
            ):
                if id not in among:
                    what = f'{name} "{id}": the body has no {kind} with this id'
                    self._report("IR208", what, Anchor(edge.element, "value", name), layer, path)
                    break
            else:
                back_edges.append((results[edge.from_layer], parameters[edge.to_layer]))
        return BodyPorts(tuple(inputs), tuple(outputs), tuple(back_edges), len(parameters), len(results))

    def _map_values(self, layer: LayerElement, entry: MapElement, path: tuple[str, ...]) -> dict[str, int] | None:
        values = {}
        for name in ("axis", "start", "end", "stride", "part_size"):
            text = entry.attributes.get(name)
            if text is None:
                continue
            try:
                values[name] = int(text)
            except ValueError:
                what = f'{name}="{text}" of the port map is not an integer'
                self._report("IR207", what, Anchor(entry.element, "value", name), layer, path)
                return None
        return values

    # -- reporting

    def _op_error(self, error: OpError, layer: LayerElement, path: tuple[str, ...]) -> None:
        self.found.append(op_diagnostic(error, layer, path))

    def _report(
        self,
        code: str,
        message: str,
        anchor: Anchor,
        layer: LayerElement | None,
        path: tuple[str, ...],
        severity: Severity = Severity.ERROR,
        fix: Fix | None = None,
    ) -> None:
        ref = layer_ref(layer) if layer is not None else None
        self.found.append(Diagnostic(code, message, anchor, severity, ref, notes=path_notes(path), fix=fix))


def op_diagnostic(
    error: OpError, layer: LayerElement, path: tuple[str, ...], notes: tuple[str, ...] = ()
) -> Diagnostic:
    """The finding that an operation's error becomes, located at the attribute or the input port that it names."""
    anchor = Anchor(layer.element, "attribute", "type")
    port = None
    if error.attribute is not None:
        anchor = Anchor(layer.element)
        if layer.data_element is not None:
            anchor = Anchor(layer.data_element, "value" if error.attribute in layer.data else "tag", error.attribute)
    elif error.input is not None and error.input < len(layer.inputs):
        anchor = Anchor(layer.inputs[error.input].element)
        port = layer.inputs[error.input].id
    where = (*notes, *path_notes(path))
    return Diagnostic(error.code, error.message, anchor, layer=layer_ref(layer), port=port, notes=where)


def path_notes(path: tuple[str, ...]) -> tuple[str, ...]:
    return (f"in {' › '.join(path)}",) if path else ()


def _add(digraph: nx.MultiDiGraph[int], node: Node) -> None:
    digraph.add_node(node.id, node=node, name=node.name, type=node.type, version=node.version, op=node.op)


def _layer_id(graph: Graph, id: int) -> str:
    layer = graph[id].layer
    return layer.id if layer is not None else ""


def _keeps_state(op: Op | None) -> bool:
    return op is not None and "state" in op.spec.run_asks


def _port_index(ports: Sequence[PortElement], id: str) -> int | None:
    for index, port in enumerate(ports):
        if port.id == id:
            return index
    return None


def _names(text: str | None) -> tuple[str, ...]:
    """The tensor names of a port: separated by commas, a comma inside a name escaped by a backslash."""
    if text is None:
        return ()
    if "\\" not in text:
        return tuple(name for name in text.split(",") if name)
    parts = text.replace("\\,", "\0").split(",")
    return tuple(part.replace("\0", ",") for part in parts if part)


def _loose_parameter(port: PortElement) -> Op:
    type = BY_PRECISION.get(port.precision or "", DYNAMIC)
    dims = Shape.parse(",".join(port.dims))
    values: dict[str, Any] = {"element_type": type, "shape": dims}
    return resolve(PARAMETER)(**values)

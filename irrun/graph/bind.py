"""Document -> Graph: assigns operations to layers and connects their ports along the edges."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from irrun.diagnostics import Anchor, Diagnostic, LayerRef, OpError, Severity
from irrun.document.grammar import nearest
from irrun.document.reader import Document, element_type
from irrun.document.records import BodyElement, EdgeElement, LayerElement, MapElement, NetElement, PortElement
from irrun.graph.attributes import attributes
from irrun.graph.extensions import Extensions
from irrun.graph.graph import Body, Graph, Inlet, Node, Outlet
from irrun.graph.join import Joiner, Sources, cycles, duplicates, layer_ref, order
from irrun.graph.ports import PortIds, is_number
from irrun.ops import Op
from irrun.ops.attributes import AttrSpec
from irrun.ops.context import BodyInput, BodyOutput, BodyPorts
from irrun.ops.declaration import DECLARED
from irrun.ops.extension import Extension
from irrun.ops.registry import resolve, spelling
from irrun.tensor import DYNAMIC, Shape

if TYPE_CHECKING:
    from irrun.graph.pre_process import Mean

__all__ = ["Bound", "bind", "layer_ref", "op_diagnostic", "path_notes"]

PARAMETER: Final = "Parameter"
RESULT: Final = "Result"
_MAP_ENDS: Final = "external_port_id", "internal_layer_id"

_NO_BODIES: Final[Mapping[str, Body]] = {}
_UNNAMED: Final[tuple[tuple[str, ...], ...]] = ((),)


@dataclass(frozen=True)
class Bound:
    """A graph, and the diagnostics of binding it.

    ``means`` are the means subtracted from Parameters, by node; None where the file's ``<pre-process>`` does not fit.
    """

    graph: Graph
    diagnostics: tuple[Diagnostic, ...]
    means: Mapping[int, Mean] | None = field(default_factory=dict)


def bind(document: Document, *, mend: bool = False) -> Bound:
    """Build the graph of a document. Layers that cannot be bound stay in it without an operation.

    With ``mend``, misspelt types and attributes are replaced by what was probably meant, so that the rest can be
    checked; otherwise they are ignored.
    """
    binder = _Binder(Extensions(document.net), fragment=document.fragment, mend=mend)
    graph = binder.net(document.net, ())
    if document.net.pre_process is None:
        return Bound(graph, tuple(binder.found), {})
    from irrun.graph.pre_process import WrongPreProcess, means

    try:
        found = means(document.net.pre_process, graph, document.weights)
    except WrongPreProcess as error:
        return Bound(graph, (*binder.found, error.finding), None)
    return Bound(graph, tuple(binder.found), found)


@dataclass
class _Binder:
    extensions: Extensions
    fragment: bool
    mend: bool
    found: list[Diagnostic] = field(default_factory=list)
    operations: dict[tuple[str, str | None], tuple[type[Op], Mapping[str, AttrSpec]]] = field(default_factory=dict)
    shared: dict[tuple[object, ...], Op] = field(default_factory=dict)

    def net(self, net: NetElement, path: tuple[str, ...]) -> Graph:
        """Return the graph of a net, or of the body at ``path``."""
        layers = dict(zip(_ids(net.layers), net.layers, strict=True))
        nodes = {id: self._node(id, layer, path, net.edges) for id, layer in layers.items()}
        if self.fragment and not path:
            sources: Sources = {id: [None] * len(layer.inputs) for id, layer in layers.items()}
            nodes = {**_feed(layers, sources), **nodes}
        else:
            joiner = Joiner(net, layers, duplicates(net.layers))
            self.found += (dataclasses.replace(item, notes=(*item.notes, *path_notes(path))) for item in joiner.found)
            self._open(joiner.open if net.edges else joiner.open[:1], layers, path)
            sources = joiner.sources
            if not self.mend:
                _leave_out(joiner.open, nodes, sources)
        ids = list(nodes)
        found = order(ids, sources)
        for ring in cycles(sources, set(ids).difference(found)) if len(found) < len(ids) else ():
            names = " → ".join(f'"{layers[id].name}"' for id in (*ring, ring[0]))
            layer = layers[ring[0]]
            self._report("IR206", f"the layers form a cycle: {names}", Anchor(layer.element), layer, path)
        used = {outlet.node for outlets in sources.values() for outlet in outlets if outlet is not None}
        return Graph(
            nodes,
            found,
            {id: tuple(outlets) for id, outlets in sources.items()},
            [id for id, node in nodes.items() if node.type == PARAMETER],
            [id for id, node in nodes.items() if node.type == RESULT],
            [id for id, node in nodes.items() if _keeps_state(node.op) and id not in used],
        )

    # -- layers

    def _node(self, id: int, layer: LayerElement, path: tuple[str, ...], edges: Sequence[EdgeElement]) -> Node:
        op = self._operation(layer, path)
        bodies: dict[str, Body] = {}
        for element in layer.bodies:
            inner = (*path, f'{layer.type} "{layer.name}" › {element.tag}')
            graph = self.net(element.net, inner)
            ports, sound = BodyPorts((), (), (), len(graph.parameters), len(graph.results)), True
            if element.port_map or not isinstance(op, Extension):
                ports, sound = self._body_ports(layer, element, graph, path, edges)
            bodies[element.tag] = Body(graph, ports)
            op = op if sound else None
        for tag in op.bodies if op is not None else ():
            if tag not in bodies:
                self._report("IR304", f"{layer.type} has no <{tag}>", Anchor(layer.element), layer, path)
                op = None
        names = tuple([tensor_names(port.names) for port in layer.outputs])
        names = _UNNAMED if names == _UNNAMED else names
        type, version, count = _type(layer, op), layer.version or "", len(layer.outputs)
        return Node(id, layer.name, type, version, op, count, names, layer, bodies or _NO_BODIES)

    def _operation(self, layer: LayerElement, path: tuple[str, ...]) -> Op | None:
        """Return the operation of a layer, shared by layers of equal type and attributes; None where binding fails."""
        if not layer.type:
            return None
        key = layer.type, layer.version
        if key not in self.operations:
            extension = self.extensions.find(layer)
            if extension is not None:
                return extension
            try:
                declared = resolve(*key)
            except OpError as error:
                is_known = spelling(layer.type) is not None
                anchor = Anchor(layer.element, "attribute", error.attribute)
                self._report(error.code, error.message, anchor, layer, path)
                return self._meant(layer, path) if self.mend and not is_known else None
            self.operations[key] = declared, {spec.name: spec for spec in declared.spec.attributes}
        cls, known = self.operations[key]
        same = cls, *layer.data.items()
        if same in self.shared:
            return self.shared[same]
        read = attributes(layer, known, cls.spec.ignored, mend=self.mend)
        for item in read.diagnostics:
            if self.fragment and item.code == "IR312":
                continue
            notes = (*item.notes, *path_notes(path))
            self.found.append(dataclasses.replace(item, layer=layer_ref(layer), notes=notes))
        if read.values is None:
            return None
        try:
            op = cls.as_read(read.values)
            if cls.inputs and not read.diagnostics:
                self.shared[same] = op
            return op
        except OpError as error:
            if not read.diagnostics:
                self.found.append(op_diagnostic(error, layer, path))
            return None

    def _meant(self, layer: LayerElement, path: tuple[str, ...]) -> Op | None:
        """Return the operation whose type is close to a misspelt one, if the attributes fit; None otherwise."""
        meant = nearest(layer.type, DECLARED)
        before = len(self.found)
        op = None if meant is None else self._operation(layer._replace(type=meant), path)
        if len(self.found) == before:
            return op
        del self.found[before:]
        return None

    # -- edges

    def _open(self, inlets: Sequence[Inlet], layers: Mapping[int, LayerElement], path: tuple[str, ...]) -> None:
        for inlet in inlets:
            layer = layers[inlet.node]
            port = layer.inputs[inlet.port]
            what = f"input port {port.id} is not connected, expected an edge to it"
            self._report("IR204", what, Anchor(port.element), layer, path, port=port.id)

    # -- bodies

    def _body_ports(
        self,
        layer: LayerElement,
        element: BodyElement,
        graph: Graph,
        path: tuple[str, ...],
        edges: Sequence[EdgeElement],
    ) -> tuple[BodyPorts, bool]:
        """Return the connections between a body and its layer, and whether they are sound.

        Inputs that ``edges`` leave unconnected as well are reported elsewhere.
        """
        parameters = {_layer_id(graph, id): index for index, id in enumerate(graph.parameters)}
        results = {_layer_id(graph, id): index for index, id in enumerate(graph.results)}
        inputs: list[BodyInput] = []
        outputs: list[BodyOutput] = []
        fed: set[int] = set()
        made: set[int | None] = set()
        if _has_faulty_ids(element.net):
            return BodyPorts((), (), (), 0, 0), False
        if not element.port_map and (parameters or layer.outputs):
            what = f"{layer.type} has no port map for <{element.tag}>"
            self._report("IR207", what, Anchor(element.element), layer, path)
            return BodyPorts((), (), (), 0, 0), False
        port_ids = {"input": PortIds(layer.inputs), "output": PortIds(layer.outputs, len(layer.inputs))}
        before = len(self.found)
        sound = True
        misread = self._misread()
        gone = _missing_ids(element.net)
        gone |= {item.id for item in element.net.layers if layer_ref(item) in misread}
        for entry in element.port_map:
            values = self._map_values(layer, entry, path)
            if values is None or any(name not in entry.attributes for name in _MAP_ENDS):
                sound = False
                continue
            is_input = entry.kind == "input"
            ends = parameters if is_input else results
            inner = entry.attributes.get("internal_layer_id", "")
            if inner not in ends:
                sound = False
                if inner not in gone:
                    gone.add(inner)
                    what = f"the body has no {PARAMETER if is_input else RESULT} with this id"
                    self._map_fault(entry, "internal_layer_id", what, layer, path)
                continue
            outer = entry.attributes.get("external_port_id", "")
            external = None if outer == "-1" else port_ids[entry.kind].index(outer)
            if external is None and outer != "-1":
                sound = False
                if not any(_names_port(edge, layer.id, outer, entry.kind) for edge in edges):
                    what = f"{layer.type} has no such {entry.kind} port"
                    self._map_fault(entry, "external_port_id", what, layer, path)
            elif is_input and ends[inner] in fed:
                self._map_fault(entry, "internal_layer_id", f"this {PARAMETER} is fed twice", layer, path)
            elif not is_input and external is not None and external in made:
                self._map_fault(entry, "external_port_id", "this output is made twice", layer, path)
            elif is_input:
                fed.add(ends[inner])
                inputs.append(BodyInput(ends[inner], external, **values))
            else:
                made.add(external)
                outputs.append(BodyOutput(ends[inner], external, **values))
        back_edges = self._back_edges(layer, element, parameters, results, gone, path)
        sound = sound and len(back_edges) == len(element.back_edges)
        if sound and len(self.found) == before:
            self._complete(layer, element, graph, inputs, outputs, path)
        ports = BodyPorts(tuple(inputs), tuple(outputs), back_edges, len(parameters), len(results))
        return ports, sound and len(self.found) == before

    def _misread(self) -> set[LayerRef | None]:
        """The layers with faults in type or attributes, which may have been meant to be other layers."""
        return {item.layer for item in self.found if item.code.startswith("IR3")}

    def _complete(
        self,
        layer: LayerElement,
        element: BodyElement,
        graph: Graph,
        inputs: Sequence[BodyInput],
        outputs: Sequence[BodyOutput],
        path: tuple[str, ...],
    ) -> None:
        """Report Parameters of a body without input, and outputs of the layer without a source."""
        misread = self._misread()
        fed = {entry.internal for entry in inputs}
        for index, id in enumerate(graph.parameters):
            parameter = graph[id].layer
            if index not in fed and parameter is not None and layer_ref(parameter) not in misread:
                what = f"no <input> of the port map feeds this {PARAMETER} of {layer.type} {layer.id}"
                inner = (*path, f'{layer.type} "{layer.name}" › {element.tag}')
                self._report("IR207", what, Anchor(parameter.element), parameter, inner)
        made = {entry.external for entry in outputs}
        repeated = len({port.id for port in layer.outputs}) < len(layer.outputs)
        for index, port in enumerate(layer.outputs):
            if index not in made and not repeated:
                what = f"no <output> of the port map of <{element.tag}> makes output port {port.id}"
                self._report("IR207", what, Anchor(port.element), layer, path, port=port.id)

    def _back_edges(
        self,
        layer: LayerElement,
        element: BodyElement,
        parameters: Mapping[str, int],
        results: Mapping[str, int],
        gone: Collection[str],
        path: tuple[str, ...],
    ) -> tuple[tuple[int, int], ...]:
        found: dict[int, int] = {}
        for edge in element.back_edges:
            for name, id, among, kind in (
                ("from-layer", edge.from_layer, results, RESULT),
                ("to-layer", edge.to_layer, parameters, PARAMETER),
            ):
                if not id or (id in gone and id not in among):
                    break
                if id not in among:
                    what = f'{name} "{id}": the body has no {kind} with this id'
                    self._report("IR208", what, Anchor(edge.element, "value", name), layer, path)
                    break
            else:
                if parameters[edge.to_layer] in found:
                    what = f'to-layer "{edge.to_layer}": another back edge leads to this {PARAMETER}'
                    self._report("IR208", what, Anchor(edge.element, "value", "to-layer"), layer, path)
                else:
                    found[parameters[edge.to_layer]] = results[edge.from_layer]
        return tuple((result, parameter) for parameter, result in found.items())

    def _map_fault(self, entry: MapElement, name: str, what: str, layer: LayerElement, path: tuple[str, ...]) -> None:
        message = f'{name} "{entry.attributes.get(name, "")}": {what}'
        self._report("IR207", message, Anchor(entry.element, "value", name), layer, path)

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

    def _report(
        self,
        code: str,
        message: str,
        anchor: Anchor,
        layer: LayerElement,
        path: tuple[str, ...],
        severity: Severity = Severity.ERROR,
        port: str | None = None,
    ) -> None:
        self.found.append(Diagnostic(code, message, anchor, severity, layer_ref(layer), port, notes=path_notes(path)))


def op_diagnostic(
    error: OpError, layer: LayerElement, path: tuple[str, ...], notes: tuple[str, ...] = ()
) -> Diagnostic:
    """Convert an operation's error to a finding, located at the attribute or input port that it names."""
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


def _layer_id(graph: Graph, id: int) -> str:
    layer = graph[id].layer
    return layer.id if layer is not None else ""


def _names_port(edge: EdgeElement, layer: str, port: str, side: str) -> bool:
    ends = (edge.to_layer, edge.to_port) if side == "input" else (edge.from_layer, edge.from_port)
    return ends == (layer, port)


def _leave_out(inlets: Sequence[Inlet], nodes: Mapping[int, Node], sources: Sources) -> None:
    """Drop trailing inputs without an edge that the operation does not need.

    OpenVINO counts the edges of a layer, not its ports.
    """
    for inlet in reversed(inlets):
        op = nodes[inlet.node].op
        if op is not None and inlet.port + 1 == len(sources[inlet.node]) and inlet.port >= op.spec.least_inputs:
            sources[inlet.node].pop()


def _type(layer: LayerElement, op: Op | None) -> str:
    """Return the type of a node; for an extension named like an operation of an opset, with its domain."""
    if isinstance(op, Extension):
        return layer.type if spelling(layer.type) is None else repr(op)
    return layer.type if op is None else op.type


def _keeps_state(op: Op | None) -> bool:
    return op is not None and "state" in op.spec.run_asks


def tensor_names(text: str | None) -> tuple[str, ...]:
    """Split the tensor names of a port at commas; a backslash escapes a comma inside a name."""
    if text is None:
        return ()
    if "\\" not in text:
        return tuple(name for name in text.split(",") if name)
    parts = text.replace("\\,", "\0").split(",")
    return tuple(part.replace("\0", ",") for part in parts if part)


def _missing_ids(net: NetElement) -> set[str]:
    """Return the layer ids that edges name but no layer has; they are reported with the edges."""
    ids = {layer.id for layer in net.layers}
    return {id for edge in net.edges for id in (edge.from_layer, edge.to_layer)} - ids


def _has_faulty_ids(net: NetElement) -> bool:
    """Return whether the layer ids are invalid or repeated, or all layers are missing; reported with the body."""
    if not net.layers:
        return bool(net.edges)
    return any(not is_number(layer.id) for layer in net.layers) or bool(duplicates(net.layers))


def _ids(layers: Sequence[LayerElement]) -> list[int]:
    """Return a unique number for each layer: its id, or a negative one where that is invalid or repeated."""
    ids: list[int] = []
    seen: set[int] = set()
    for index, layer in enumerate(layers):
        id = int(layer.id) if is_number(layer.id) else -1 - index
        id = id if id not in seen else -1 - index
        seen.add(id)
        ids.append(id)
    return ids


def _feed(layers: Mapping[int, LayerElement], sources: Sources) -> dict[int, Node]:
    """Connect each input to a new Parameter of the type and dims of its port; return those Parameters by id."""
    made: dict[int, Node] = {}
    for consumer, layer in layers.items():
        for index, port in enumerate(layer.inputs):
            id = -1 - len(layers) - len(made)
            made[id] = Node(id, f"{layer.id}.{port.id}", PARAMETER, "", _parameter(port), 1, ((),), None, {})
            sources[id] = []
            sources[consumer][index] = Outlet(id, 0)
    return made


def _parameter(port: PortElement) -> Op:
    values: dict[str, Any] = {
        "element_type": element_type(port.precision) or DYNAMIC,
        "shape": Shape.parse(",".join(port.dims)),
    }
    return resolve(PARAMETER)(**values)

"""Document -> Graph: assigns operations to layers and connects their ports along the edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from irrun.diagnostics import Anchor, Diagnostic, LayerRef, OpError, nearest
from irrun.document.places import in_layer, op_diagnostic, path_notes
from irrun.document.reader import Document
from irrun.document.records import EdgeElement, LayerElement, NetElement, tensor_names
from irrun.graph.attributes import attributes
from irrun.graph.edges import Connections, Sources
from irrun.graph.extensions import Extensions
from irrun.graph.faults import Cycle, UnconnectedInput
from irrun.graph.fragments import completed, feed
from irrun.graph.graph import NO_INFO, PARAMETER, RESULT, Body, Graph, Inlet, Node, NodeInfo
from irrun.graph.ids import duplicates, is_id
from irrun.jobs.progress import told
from irrun.ops import Op
from irrun.ops.attributes import AttrSpec
from irrun.ops.available import BUILT_IN, Operations
from irrun.ops.blame import as_read
from irrun.ops.context import BodyPorts
from irrun.ops.extension import Extension
from irrun.ops.registry import spelling

if TYPE_CHECKING:
    from irrun.graph.pre_process import Mean

_NO_BODIES: Final[Mapping[str, Body]] = {}
_UNNAMED: Final[tuple[tuple[str, ...], ...]] = ((),)


class Bound(NamedTuple):
    """A graph, and the diagnostics of binding it.

    ``means`` are the means subtracted from Parameters, by node; None where the file's ``<pre-process>`` does not fit.
    """

    graph: Graph
    diagnostics: tuple[Diagnostic, ...]
    means: Mapping[int, Mean] | None


def bind(document: Document, operations: Operations = BUILT_IN, *, correct: bool = False) -> Bound:
    """Build the graph of a document. Layers that cannot be bound stay in it without an operation.

    With ``correct``, misspelt types and attributes are replaced by what was probably meant, so that the rest can be
    checked; otherwise they are ignored.
    """
    binder = _Binder(Extensions(document.net, operations), operations, fragment=document.fragment, correct=correct)
    graph = binder.net(document.net, ())
    if document.net.pre_process is None:
        return Bound(graph, tuple(binder.found), {})
    from irrun.graph.pre_process import MeanError, means

    try:
        found = means(document.net.pre_process, graph, document.weights)
    except MeanError as error:
        return Bound(graph, (*binder.found, error.finding), None)
    return Bound(graph, tuple(binder.found), found)


class _Binder:
    def __init__(self, extensions: Extensions, available: Operations, *, fragment: bool, correct: bool) -> None:
        self.extensions = extensions
        self.available = available
        self.fragment = fragment
        self.correct = correct
        self.found: list[Diagnostic] = []
        self.operations: dict[tuple[str, str | None], tuple[type[Op], Mapping[str, AttrSpec]]] = {}
        self.shared: dict[tuple[object, ...], Op] = {}
        self.misread: set[LayerRef] = set()

    def net(self, net: NetElement, path: tuple[str, ...]) -> Graph:
        """Return the graph of a net, or of the body at ``path``."""
        layers = dict(zip(_ids(net.layers), net.layers, strict=True))
        shown = told(layers.items(), "binding")
        nodes = {id: self._node(id, layer, path, net.edges) for id, layer in shown}
        if self.fragment and not path:
            sources: Sources = {id: [None] * len(layer.inputs) for id, layer in layers.items()}
            nodes = {**feed(layers, sources), **nodes} if self.correct else completed(layers, nodes, sources)
        else:
            connections = Connections(net, layers, duplicates(net.layers))
            self.found += (item._replace(notes=(*item.notes, *path_notes(path))) for item in connections.found)
            self._open(connections.open if net.edges else connections.open[:1], layers, path)
            sources = connections.sources
            if not self.correct:
                _leave_out(connections.open, nodes, sources)
        used = {outlet.node for outlets in sources.values() for outlet in outlets if outlet is not None}
        graph = Graph.of(
            [_with_inputs(node, len(sources[id])) for id, node in nodes.items()],
            sources,
            [id for id, node in nodes.items() if node.type == PARAMETER],
            [id for id, node in nodes.items() if node.type == RESULT],
            [id for id, node in nodes.items() if id not in used and _keeps_state(node.op)],
        )
        for ring in graph.cycles():
            fault = Cycle(names=[layers[id].name for id in ring])
            layer = layers[ring[0]]
            self.found.append(in_layer(fault, Anchor(layer.element), layer, path))
        return graph

    # -- layers

    def _node(self, id: int, layer: LayerElement, path: tuple[str, ...], edges: Sequence[EdgeElement]) -> Node:
        op = self._operation(layer, path)
        bodies: dict[str, Body] = {}
        for element in layer.bodies:
            from irrun.graph.port_maps import connect_body

            inner = (*path, f'{layer.type} "{layer.name}" › {element.tag}')
            graph = self.net(element.net, inner)
            ports, sound = BodyPorts((), (), (), len(graph.parameters), len(graph.results)), True
            if element.port_map or not isinstance(op, Extension):
                ports, sound, found = connect_body(layer, element, graph, path, edges, self.misread)
                self.found += found
            bodies[element.tag] = Body(graph, ports)
            op = op if sound else None
        for tag in op.bodies if op is not None else ():
            if tag not in bodies:
                error = OpError(f"{layer.type} has no <{tag}>")
                self._misread(in_layer(error, Anchor(layer.element), layer, path))
                op = None
        names = tuple([tensor_names(port.names) for port in layer.outputs])
        names = _UNNAMED if names == _UNNAMED else names
        type, version, count = self._type(layer, op), layer.version or "", len(layer.outputs)
        inputs, output_names = len(layer.inputs), tensor_names(layer.output_names) if layer.type == RESULT else ()
        info, parts = _info(layer), bodies or _NO_BODIES
        return Node(id, layer.name, type, version, op, inputs, count, names, layer, parts, info, output_names)

    def _operation(self, layer: LayerElement, path: tuple[str, ...]) -> Op | None:
        """Return the operation of a layer, shared by layers of equal type and attributes; None where binding fails."""
        if not layer.type:
            return None
        key = layer.type, layer.version
        if key not in self.operations:
            try:
                extension = self.extensions.find(layer)
                if extension is not None:
                    return extension
                declared = self.available.resolve(*key)
            except OpError as error:
                is_known = self.available.spelling(layer.type) is not None
                anchor = Anchor(layer.element, "attribute", error.attribute)
                self._misread(in_layer(error, anchor, layer, path))
                return self._meant(layer, path) if self.correct and not is_known else None
            self.operations[key] = declared, {spec.name: spec for spec in declared.spec.attributes}
        cls, known = self.operations[key]
        same = cls, *layer.data.items()
        shared = self.shared.get(same)
        if shared is not None:
            return shared
        read = attributes(layer, known, cls.spec.ignored, correct=self.correct, fragment=self.fragment)
        for item in read.diagnostics:
            self._misread(item._replace(notes=(*item.notes, *path_notes(path))))
        if read.values is None:
            return None
        try:
            op = as_read(cls, read.values)
            if cls.inputs and not read.diagnostics:
                self.shared[same] = op
            return op
        except OpError as error:
            if not read.diagnostics:
                self._misread(op_diagnostic(error, layer, path))
            return None

    def _type(self, layer: LayerElement, op: Op | None) -> str:
        """Return the type of a node; with its domain where another operation is named like one of an opset."""
        if isinstance(op, Extension):
            return layer.type if spelling(layer.type) is None else repr(op)
        if op is None:
            return layer.type
        return f"{op.opset}::{op.type}" if self.available.shadows(op) else op.type

    def _meant(self, layer: LayerElement, path: tuple[str, ...]) -> Op | None:
        """Return the operation whose type is close to a misspelt one, if the attributes fit; None otherwise."""
        meant = nearest(layer.type, self.available.types())
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
            fault = UnconnectedInput(port=port.id)
            self.found.append(in_layer(fault, Anchor(port.element), layer, path, port.id))

    def _misread(self, finding: Diagnostic) -> None:
        """Report a fault in the type or the attributes of a layer, which may have been meant to be another one."""
        self.found.append(finding)
        if finding.layer is not None:
            self.misread.add(finding.layer)


def _leave_out(inlets: Sequence[Inlet], nodes: Mapping[int, Node], sources: Sources) -> None:
    """Drop trailing inputs without an edge that the operation does not need.

    OpenVINO counts the edges of a layer, not its ports.
    """
    for inlet in reversed(inlets):
        op = nodes[inlet.node].op
        if op is not None and inlet.port + 1 == len(sources[inlet.node]) and inlet.port >= op.spec.least_inputs:
            sources[inlet.node].pop()


def _info(layer: LayerElement) -> NodeInfo:
    """Return the runtime information of a layer and of its ports."""
    inputs, outputs = [port.info for port in layer.inputs], [port.info for port in layer.outputs]
    if not (layer.info or any(inputs) or any(outputs)):
        return NO_INFO
    return NodeInfo(layer.info, tuple(inputs), tuple(outputs))


def _with_inputs(node: Node, count: int) -> Node:
    return node if node.inputs == count else node._replace(inputs=count)


def _keeps_state(op: Op | None) -> bool:
    return op is not None and "state" in op.spec.run_asks


def _ids(layers: Sequence[LayerElement]) -> list[int]:
    """Return a unique number for each layer: its id, or a negative one where that is invalid or repeated."""
    ids: list[int] = []
    seen: set[int] = set()
    for index, layer in enumerate(layers):
        id = int(layer.id) if is_id(layer.id) else -1 - index
        id = id if id not in seen else -1 - index
        seen.add(id)
        ids.append(id)
    return ids

"""Makes the elements of graphs: those of the file that was read where nothing has changed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from irrun.document.content import Content
from irrun.document.info import DECOMPRESSION, entry_of, with_entry
from irrun.document.original import Original
from irrun.document.records import (
    BackEdgeElement,
    BodyElement,
    EdgeElement,
    Info,
    LayerElement,
    NetElement,
    PortElement,
    element_type,
    tensor_names,
)
from irrun.document.weights import Weights
from irrun.document.writer import port, stored
from irrun.graph import Body, Graph, Node, Outlet
from irrun.graph.graph import PARAMETER, RESULT
from irrun.inference import Facts
from irrun.openvino.models.alike import as_before, declares, has_shape, includes, is_same, unless_same
from irrun.openvino.models.data import attributes, entry, parameter
from irrun.openvino.models.halves import as_half, stays_in_f32
from irrun.openvino.models.order import in_order
from irrun.ops._declared.infrastructure.const import Const, HeldConst
from irrun.tensor import Dim, Fact, Shape
from irrun.tensor.element_type import F16


class Elements:
    """Makes the elements of the graphs of a model, and stores their constants.

    A ``legacy`` file, of IR version 10, has neither runtime information of layers nor names of Results.
    """

    def __init__(
        self, weights: Weights, content: Content, original: Original | None, *, halves: bool, is_legacy: bool
    ) -> None:
        self.weights = weights
        self.content = content
        self.original = original
        self.halves = halves
        self.is_legacy = is_legacy

    def net(self, graph: Graph, facts: Facts, name: str, version: str) -> NetElement:
        """Return the layers and edges of a model."""
        before = None if self.original is None else self.original.net
        made = _Net(self, graph, facts, before)
        return NetElement(-1, name, version, tuple(made.layers), tuple(made.edges))

    def read(self, node: Node) -> LayerElement | None:
        """Return the layer of the file that a node was made from; None for a new node."""
        return None if self.original is None else self.original.find(node.layer)


class _Net:
    """The layers and edges of one graph. Layers of the file keep their ids, and those of their ports.

    Where no input has another shape, and in bodies, they also keep shapes that include what inference knows.
    """

    def __init__(
        self, elements: Elements, graph: Graph, facts: Facts, before: NetElement | None, *, is_body: bool = False
    ) -> None:
        self.elements = elements
        self.graph = graph
        self.facts = facts
        self.is_body = is_body
        self.keeps_shapes = is_body or all(map(self._is_as_read, graph.parameters))
        self.layers: list[LayerElement] = []
        self.ids: dict[int, str] = {}
        self._ports: dict[Outlet, str] = {}
        self._feeding: list[tuple[Outlet, int, str]] = []
        nodes = list(in_order(graph, lambda node: elements.read(node) is not None))
        layers = [layer for node in nodes if (layer := elements.read(node)) is not None]
        highest = max((int(layer.id) for layer in layers if layer.id.isdecimal()), default=-1)
        self._new = map(str, itertools.count(highest + 1))
        taken: set[str] = set()
        for node in nodes:
            layer = elements.read(node)
            is_free = layer is not None and layer.id.isdecimal() and layer.id not in taken
            self.ids[node.id] = layer.id if layer is not None and is_free else next(self._new)
            taken.add(self.ids[node.id])
        self._between: list[EdgeElement] = []
        for node in nodes:
            self._add(node)
        self.edges = self._edges(before)

    def _edges(self, before: NetElement | None) -> list[EdgeElement]:
        """Return the edges, those of the file in its order."""
        ends = ((self.ids[source.node], self._ports[source], self.ids[id], port) for source, id, port in self._feeding)
        found = [*self._between, *(EdgeElement(-1, *item) for item in ends)]
        places = {edge[1:]: place for place, edge in enumerate(() if before is None else before.edges)}
        return sorted(found, key=lambda edge: places.get(edge[1:], len(places)))

    def _is_as_read(self, id: int) -> bool:
        """Return whether an input has the shape that the file declares."""
        layer, fact = self.elements.read(self.graph.node(id)), self.facts.get(Outlet(id, 0))
        return layer is not None and fact is not None and declares(layer.data, fact)

    # -- layers

    def _add(self, node: Node) -> None:
        layer, id = self.elements.read(node), self.ids[node.id]
        inputs = self._inputs(node, layer)
        known = self._known(node, layer)
        outputs = [self._output(node, layer, index, fact, inputs) for index, fact in enumerate(known)]
        if self.elements.halves and isinstance(node.op, Const) and self._compressed(node, id, known[0], outputs[0]):
            return
        for index, item in enumerate(outputs):
            self._ports[Outlet(node.id, index)] = item.id
        bodies = [self._body(node, layer, tag, body, inputs, outputs) for tag, body in node.bodies.items()]
        kind = (node.type, node.version) if node.layer is None else (node.layer.type, node.layer.version)
        made = LayerElement(
            -1,
            id,
            node.name,
            *kind,
            self._output_names(node, layer),
            self._data(node, layer, known),
            None,
            tuple(inputs),
            tuple(outputs),
            tuple(bodies),
            self._info(node.info.layer),
        )
        self.layers.append(layer if layer is not None and is_same(made, layer) else made)

    def _info(self, info: Info) -> Info:
        return () if self.elements.is_legacy else info

    def _known(self, node: Node, layer: LayerElement | None) -> list[Fact | None]:
        """Return the facts of the outputs that are written; None for those of which nothing is known."""
        if node.type == RESULT:
            return []
        known = [self.facts.get(outlet) for outlet in self.facts.outlets(node.id)]
        count = node.outputs if layer is not None else max(node.outputs, len(known))
        return [*known, *[None] * count][:count]

    def _inputs(self, node: Node, layer: LayerElement | None) -> list[PortElement]:
        """Return the elements of the inputs, and note what feeds them."""
        sources = self.graph.sources(node.id)
        if node.type == RESULT and not any(sources):
            raise LookupError(f'Result "{node.name}" returns nothing')
        before = layer.inputs if layer is not None and len(sources) <= len(layer.inputs) else ()
        found = []
        for index, source in enumerate(sources):
            if source is not None:
                known = before[index] if index < len(before) else None
                id = str(index) if known is None else known.id
                self._feeding.append((source, node.id, id))
                made = self._port(id, self.facts[source], known)
                made = made._replace(info=self._info(_at(node.info.inputs, index)))
                found.append(unless_same(made, known))
        return found

    def _output(
        self, node: Node, layer: LayerElement | None, index: int, fact: Fact | None, inputs: Sequence[PortElement]
    ) -> PortElement:
        before = layer.outputs[index] if layer is not None and index < len(layer.outputs) else None
        own = set(_at(node.names, index))
        names: str | None = _joined(own | self._names_of_results(Outlet(node.id, index))) or None
        if before is not None and set(tensor_names(before.names)) == own:
            names = before.names
        is_free = before is not None and all(item.id != before.id for item in inputs)
        id = before.id if before is not None and is_free else str(len(inputs) + index)
        made = self._port(id, fact, before)
        return unless_same(made._replace(names=names, info=self._info(_at(node.info.outputs, index))), before)

    def _port(self, id: str, fact: Fact | None, before: PortElement | None) -> PortElement:
        """Return the element of a port; with the type and the dims of the file where nothing else is known."""
        if before is not None and (fact is None or (self.keeps_shapes and self._admits(before, fact))):
            return before._replace(element=-1, id=id, names=None, scattered=())
        made = port(id, Fact.unknown() if fact is None else fact)
        if before is not None and (before.precision is None or element_type(before.precision) is (fact and fact.type)):
            return made._replace(precision=before.precision)
        return made

    def _admits(self, item: PortElement, fact: Fact) -> bool:
        """Return whether a declared port has the type of a fact, and dims that include its shape.

        In a body, a port without dims may have any rank.
        """
        if element_type(item.precision) not in (fact.type, None):
            return False
        if not item.dims:
            return self.is_body or not fact.shape.dims
        declared = Shape([Dim() if dim == "-1" else Dim.exactly(int(dim)) for dim in item.dims])
        return includes(declared, fact.shape)

    def _names_of_results(self, outlet: Outlet) -> set[str]:
        """Return the names that Results give the outputs of the model that a tensor is."""
        readers = [self.graph.node(inlet.node) for inlet in self.graph.consumers(outlet)]
        return {name for reader in readers for name in reader.output_names}

    def _output_names(self, node: Node, layer: LayerElement | None) -> str | None:
        """Return the names of a Result; those of its tensor where a new one has none of its own."""
        if node.type != RESULT or self.elements.is_legacy:
            return None
        names = set(node.output_names)
        if layer is not None and set(tensor_names(layer.output_names)) == names:
            return layer.output_names
        source = next(iter(self.graph.sources(node.id)), None)
        if source is None or self.graph.node(source.node).type == PARAMETER:
            return _joined(names) or None
        own = set(_at(self.graph.node(source.node).names, source.port))
        if layer is not None and layer.output_names is None and names == own:
            return None
        return _joined(names or own | self._names_of_results(source)) or None

    # -- attributes and constants

    def _data(self, node: Node, layer: LayerElement | None, known: Sequence[Fact | None]) -> Mapping[str, str]:
        if node.type == PARAMETER:
            fact = known[0] or Fact.unknown()
            if layer is not None and self.keeps_shapes and declares(layer.data, fact, exact=False):
                return layer.data
            return parameter({} if layer is None else layer.data, fact)
        if isinstance(node.op, Const):
            before = {} if node.layer is None else node.layer.data
            return {**before, **self._constant(node, node.op, before)}
        is_as_read = layer is not None and node.layer is not None and not hasattr(node.op, "texts")
        return node.layer.data if is_as_read and node.layer is not None else attributes(node)

    def _constant(self, node: Node, op: Const, before: Mapping[str, str]) -> dict[str, str]:
        """Store a constant; return the attributes that say what it is and where."""
        if isinstance(op, HeldConst):
            values = op.fact.constant
            if values is None:
                raise RuntimeError(_unknown(node))
            data = stored(values, op.element_type)
            offset, size = self.elements.content.add(data), len(data)
        else:
            if self.elements.weights.read(op.offset, op.size) is None:
                raise RuntimeError(_unknown(node))
            offset, size = self.elements.content.add_range(op.offset, op.size), op.size
        places = {"offset": str(offset), "size": str(size)}
        if before and element_type(before.get("element_type")) is op.element_type and has_shape(before, op.shape):
            return places
        return {"element_type": op.element_type.name, "shape": ", ".join(map(str, op.shape.static)), **places}

    def _compressed(self, node: Node, id: str, fact: Fact | None, output: PortElement) -> bool:
        """Store a constant in f16, with a conversion to its type, where it loses little by it."""
        half = None if fact is None or stays_in_f32(self.graph, node.id) else as_half(fact)
        if half is None or half.constant is None or fact is None:
            return False
        other, data = next(self._new), stored(half.constant, F16)
        places = {"offset": str(self.elements.content.add(data)), "size": str(len(data))}
        what = {"element_type": F16.name, "shape": ", ".join(map(str, half.shape.static)), **places}
        first, last = port("0", half), output._replace(element=-1, id="1")
        name, to = f"{node.name}_compressed", {"destination_type": fact.type.name}
        mark = entry_of(DECOMPRESSION, "")
        info = self._info(node.info.layer if mark is None else with_entry(node.info.layer, mark))
        self.layers.append(LayerElement(-1, other, name, "Const", "opset1", None, what, None, (), (first,), ()))
        self.layers.append(
            LayerElement(-1, id, node.name, "Convert", "opset1", None, to, None, (first,), (last,), (), info)
        )
        self._between.append(EdgeElement(-1, other, "0", id, "0"))
        self._ports[Outlet(node.id, 0)] = "1"
        return True

    # -- bodies

    def _body(
        self,
        node: Node,
        layer: LayerElement | None,
        tag: str,
        body: Body,
        inputs: Sequence[PortElement],
        outputs: Sequence[PortElement],
    ) -> BodyElement:
        before = next((item for item in layer.bodies if item.tag == tag), None) if layer is not None else None
        inner = _Net(self.elements, body.graph, self.facts.bodies[node.id, tag], before and before.net, is_body=True)
        net = NetElement(-1, tag, None, tuple(inner.layers), tuple(inner.edges))
        parameters, results = ([inner.ids[id] for id in ends] for ends in (body.graph.parameters, body.graph.results))
        first = [entry("input", item, parameters, inputs, "current_iteration") for item in body.ports.inputs]
        second = [entry("output", item, results, outputs, "execution_condition") for item in body.ports.outputs]
        entries = as_before([*first, *second], () if before is None else before.port_map)
        edges = (BackEdgeElement(-1, results[result], parameters[item]) for result, item in body.ports.back_edges)
        return BodyElement(-1, tag, net, tuple(entries), tuple(edges))


def _at(items: Sequence[tuple[Any, ...]], index: int) -> tuple[Any, ...]:
    return items[index] if index < len(items) else ()


def _joined(names: Iterable[str]) -> str:
    return ",".join(name.replace(",", "\\,") for name in sorted(names))


def _unknown(node: Node) -> str:
    return f'the values of constant "{node.name}" are not known: there is no file of weights'

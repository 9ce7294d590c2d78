"""The explanation of one layer: what it computes, the shapes and why, and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from irrun.document.places import layer_ref
from irrun.graph import Outlet
from irrun.model import Loaded
from irrun.model.layers import Place, find_layer
from irrun.ops._declared.infrastructure.const import Const
from irrun.ops.departures import of_types
from irrun.ops.extension import Extension, origin
from irrun.reporting.explain.words import Seen, attribute_text, words_of
from irrun.tensor import Fact

_FEW: Final = 12
"""The limit up to which the elements of a known value are shown."""

_PLACES: Final = frozenset({"offset", "size"})


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute as it counts; ``is_given`` is false where the layer does not state it."""

    name: str
    value: str
    is_given: bool
    doc: str


@dataclass(frozen=True, slots=True)
class Input:
    """An input port: its name in the specification, and the layer and output that feed it; "" for none."""

    port: int
    name: str
    source: str
    source_type: str
    source_port: int
    type: str
    shape: str
    value: str


@dataclass(frozen=True, slots=True)
class Output:
    """An output port, and the names and types of the layers that read it."""

    port: int
    name: str
    type: str
    shape: str
    value: str
    tensor_names: tuple[str, ...]
    readers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Runtime information of a layer or of one of its ports: where it is, its name and its text."""

    place: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """A layer in words.

    ``computes`` says what it does with these attributes, ``shapes`` why the outputs have their shapes, with the numbers
    of this layer. ``info`` is the runtime information that the file has of it. ``notes`` are those of the operation
    where its page leaves something open, ``departures`` those of OpenVINO's CPU plugin from the page, ``general`` those
    of all operations on tensors of these types. ``page`` is the address of the specification, "" where there is none.
    """

    name: str
    id: str
    type: str
    version: str
    category: str
    summary: str
    computes: tuple[str, ...]
    shapes: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    bodies: tuple[tuple[str, int], ...]
    info: tuple[Note, ...]
    notes: tuple[str, ...]
    departures: tuple[str, ...]
    general: tuple[str, ...]
    faults: tuple[str, ...]
    page: str

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON-ready values."""
        return asdict(self)


def explain(model: Loaded, layer: str) -> Explanation:
    """Return the explanation of a layer, by name, tensor name or id; InputError where there is no single one."""
    return explained(model, find_layer(model, layer))


def explained(model: Loaded, place: Place) -> Explanation:
    """Return the explanation of the layer at a place."""
    node, op = place.node, place.node.op
    spec = op.spec if op is not None and not isinstance(op, Extension) else None
    inputs, outputs = tuple(_inputs(place)), tuple(_outputs(place))
    seen = _seen(place)
    computes, shapes = words_of(seen)
    found = origin(op)
    if spec is None:
        statement = found.statement if found is not None else f"irrun knows no operation {node.type} {node.version}"
        computes = [f"{statement}. The shapes of the outputs are those that the file declares."]
    faults = () if node.layer is None else model.messages.get(layer_ref(node.layer), ())
    return Explanation(
        name=place.name,
        id=str(node.id) if node.layer is None else node.layer.id,
        type=node.type,
        version=node.version,
        category="" if spec is None else spec.category,
        summary="" if spec is None else spec.summary,
        computes=tuple(computes),
        shapes=tuple(shapes),
        attributes=tuple(_attributes(place)),
        inputs=inputs,
        outputs=outputs,
        bodies=tuple((tag, len(body.graph)) for tag, body in node.bodies.items()),
        info=tuple(Note(where, name, text) for (where, name), text in node.info.texts().items()),
        notes=() if spec is None else tuple(note.removeprefix("Note: ") for note in spec.notes()),
        departures=() if spec is None else tuple(spec.departure(key) for key in spec.departures),
        general=of_types(seen.inputs, seen.outputs),
        faults=tuple(faults),
        page="" if spec is None else spec.page,
    )


def value_text(fact: Fact | None) -> str:
    """Return the known value of a tensor; the first elements of a long one, "" where nothing is known."""
    if fact is None or fact.value is None or (fact.constant is None and fact.value.size > _FEW):
        return ""
    values = fact.value.reshape(-1)
    texts = [f"{item:.6g}" if isinstance(item, float | np.floating) else str(item) for item in values[:_FEW].tolist()]
    more = f", and {values.size - _FEW:,} more" if values.size > _FEW else ""
    return f"{', '.join(texts)}{more}" if fact.rank == 0 else f"[{', '.join(texts)}{more}]"


def _seen(place: Place) -> Seen:
    node, facts = place.node, place.facts
    sources = place.graph.sources(node.id)
    known = [None if facts is None else facts.get(outlet) for outlet in sources]
    made = [None if facts is None else facts.get(Outlet(node.id, port)) for port in range(node.outputs)]
    around = None if place.outer is None else place.outer[0].node.bodies[place.outer[1]].ports
    return Seen(node, tuple(known), tuple(made), place.graph, around)


def _attributes(place: Place) -> Iterator[Attribute]:
    node, op = place.node, place.node.op
    written = dict(node.layer.data) if node.layer is not None else {}
    if op is None or isinstance(op, Extension):
        yield from (Attribute(name, value, True, "") for name, value in written.items())
        return
    for item in op.spec.attributes:
        value = getattr(op, item.field)
        if value is not None and not (isinstance(op, Const) and item.name in _PLACES):
            is_given = item.name in written or node.layer is None
            yield Attribute(item.name, attribute_text(item, value), is_given, item.doc)


def _inputs(place: Place) -> Iterator[Input]:
    node, graph, facts = place.node, place.graph, place.facts
    for port, source in enumerate(graph.sources(node.id)):
        fact = None if facts is None else facts.get(source)
        type, shape = _fact(fact)
        name = _port_name(place, port)
        if source is None:
            yield Input(port, name, "", "", 0, type, shape, "")
            continue
        other = graph.node(source.node)
        yield Input(port, name, place.path + other.name, other.type, source.port, type, shape, value_text(fact))


def _port_name(place: Place, port: int) -> str:
    op = place.node.op
    if op is None or isinstance(op, Extension) or not op.spec.inputs:
        return ""
    return op.spec.input(port).name


def _outputs(place: Place) -> Iterator[Output]:
    node, graph, facts = place.node, place.graph, place.facts
    declared = () if node.op is None else node.op.spec.outputs
    for port in range(node.outputs):
        outlet = Outlet(node.id, port)
        fact = None if facts is None else facts.get(outlet)
        type, shape = _fact(fact)
        name = declared[min(port, len(declared) - 1)].name if declared else ""
        value = "" if isinstance(node.op, Const) and fact is not None and fact.constant is None else value_text(fact)
        names = tuple(sorted(node.names[port])) if port < len(node.names) else ()
        users = [graph.node(inlet.node) for inlet in graph.consumers(outlet)]
        readers = tuple((place.path + user.name, user.type) for user in users)
        yield Output(port, name, type, shape, value, names, readers)


def _fact(fact: Fact | None) -> tuple[str, str]:
    return ("", "") if fact is None else (str(fact.type), str(fact.shape))

"""Attributes of elements that are written: those of the file, or in full where no file has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from irrun.document.records import MapElement, PortElement, element_type
from irrun.graph import Node
from irrun.openvino.models.alike import has_shape
from irrun.ops.context import BodyInput, BodyOutput
from irrun.tensor import Fact


def entry(
    kind: str, item: BodyInput | BodyOutput, inner: list[str], ports: Sequence[PortElement], purpose: str
) -> MapElement:
    """Return an entry of a port map; ``purpose`` is that of an end without a port of the layer."""
    if item.external is None:
        outside = {"external_port_id": "-1", "internal_layer_id": inner[item.internal], "purpose": purpose}
        return MapElement(-1, kind, outside)
    entry: dict[str, object] = {"external_port_id": ports[item.external].id, "internal_layer_id": inner[item.internal]}
    if item.axis is not None:
        entry |= {"axis": item.axis, "start": item.start, "end": item.end, "stride": item.stride}
        entry["part_size"] = item.part_size
    return MapElement(-1, kind, {name: str(value) for name, value in entry.items()})


def parameter(before: Mapping[str, str], fact: Fact) -> Mapping[str, str]:
    dims = fact.shape.dims
    made = {"shape": "..." if dims is None else ",".join(map(str, dims)), "element_type": fact.type.name}
    if element_type(before.get("element_type")) is fact.type:
        made["element_type"] = before["element_type"]
    if "shape" in before and has_shape(before, fact.shape):
        made["shape"] = before["shape"]
    return {**before, **made}


def attributes(node: Node) -> Mapping[str, str]:
    """Return the attributes as written in the file, or in full where no file has them."""
    texts = getattr(node.op, "texts", None)
    if texts is not None:
        is_read = node.layer is not None and node.layer.element >= 0
        return dict(texts(node.layer.data if is_read and node.layer is not None else None))
    if node.layer is not None and node.layer.data:
        return node.layer.data
    op = node.op
    if op is None:
        return {}
    values = {item.name: (item, getattr(op, item.field)) for item in op.spec.attributes}
    return {name: item.text(value) for name, (item, value) in values.items() if value is not None and "." not in name}

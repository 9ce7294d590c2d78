"""Dims that Model Optimizer declared in IR version 10 and that OpenVINO infers differently today: old, not wrong.

OpenVINO ignores them. Until 2020 a product with a vector kept the axis added for the vector, and an output that a loop
concatenates was declared in the body with its final size.
"""

from __future__ import annotations

from collections.abc import Iterator

from irrun.document.grammar import LEGACY
from irrun.document.records import BodyElement, NetElement
from irrun.linter.declared import DeclaredPort, offending


def has_legacy_dims(item: DeclaredPort, net: NetElement) -> bool:
    """Return whether the dims of an output are such dims of Model Optimizer."""
    return net.version == LEGACY and (_is_product_of_vector(item) or _is_concatenated_by_loop(item, net))


def _is_product_of_vector(item: DeclaredPort) -> bool:
    if item.layer.type.lower() != "matmul" or item.fact.shape.dims is None:
        return False
    has_vector = any(fact is not None and fact.rank == 1 for fact in item.facts.inputs(item.outlet.node))
    inferred = [str(dim) for dim in item.fact.shape.dims if dim != 1]
    return has_vector and [text for text in item.port.dims if text != "1"] == inferred


def _is_concatenated_by_loop(item: DeclaredPort, net: NetElement) -> bool:
    """Return whether the only wrong dim of an output in a body is along the axis that the loop concatenates."""
    if not item.path:
        return False
    results = {layer.id for layer, _ in item.fed if layer.type == "Result"}
    axes = {
        entry.attributes["axis"].strip()
        for body in _bodies(net)
        if any(layer.element == item.layer.element for layer in body.net.layers)
        for entry in body.port_map
        if entry.kind == "output"
        and "axis" in entry.attributes
        and entry.attributes.get("internal_layer_id") in results
    }
    wrong = offending(item.port, item.fact.shape)
    return wrong is not None and len(wrong) == 1 and str(wrong[0]) in axes


def _bodies(net: NetElement) -> Iterator[BodyElement]:
    for layer in net.layers:
        for body in layer.bodies:
            yield body
            yield from _bodies(body.net)

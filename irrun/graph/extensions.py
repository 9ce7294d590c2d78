"""Distinguishes operations that libraries add to OpenVINO from misspelt operations of the opsets."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import nearest
from irrun.document.records import LayerElement, NetElement, PortElement, element_type
from irrun.ops.available import Operations
from irrun.ops.extension import LIBRARIES, Extension, Origin
from irrun.ops.operation import OpClass
from irrun.ops.registry import versions
from irrun.ops.releases import is_meant_as_number
from irrun.tensor import DYNAMIC, Fact, Shape

_TOKENIZERS: Final = "openvino_tokenizers"
_SLIP: Final = 0.85
"""The likeness of types above which one is a misspelling of the other."""


class Extensions:
    """The extension operations of one document.

    A layer is an extension where its version is not a numbered opset, nor close to one, nor to a domain in which irrun
    has the type; and where its type is not a misspelt one of openvino_tokenizers with the same attributes and ports. If
    its type also exists in an opset, one of these must hold too: a well-known library has the operation; the layer has
    attributes or ports that the opset's operation does not; or another layer of its domain has a type that no opset
    has.
    """

    def __init__(self, net: NetElement, operations: Operations) -> None:
        self._net = net
        self._operations = operations

    def find(self, layer: LayerElement) -> Extension | None:
        """Return the extension operation of a layer; None where the layer is an opset's or misspelt."""
        type, domain = layer.type, layer.version
        if domain is None or is_meant_as_number(domain) or self._operations.find(type, domain) is not None:
            return None
        if nearest(domain, [str(opset) for opset in versions(type) if isinstance(opset, str)]) is not None:
            return None
        if self._is_misspelt(layer, type, domain):
            return None
        op = Extension(type, domain, [declared_fact(port) for port in layer.outputs])
        is_evident = op.origin.library is not None or op.origin.internal_to is not None or domain in self._domains
        namesakes = (cls for opset, cls in versions(type).items() if isinstance(opset, int))
        return op if is_evident or not any(_fits(layer, cls) for cls in namesakes) else None

    def _is_misspelt(self, layer: LayerElement, type: str, domain: str) -> bool:
        """Return whether a type is close to one of openvino_tokenizers, whose attributes and ports the layer has."""
        meant = nearest(type, LIBRARIES[_TOKENIZERS]) if not versions(type) else None
        if meant is None or Origin(type, domain).library is not None:
            return False
        from difflib import SequenceMatcher

        cls = self._operations.find(meant, domain)
        return cls is not None and SequenceMatcher(None, type, meant).ratio() > _SLIP and _fits(layer, cls)

    @functools.cached_property
    def _domains(self) -> frozenset[str]:
        """The domains with at least one type that no opset has."""
        named = {(layer.type, layer.version) for layer in _layers(self._net) if layer.version is not None}
        return frozenset(
            domain for type, domain in named if domain and not is_meant_as_number(domain) and not versions(type)
        )


def declared_fact(port: PortElement) -> Fact:
    """Return the fact declared by a port. A port without dims may be a scalar or of dynamic rank."""
    shape = Shape.parse(",".join(port.dims)) if port.dims else Shape.unknown()
    return Fact(element_type(port.precision) or DYNAMIC, shape)


def _fits(layer: LayerElement, cls: OpClass) -> bool:
    """Return whether a layer has all required attributes, and no attribute or port that the operation does not have."""
    spec = cls.spec
    known = {attribute.name for attribute in spec.attributes}
    required = {attribute.name for attribute in spec.attributes if attribute.required}
    count, most = len(layer.inputs), spec.most_inputs
    outputs = len(layer.outputs) <= len(spec.outputs) or spec.outputs[-1].variadic
    return required <= layer.data.keys() <= known and spec.least_inputs <= count <= (most or count) and outputs


def _layers(net: NetElement) -> Iterator[LayerElement]:
    for layer in net.layers:
        yield layer
        for body in layer.bodies:
            yield from _layers(body.net)

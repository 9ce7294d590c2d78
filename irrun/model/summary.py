"""Summarises a model: ports, operations, constants, arithmetic, and requirements for reading it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from irrun.document.info import LAYOUT, find, value_of
from irrun.document.rt_info import rt_info
from irrun.graph import Graph, Node, Outlet
from irrun.model.flops import Flops, flops
from irrun.model.loaded import Loaded
from irrun.model.needs import least
from irrun.model.parameters import count_parameters
from irrun.model.port import Port
from irrun.ops._declared.infrastructure.const import Const
from irrun.ops.extension import Extension, Origin, origin
from irrun.ops.releases import number


@dataclass(frozen=True, slots=True)
class ExtensionUse:
    """The layers with one particular extension operation.

    ``library`` is the well-known library that provides it; ``internal_to`` the component of OpenVINO that uses it only
    internally.
    """

    type: str
    version: str
    count: int
    library: str | None
    internal_to: str | None


class PortRecord(TypedDict):
    """An input or output."""

    name: str
    names: list[str]
    type: str
    declared_type: str
    shape: str


class OperationCount(TypedDict):
    """The number of layers of an operation."""

    type: str
    version: str
    count: int


class InfoRecord(TypedDict):
    """The runtime information of the model, and how often layers and ports have each entry."""

    model: dict[str, Any]
    layers: dict[str, int]


class FlopsRecord(TypedDict):
    """The floating-point operations of one inference; ``unknown`` are layers that could not be counted."""

    total: int
    macs: int
    by_type: dict[str, int]
    uncounted: dict[str, int]
    assumed: bool
    unknown: list[str]


class SummaryRecord(TypedDict):
    """A model at a glance."""

    name: str
    ir_version: str
    inputs: list[PortRecord]
    outputs: list[PortRecord]
    layers: int
    operations: list[OperationCount]
    unknown: list[str]
    extensions: list[Annotated[dict[str, Any], ExtensionUse]]
    libraries: dict[str, str | None]
    constants: int
    parameters: int
    constant_bytes: int
    opsets: list[str]
    openvino: str | None
    openvino_for: str
    openvino_layer: str
    dynamic: list[str]
    layouts: dict[str, str]
    rt_info: InfoRecord
    means: dict[str, list[float]]
    flops: FlopsRecord


@dataclass(frozen=True, slots=True)
class Summary:
    """A model at a glance, including its bodies.

    ``operations`` counts layers by type and version, ``parameters`` what training finds (``count_parameters``).
    ``constant_bytes`` is the size of all constants in the weights file, shared bytes counted once. ``opsets`` are those
    that the file names, ``openvino`` is the first release that reads the file, None where it is unknown, and
    ``openvino_for`` what decides it, first in ``openvino_layer``. ``dynamic`` lists the dynamic dims of inputs;
    ``means`` the means subtracted from inputs, by name: a number for each channel, empty for images. ``extensions``
    are the operations that no opset has, ``libraries`` the well-known libraries that provide them, each with its
    version where the file states it. ``layouts`` are those of inputs and outputs, by name. ``info`` counts the
    runtime information of layers and ports by name, ``notes`` is that of the model.
    """

    name: str
    ir_version: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    operations: Mapping[tuple[str, str], int]
    unknown: tuple[str, ...]
    extensions: tuple[ExtensionUse, ...]
    libraries: Mapping[str, str | None]
    constants: int
    parameters: int
    constant_bytes: int
    opsets: tuple[str, ...]
    openvino: str | None
    openvino_for: str
    openvino_layer: str
    dynamic: tuple[str, ...]
    means: Mapping[str, tuple[float, ...]]
    flops: Flops
    layouts: Mapping[str, str]
    info: Mapping[str, int]
    notes: Mapping[str, Any]

    @property
    def layers(self) -> int:
        return sum(self.operations.values())

    def as_dict(self) -> SummaryRecord:
        """Return the summary as JSON-ready values."""
        return {
            "name": self.name,
            "ir_version": self.ir_version,
            "inputs": [_port(port) for port in self.inputs],
            "outputs": [_port(port) for port in self.outputs],
            "layers": self.layers,
            "operations": [
                {"type": type, "version": version, "count": count} for (type, version), count in self.operations.items()
            ],
            "unknown": list(self.unknown),
            "extensions": [dataclasses.asdict(use) for use in self.extensions],
            "libraries": dict(self.libraries),
            "constants": self.constants,
            "parameters": self.parameters,
            "constant_bytes": self.constant_bytes,
            "opsets": list(self.opsets),
            "openvino": self.openvino,
            "openvino_for": self.openvino_for,
            "openvino_layer": self.openvino_layer,
            "dynamic": list(self.dynamic),
            "layouts": dict(self.layouts),
            "rt_info": {"model": dict(self.notes), "layers": dict(self.info)},
            "means": {name: list(numbers) for name, numbers in self.means.items()},
            "flops": {
                "total": self.flops.total,
                "macs": self.flops.macs,
                "by_type": dict(self.flops.by_type),
                "uncounted": dict(self.flops.uncounted),
                "assumed": self.flops.assumed,
                "unknown": list(self.flops.unknown),
            },
        }


def summarize(model: Loaded) -> Summary:
    """Summarise a model, without reading weights or running it."""
    graph = model.bound.graph
    nodes = list(graph.walk())
    counts = Counter((_type(node), node.version or "no version") for node in nodes if node.layer is not None)
    constants = list(_constants(graph))
    extensions = _extensions(nodes)
    opsets = sorted({node.version for node in nodes if node.version}, key=lambda name: (number(name) or 0, name))
    need, deciding = least(graph, model.facts, model.document.net.version)
    return Summary(
        name=model.friendly_name,
        ir_version=model.document.net.version or "",
        inputs=tuple(model.inputs),
        outputs=tuple(model.outputs),
        operations=dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
        unknown=tuple(dict.fromkeys(node.type for node in nodes if node.op is None)),
        extensions=extensions,
        libraries=_libraries(model, extensions),
        constants=len(constants),
        parameters=count_parameters(graph, model.facts),
        constant_bytes=_covered([(constant.offset, constant.offset + constant.size) for constant in constants]),
        opsets=tuple(opsets),
        openvino=None if need is None else need.release,
        openvino_for="" if need is None else need.reason,
        openvino_layer=deciding,
        dynamic=tuple(_dynamic(model.inputs)),
        means=_means(model),
        flops=flops(graph, model.facts, has_weights=model.weights.exists),
        layouts=dict(_layouts(model)),
        info=Counter(name for node in nodes for _, name in node.info.texts()),
        notes=model.notes,
    )


def _type(node: Node) -> str:
    return node.op.layer_type if isinstance(node.op, Extension) else node.type


def _extensions(nodes: Iterable[Node]) -> tuple[ExtensionUse, ...]:
    """Return the operations that no opset has, in order of first use."""
    uses: dict[Origin, ExtensionUse] = {}
    for node in nodes:
        found = origin(node.op)
        if found is not None:
            count = uses[found].count + 1 if found in uses else 1
            uses[found] = ExtensionUse(found.type, found.domain, count, found.library, found.internal_to)
    return tuple(uses.values())


def _libraries(model: Loaded, extensions: Iterable[ExtensionUse]) -> dict[str, str | None]:
    names = dict.fromkeys(use.library for use in extensions if use.library is not None)
    versions = rt_info(model.document) if names else {}
    return {name: versions.get(f"{name}_version") for name in names}


def _constants(graph: Graph) -> Iterator[Const]:
    return (node.op for node in graph.walk() if isinstance(node.op, Const))


def _covered(ranges: list[tuple[int, int]]) -> int:
    """Return the number of positions covered by at least one of the ranges."""
    covered = end = 0
    for first, last in sorted(ranges):
        covered += max(last - max(first, end), 0)
        end = max(end, last)
    return covered


def _dynamic(ports: list[Port]) -> Iterator[str]:
    for port in ports:
        if port.partial_shape.dims is None:
            yield f"{port.any_name}: the rank"
            continue
        for axis, dim in enumerate(port.partial_shape.dims):
            if not dim.is_static:
                yield f"{port.any_name}[{axis}]: {dim}"


def _layouts(model: Loaded) -> Iterator[tuple[str, str]]:
    """Yield the layouts of inputs and outputs, which their tensors have."""
    graph = model.graph
    for port, id in zip(model.inputs, graph.parameters, strict=True):
        yield from _layout(port, graph, Outlet(id, 0))
    for port, id in zip(model.outputs, graph.results, strict=True):
        for source in graph.sources(id):
            yield from _layout(port, graph, source)


def _layout(port: Port, graph: Graph, outlet: Outlet | None) -> Iterator[tuple[str, str]]:
    ports = () if outlet is None else graph.node(outlet.node).info.outputs
    entry = find(ports[outlet.port], LAYOUT) if outlet is not None and outlet.port < len(ports) else None
    if entry is not None:
        yield port.any_name, str(value_of(entry))


def _means(model: Loaded) -> dict[str, tuple[float, ...]]:
    found = model.bound.means or {}
    ports = zip(model.bound.graph.parameters, model.inputs, strict=True)
    return {port.any_name: found[id].numbers for id, port in ports if id in found}


def _port(port: Port) -> PortRecord:
    return {
        "name": port.any_name,
        "names": [name for name in port.all_names if name],
        "type": str(port.element_type),
        "declared_type": str(port.declared_type),
        "shape": str(port.partial_shape),
    }

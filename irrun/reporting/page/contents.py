"""The data of the page: graphs with their layouts, layers with what is known of them, and numbers for heat."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics import Diagnostic, LayerRef
from irrun.document.places import layer_ref
from irrun.graph import Outlet
from irrun.model import Loaded
from irrun.model.flops import flops_of
from irrun.model.layers import Place, places_of
from irrun.model.summary import summarize
from irrun.ops._declared.infrastructure.const import Const
from irrun.reporting.diff import Change, Difference
from irrun.reporting.drawing.layout import layered
from irrun.reporting.drawing.scene import Scene, kind_of, scene_of
from irrun.reporting.drawing.svg import box_size
from irrun.reporting.explain.explanation import Explanation, explained
from irrun.reporting.page.histograms import histogram
from irrun.reporting.page.measured import Measured

_HEATS: Final = (
    ("time", "time", "ms", True),
    ("flops", "arithmetic", "FLOPs", True),
    ("weights", "weights", "bytes", True),
    ("size", "size of outputs", "bytes", True),
    ("most", "largest magnitude", "", True),
    ("std", "standard deviation", "", True),
    ("zeros", "share of zeros", "%", False),
    ("bad", "NaN and Inf", "", False),
    ("error", "error against {beside}", "", True),
    ("own", "own error against {beside}", "", True),
)
"""Numbers by which the graph can be coloured: key, label, unit, and whether the scale is logarithmic."""

_ERRORS: Final = ("error", "own")
"""Numbers that belong to a pair of layers."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A model that a page shows, with the findings of the linter and what a run has shown."""

    model: Loaded
    file: str
    findings: Sequence[Diagnostic] = ()
    measured: Measured = field(default_factory=Measured)


def contents(subjects: Sequence[Subject], difference: Difference | None = None) -> dict[str, Any]:
    """Return the data of a page about one model, or about two and their difference, ready for JSON."""
    models = [_Model(subject).data() for subject in subjects]
    for model, title in zip(models, titles([subject.file for subject in subjects]), strict=True):
        model["title"] = title
    data: dict[str, Any] = {"models": models}
    if difference is not None and len(models) > 1:
        data["pairs"] = _pairs(models, difference)
        _share_errors(models, data["pairs"])
        readers = [_readers(model) for model in models]
        data["changes"] = [_change(readers, change) for change in difference.changes]
    return data


def titles(files: Sequence[str]) -> list[str]:
    """Return the names of files, with as many folders as it takes to tell them apart."""
    parts = [Path(file).parts or (file,) for file in files]
    for count in range(1, max(map(len, parts), default=1) + 1):
        found = ["/".join(some[-count:]).replace("//", "/") for some in parts]
        if len(set(found)) == len(set(files)):
            return found
    return list(files)


class _Model:
    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._model = subject.model
        self._places = [place for place in places_of(subject.model) if place.node.type != "Const" or _is_end(place)]
        self._index = {_key(place): index for index, place in enumerate(self._places)}
        self._graphs: list[dict[str, Any]] = []
        self._operations: dict[str, Any] = {}
        self._findings: dict[LayerRef, list[list[str]]] = {}
        for item in subject.findings:
            if item.layer is not None:
                self._findings.setdefault(item.layer, []).append([str(item.severity), item.code, item.message])

    def data(self) -> dict[str, Any]:
        self._graph(scene_of(self._model), "")
        layers = [self._layer(place) for place in self._places]
        general = [
            [str(item.severity), item.code, item.message] for item in self._subject.findings if item.layer is None
        ]
        beside = self._subject.measured.beside
        present = {key for layer in layers for key in layer["h"]}
        return {
            "name": self._model.friendly_name,
            "file": self._subject.file,
            "summary": list(self._summary()),
            "findings": general,
            "layers": layers,
            "graphs": self._graphs,
            "operations": self._operations,
            "heats": [
                [key, label.format(beside=beside), unit, log] for key, label, unit, log in _HEATS if key in present
            ],
        }

    def _summary(self) -> Iterator[list[str]]:
        found = summarize(self._model)
        for word, ports in (("inputs", found.inputs), ("outputs", found.outputs)):
            yield [word, "\n".join(f"{port.any_name}  {port.element_type}{port.partial_shape}" for port in ports)]
        yield ["layers", f"{found.layers:,}"]
        yield ["parameters", f"{found.parameters:,}"]
        yield ["constants", f"{found.constants:,}, {found.constant_bytes:,} bytes"]
        yield ["FLOPs", f"{found.flops.total:,}, of {found.flops.macs:,} multiply-adds"]
        yield ["opsets", ", ".join(found.opsets)]
        if found.openvino is not None:
            yield ["OpenVINO", f"{found.openvino} or later"]
        counts = (f"{count:,} {type}" for (type, _), count in found.operations.items() if type != "Const")
        yield ["operations", "\n".join(counts)]

    # -- graphs

    def _graph(self, scene: Scene, path: str) -> int:
        """Add the layout of a graph and of its bodies; return its number."""
        number = len(self._graphs)
        self._graphs.append({})
        sizes = {box.id: box_size(box) for box in scene.boxes}
        layout = layered(sizes, [(line.source, line.target) for line in scene.lines])
        places = {box.id: place for place, box in enumerate(scene.boxes)}
        nodes: list[list[Any]] = []
        for box in scene.boxes:
            (x, y), (width, _) = layout.places[box.id], sizes[box.id]
            bodies = [[tag, self._graph(body, f"{path}{box.id}.{tag}/")] for tag, body in box.bodies]
            nodes.append([self._index[path, box.id], round(x, 1), round(y, 1), round(width, 1), layout.ranks[box.id]])
            if bodies:
                nodes[-1].append(bodies)
        self._graphs[number] = {
            "size": [round(size, 1) for size in layout.size],
            "ranks": [
                [round(top, 1), round(bottom, 1)] for top, bottom in zip(layout.tops, layout.bottoms, strict=True)
            ],
            "nodes": nodes,
            "edges": [[places[source], places[target]] for source, target in layout.edges],
            "trunks": {places[source]: [round(x, 1) for x in ways] for source, ways in layout.trunks.items()},
            "cut": sorted([places[source], places[target]] for source, target in layout.interrupted),
        }
        return number

    # -- layers

    def _layer(self, place: Place) -> dict[str, Any]:
        node, found = place.node, explained(self._model, place)
        operation = f"{found.type} {found.version}"
        if operation not in self._operations:
            docs = {item.name: item.doc for item in found.attributes if item.doc}
            self._operations[operation] = {
                "summary": found.summary,
                "category": found.category,
                "page": found.page,
                "docs": docs,
                "notes": found.notes,
                "departures": found.departures,
            }
        record = {
            "n": node.name,
            "p": place.path,
            "i": found.id,
            "t": found.type,
            "v": found.version,
            "k": kind_of(node),
            "d": found.outputs[0].shape if found.outputs else "",
            "w": found.computes,
            "y": found.shapes,
            "a": [[item.name, item.value, int(item.is_given)] for item in found.attributes],
            "in": list(self._inputs(place, found)),
            "out": list(self._outputs(place, found)),
            "h": dict(self._heats(place)),
        }
        findings = self._findings.get(layer_ref(node.layer), []) if node.layer is not None else []
        if findings:
            record["f"] = findings
        if found.general:
            record["g"] = found.general
        statistics = self._subject.measured.statistics.get(_label(place), ())
        if statistics:
            record["s"] = [_statistics(item.as_dict()) for item in statistics]
        return record

    def _inputs(self, place: Place, found: Explanation) -> Iterator[list[Any]]:
        prefix = _prefix(place)
        for item, source in zip(found.inputs, place.graph.sources(place.node.id), strict=True):
            index = -1 if source is None else self._index.get((prefix, source.node), -1)
            row: list[Any] = [item.name, item.type + item.shape, index, item.source, item.source_port, item.value]
            is_constant = source is not None and isinstance(place.graph.node(source.node).op, Const)
            counts = histogram(place.facts.get(source)) if is_constant and place.facts is not None else None
            yield [*row, counts] if counts is not None else row

    def _outputs(self, place: Place, found: Explanation) -> Iterator[list[Any]]:
        prefix = _prefix(place)
        for item in found.outputs:
            readers = place.graph.consumers(Outlet(place.node.id, item.port))
            indices = [self._index[prefix, inlet.node] for inlet in readers if (prefix, inlet.node) in self._index]
            yield [item.name, item.type + item.shape, list(item.tensor_names), indices, item.value]

    def _heats(self, place: Place) -> Iterator[tuple[str, float]]:
        measured, label = self._subject.measured, _label(place)
        if label in measured.times:
            yield "time", _digits(measured.times[label])
        yield from _known_heats(place)
        numbers = [item.as_dict() for item in measured.statistics.get(label, ())[:1]]
        for item in numbers:
            if item["min"] is not None and item["max"] is not None:
                yield "most", _digits(max(abs(item["min"]), abs(item["max"])))
                yield "std", _digits(item["std"] or 0.0)
            if item["size"]:
                yield "zeros", _digits(100 * item["zeros"] / item["size"])
            yield "bad", item["nan"] + item["inf"]
        error = measured.errors.get(place.node.id) if place.outer is None else None
        if error is not None:
            for key, errors in (("error", error.errors), ("own", error.own)):
                if errors is not None and math.isfinite(errors.relative):
                    yield key, _digits(errors.relative)


def _known_heats(place: Place) -> Iterator[tuple[str, float]]:
    """Yield the numbers that need no run: arithmetic, and bytes of weights and outputs."""
    node, facts = place.node, place.facts
    if facts is None:
        return
    count = flops_of(node, facts)
    if count:
        yield "flops", count
    weights = 0
    for source in place.graph.sources(node.id):
        if source is not None and isinstance(place.graph.node(source.node).op, Const):
            weights += place.graph.node(source.node).op.needed  # type: ignore[union-attr]
    if weights:
        yield "weights", weights
    size = sum(facts[outlet].least_bytes for outlet in facts.outlets(node.id))
    if size:
        yield "size", size


def _is_end(place: Place) -> bool:
    """Return whether a constant is drawn, since it feeds a Result."""
    return any(place.graph.node(user).type == "Result" for user in place.graph.successors(place.node.id))


def _key(place: Place) -> tuple[str, int]:
    return _prefix(place), place.node.id


def _prefix(place: Place) -> str:
    """Return the ids and tags of the bodies around a layer."""
    if place.outer is None:
        return ""
    outer, tag = place.outer
    return f"{_prefix(outer)}{outer.node.id}.{tag}/"


def _label(place: Place) -> str:
    """Return the key of a layer in a run."""
    if place.outer is None:
        return place.node.name
    outer, tag = place.outer
    return f"{_label(outer)}.{tag}/{place.node.name}"


def _statistics(record: Mapping[str, Any]) -> list[Any]:
    keys = ("min", "max", "mean", "std", "nan", "inf", "zeros", "size", "subnormals", "beyond_f16")
    return [None if record[key] is None else _digits(record[key]) for key in keys]


def _digits(value: float) -> float:
    """Return a number of five digits, None where JSON has none for it."""
    return float(f"{value:.5g}") if math.isfinite(value) else 0.0


def _pairs(models: Sequence[Mapping[str, Any]], difference: Difference) -> list[list[int]]:
    first, second = (_by_name(model) for model in models)
    return [[first[a], second[b]] for a, b in difference.pairs if a in first and b in second]


def _share_errors(models: Sequence[dict[str, Any]], pairs: Sequence[Sequence[int]]) -> None:
    """Give the layers of the second model the errors of their counterparts, which are those of the pair."""
    first, second = models
    for a, b in pairs:
        numbers = {key: first["layers"][a]["h"][key] for key in _ERRORS if key in first["layers"][a]["h"]}
        second["layers"][b]["h"] = {**numbers, **second["layers"][b]["h"]}
    known = {row[0] for row in second["heats"]}
    second["heats"] += [row for row in first["heats"] if row[0] in _ERRORS and row[0] not in known]


def _by_name(model: Mapping[str, Any]) -> dict[str, int]:
    return {layer["p"] + layer["n"]: index for index, layer in enumerate(model["layers"])}


def _change(readers: Sequence[Mapping[str, int]], change: Change) -> list[Any]:
    """Return a change as a row: kind, layer on each side or -1, what, before, after, and whether it follows."""
    sides = [index.get(name, -1) for index, name in zip(readers, (change.layer, change.other), strict=True)]
    title = f"{change.type} {change.layer or change.other}"
    return [change.kind, *sides, title, change.what, change.before, change.after, int(change.follows)]


def _readers(model: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of each layer by name; of a constant that of the first layer that reads it."""
    found: dict[str, int] = {}
    for index, layer in enumerate(model["layers"]):
        for row in layer["in"]:
            if row[2] < 0:
                found.setdefault(row[3], index)
    return found | _by_name(model)

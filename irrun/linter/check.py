"""Runs the rules over a file."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import overload

import numpy as np

from irrun.diagnostics import Diagnostic, IRError
from irrun.diagnostics.render import Finding, Source, record
from irrun.document import SourceMap, read
from irrun.graph import Bound, bind
from irrun.inference import infer
from irrun.linter.rule import Context, rules, url
from irrun.tensor import Fact
from irrun.tensor.element_type import I64

Values = Sequence[tuple[str, Sequence[int]]]


class Report(Sequence[Diagnostic]):
    """The diagnostics of one file, in the order of the file. ``ports`` is how many output ports were verified."""

    def __init__(self, filename: str, source: Source, diagnostics: Sequence[Diagnostic], ports: int = 0) -> None:
        self.filename = filename
        self.ports = ports
        self._source = source
        self._diagnostics = tuple(sorted(diagnostics, key=self._place))

    def findings(self) -> list[Finding]:
        """The diagnostics with their places, ready to be rendered."""
        known = rules()
        return [
            Finding(item, self.filename, self._source, known[item.code].name if item.code in known else "", url(item.code))
            for item in self._diagnostics
        ]

    def as_dicts(self) -> list[dict[str, object]]:
        """The findings as JSON-ready values."""
        return [record(finding) for finding in self.findings()]

    def _place(self, item: Diagnostic) -> tuple[int, int]:
        place = self._source.locate(item.anchor)
        return place.row, place.column

    @overload
    def __getitem__(self, index: int) -> Diagnostic: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Diagnostic, ...]: ...
    def __getitem__(self, index: int | slice) -> Diagnostic | tuple[Diagnostic, ...]:
        return self._diagnostics[index]

    def __len__(self) -> int:
        return len(self._diagnostics)

    def __repr__(self) -> str:
        return f"<Report {self.filename}: {len(self)} findings>"


def lint(
    path: str | os.PathLike[str], weights: str | os.PathLike[str] | None = None, values: Values = ()
) -> Report:
    """Check one IR file.

    ``values`` gives what arrives at ports that nothing feeds, for a file that is a bare layer: pairs of a port id, an
    input name or ``LAYER.PORT``, and the elements. OSError where the file cannot be opened.
    """
    file = Path(path)
    filename = os.fspath(path)
    try:
        document = read(file, Path(weights) if weights is not None else None)
    except IRError as error:
        return Report(filename, SourceMap(file.read_bytes()), error.diagnostics)
    bound = bind(document)
    facts = infer(bound.graph, document.weights, _given(bound, values))
    context = Context(document, bound, facts)
    found = [*document.diagnostics, *bound.diagnostics, *facts.diagnostics, *_checked(context)]
    return Report(filename, document.source_map, found, sum(len(layer.outputs) for layer in document.net.layers))


def _checked(context: Context) -> Iterator[Diagnostic]:
    for rule in rules().values():
        yield from rule().check(context)


def _given(bound: Bound, values: Values) -> Mapping[int, Fact]:
    """The facts of Parameters whose values are given by port id, by input name, or by ``LAYER.PORT``."""
    given: dict[int, Fact] = {}
    for id in bound.graph.parameters:
        for name, elements in values:
            node = bound.graph[id]
            if node.op is None or name not in _names(bound, id):
                continue
            (fact,) = (node.op.infer(),)
            sizes = fact.shape
            if sizes.is_static and math.prod(sizes.static) == len(elements):
                type = fact.type if fact.type.is_known else I64
                array = np.array(elements, dtype=type.dtype).reshape(sizes.static)
                given[id] = Fact.of(type, array)
    return given


def _names(bound: Bound, id: int) -> set[str]:
    node = bound.graph[id]
    if node.layer is not None:
        return {node.name, *(node.names[0] if node.names else ())}
    names = {node.name, node.name.rpartition(".")[2]}
    for _, consumer, edge in bound.graph.digraph.out_edges(id, data=True):
        op = bound.graph[consumer].op
        if op is not None and op.inputs:
            names.add(op.spec.input(edge["to_port"]).name)
    return names

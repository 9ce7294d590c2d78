"""A model as read or built: its graph with facts and weights."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from irrun.diagnostics import Anchor, Diagnostic, IRError, LayerRef, Severity
from irrun.diagnostics.internal import Boundary
from irrun.diagnostics.notebook import html_table
from irrun.document import Document, read
from irrun.document.rt_info import net_info, notes_of
from irrun.document.weights import Weights, WeightsOutOfRange
from irrun.graph import Bound, Graph, bind
from irrun.inference import Facts, infer
from irrun.jobs.collector import collection_paused
from irrun.model.arguments import find_port
from irrun.model.interface import Interface, interface
from irrun.model.port import Port
from irrun.ops.available import BUILT_IN, Operations, operations_of
from irrun.optimize import Settings
from irrun.runtime import AS_WRITTEN, Plan, plan
from irrun.runtime.budget import UNLIMITED, Budget
from irrun.runtime.faults import LayerThatCannotRun, MissingWeights
from irrun.tensor import Array, Dim, Fact, Shape

if TYPE_CHECKING:
    from irrun.ops.extending import ExtensionSource

PathLike = str | os.PathLike[str]
Shapes = Mapping[int, Any] | Mapping[str, Any] | Sequence[Any]


class Loaded:
    """A graph with its facts and weights: a model as read, or as built. Nothing in it changes.

    ``diagnostics`` are those of reading, binding and inference; a model may have some and still run. ``given`` are the
    facts of Parameters that replace the declared ones. ``origin`` is the file, of which a built model has none;
    ``notes`` replace those of its ``<rt_info>``.
    """

    def __init__(
        self,
        bound: Bound,
        facts: Facts,
        weights: Weights,
        origin: Document | None = None,
        *,
        name: str = "",
        version: str | None = None,
        given: Mapping[int, Fact] | None = None,
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        self.bound = bound
        self.facts = facts
        self.weights = weights
        self.origin = origin
        self.friendly_name = name
        self.version = version
        self._given = dict(given or {})
        self._notes = notes

    @staticmethod
    def of(document: Document, operations: Operations = BUILT_IN) -> Loaded:
        """Bind a document and infer its facts."""
        bound, net = bind(document, operations), document.net
        facts = infer(bound.graph, document.weights)
        return Loaded(bound, facts, document.weights, document, name=net.name, version=net.version)

    @property
    def graph(self) -> Graph:
        """The networkx graph of the layers, frozen."""
        return self.bound.graph

    @property
    def document(self) -> Document:
        """The file; ValueError for a built model."""
        if self.origin is None:
            raise ValueError("a built model has no file")
        return self.origin

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        read = () if self.origin is None else self.origin.diagnostics
        return (*read, *self.bound.diagnostics, *self.facts.diagnostics)

    @functools.cached_property
    def messages(self) -> Mapping[LayerRef, Sequence[str]]:
        """The messages of the diagnostics, by the layer that they name."""
        found: dict[LayerRef, list[str]] = {}
        for item in self.diagnostics:
            if item.layer is not None:
                found.setdefault(item.layer, []).append(item.message)
        return found

    @property
    def inputs(self) -> list[Port]:
        """The inputs, in the order of the Parameter layers in the file."""
        return list(self._interface.inputs)

    @property
    def outputs(self) -> list[Port]:
        """The outputs, in the order of the Result layers in the file."""
        return list(self._interface.outputs)

    @functools.cached_property
    def _interface(self) -> Interface:
        return interface(self.bound.graph, self.facts, self.version)

    def input(self, key: int | str = 0) -> Port:
        return find_port(self.inputs, key, "input")

    def output(self, key: int | str = 0) -> Port:
        return find_port(self.outputs, key, "output")

    def reshaped(self, shapes: Shapes) -> Loaded:
        """Return the model with facts for new input shapes: ``{"name": [1, 3, -1, -1]}``, or one shape for one input.

        A shape is a list of sizes, with ``-1`` or None for a dynamic one, a text such as ``1,3,?,2..5``, or a Shape.
        InputError for an unknown name, IRError where the new shapes do not fit the model.
        """
        by_name: Mapping[Any, Any] = cast("Mapping[Any, Any]", shapes) if isinstance(shapes, Mapping) else {0: shapes}
        given = {}
        for key, value in by_name.items():
            port = find_port(self.inputs, key, "input")
            shape = as_shape(value).named(port.node_name)
            given[self.bound.graph.parameters[port.index]] = Fact(port.declared_type, shape)
        return self.with_inputs(given)

    def with_inputs(self, given: Mapping[int, Fact]) -> Loaded:
        """Return the model with other facts of Parameters; IRError where they do not fit the model."""
        given = {**self._given, **given}
        with Boundary(self.filename):
            facts = infer(self.bound.graph, self.weights, given)
        errors = [item for item in facts.diagnostics if item.severity is Severity.ERROR]
        if errors and len(errors) > len([item for item in self.facts.diagnostics if item.severity is Severity.ERROR]):
            raise IRError(errors, self.filename)
        name, version = self.friendly_name, self.version
        origin, notes = self.origin, self._notes
        return Loaded(self.bound, facts, self.weights, origin, name=name, version=version, given=given, notes=notes)

    @property
    def notes(self) -> Mapping[str, Any]:
        """The notes on the model, which the ``<rt_info>`` of its file has: texts by name, also nested ones."""
        if self._notes is not None:
            return self._notes
        return {} if self.origin is None else notes_of(net_info(self.origin))

    @property
    def has_notes(self) -> bool:
        """True if the notes are others than those of the file."""
        return self._notes is not None

    def with_notes(self, notes: Mapping[str, Any]) -> Loaded:
        """Return the model with other notes."""
        name, version, given = self.friendly_name, self.version, self._given
        origin, weights = self.origin, self.weights
        return Loaded(self.bound, self.facts, weights, origin, name=name, version=version, given=given, notes=notes)

    @property
    def filename(self) -> str:
        """The path of the file that was read; empty for a model from memory."""
        path = None if self.origin is None else self.origin.path
        return "" if path is None else str(path)

    def plan(self, settings: Settings = AS_WRITTEN, budget: Budget = UNLIMITED) -> Plan:
        """Return the plan that computes every output; IRError with every obstacle."""
        require_unchanged(self.weights, self.filename)
        try:
            made = plan(self.bound.graph, self.facts, settings, budget=budget)
        except IRError as error:
            errors = [item for item in self.diagnostics if item.severity is Severity.ERROR]
            reasons = [item for item in error.diagnostics if item.code != LayerThatCannotRun.code]
            raise IRError([*errors, *reasons] or error.diagnostics, self.filename) from None
        require_unchanged(self.weights, self.filename)
        return made

    def means(self) -> dict[int, Array]:
        """Return the means subtracted from inputs, by index; IRError where one is unknown or does not fit."""
        bound, element = self.bound, None if self.origin is None else self.origin.net.pre_process
        if bound.means is None:
            raise IRError(bound.diagnostics, self.filename)
        found: dict[int, Array] = {}
        for id, mean in bound.means.items():
            values = mean.values(self.weights)
            if values is None:
                what = f'the mean of input "{bound.graph.node(id).name}" is not known: there is no weights file'
                anchor = Anchor(element.element) if element is not None else Anchor()
                raise IRError([MissingWeights(what=what).at(anchor)], self.filename)
            found[bound.graph.parameters.index(id)] = values
        return found

    def __repr__(self) -> str:
        return f"<Loaded {self.friendly_name!r} inputs={self.inputs} outputs={self.outputs}>"

    def _repr_html_(self) -> str:
        ends = (("input", self.inputs), ("output", self.outputs))
        rows = [
            (kind, port.any_name, str(port.element_type), str(port.partial_shape))
            for kind, ports in ends
            for port in ports
        ]
        note = f"{len(self.graph):,} layers"
        return html_table(self.friendly_name, ("", "name", "type", "shape"), rows, note)


def load(
    model: PathLike | bytes, weights: PathLike | bytes | None = None, *, extensions: Iterable[ExtensionSource] = ()
) -> Loaded:
    """Read an IR from a file or from bytes; the weights are those of the sibling ``.bin`` unless given.

    ``extensions`` are Python files, modules or classes of operations beyond irrun's; ExtensionError where one cannot be
    used.

    IRError where the file cannot be read as an IR; OSError where it cannot be opened. InternalError, here and
    elsewhere, is a fault of irrun itself.
    """
    source = model if isinstance(model, bytes) else Path(model)
    values = weights if isinstance(weights, bytes | None) else Path(weights)
    operations = operations_of(extensions)
    with Boundary("" if isinstance(source, bytes) else str(source)), collection_paused():
        document = read(source, values)
        require_unchanged(document.weights, str(document.path or ""))
        return Loaded.of(document, operations)


def as_shape(value: Any) -> Shape:
    """Convert a list, a text or a Shape to a partial shape."""
    if isinstance(value, Shape):
        return value
    if isinstance(value, str):
        return Shape.parse(value)
    return Shape([Dim() if size in (-1, None) else size if isinstance(size, Dim) else _dim(size) for size in value])


def _dim(size: Any) -> Dim:
    return Shape.parse(size)[0] if isinstance(size, str) else Dim.exactly(size)


def require_unchanged(weights: Weights, filename: str) -> None:
    """Raise IRError where the mapped weights were changed: what was read of them may be wrong."""
    try:
        weights.check()
    except WeightsOutOfRange as error:
        raise IRError([error.at()], filename) from None

"""The input of a rule: the document, the graph, and the facts inferred in two ways."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

from irrun.diagnostics import Diagnostic, LayerRef
from irrun.document import Document
from irrun.document.grammar import LEGACY
from irrun.document.places import layer_ref
from irrun.document.records import PortElement
from irrun.graph import Bound, Node
from irrun.graph.extensions import declared_fact
from irrun.inference import Facts, infer
from irrun.linter.declared import DeclaredPort, as_declared, inputs, offending, outputs, shape_of
from irrun.linter.edits import Editor
from irrun.linter.settings import LinterSettings
from irrun.tensor import Fact, Shape


class Contradiction(NamedTuple):
    """The inferred shape of an input, and the axes where the declared dims differ; None where the rank differs."""

    shape: Shape
    axes: tuple[int, ...] | None


class Configurable(Protocol):
    """A rule with settings."""

    code: ClassVar[str]
    name: ClassVar[str]
    options: ClassVar[Mapping[str, Any]]

    def checked_option(self, name: str, value: Any) -> Any: ...


@dataclass(frozen=True)
class Context:
    """The input of a rule.

    ``given`` are the facts of Parameters passed to the linter, ``settings`` what the file is checked for. ``breaks``
    are what errors leave unknown, by code.
    """

    document: Document
    bound: Bound
    facts: Facts
    given: Mapping[int, Fact]
    settings: LinterSettings = field(default_factory=LinterSettings)
    breaks: Mapping[str, Collection[str]] = field(default_factory=dict)

    def option(self, rule: Configurable, name: str) -> Any:
        """Return a setting of a rule: that of the configuration, or its default; KeyError for one that it lacks."""
        rules = self.settings.rules
        given = {**rules.get(rule.name, {}), **rules.get(rule.code, {})}
        return rule.checked_option(name, given[name]) if name in given else rule.options[name]

    def broken_by(self, code: str) -> Collection[str]:
        """Return what an error with a code leaves unknown: the structure of the file, or what its layer means."""
        return self.breaks.get(code, ())

    @functools.cached_property
    def editor(self) -> Editor:
        """The editor of the file."""
        return Editor(self.document)

    @functools.cached_property
    def outputs(self) -> tuple[DeclaredPort, ...]:
        """Every output port with a fact, including those in bodies."""
        return tuple(self._completed(tuple(outputs(self.facts)), outputs, self.output_by_declaration))

    @functools.cached_property
    def inputs(self) -> tuple[DeclaredPort, ...]:
        """Every input port with a fact, including those in bodies."""
        return tuple(self._completed(tuple(inputs(self.facts)), inputs, self._fed))

    def _completed(
        self,
        found: tuple[DeclaredPort, ...],
        ports: Callable[[Facts], Iterable[DeclaredPort]],
        locally: Callable[[DeclaredPort], Fact | None],
    ) -> Iterator[DeclaredPort]:
        """Yield the ports, and downstream of failed inference those that follow from declared facts."""
        yield from found
        if not self.facts.diagnostics or self._by_declaration.facts is None:
            return
        known = {(item.layer.element, item.number) for item in found}
        for item in ports(self._by_declaration.facts):
            fact = None if (item.layer.element, item.number) in known else locally(item)
            if fact is not None:
                yield item._replace(fact=fact)

    @functools.cached_property
    def _by_declaration(self) -> ByDeclaration:
        declared = ByDeclaration(self._reported)
        declared.facts = infer(self.bound.graph, self.document.weights, self.given, declared, self.facts)
        return declared

    def output_by_declaration(self, item: DeclaredPort) -> Fact | None:
        """Return the fact of an output inferred from the declared inputs of its layer; None where there is none.

        A fault belongs to the layer where both this and the propagated fact show it. If only one does, it is a
        consequence of another fault: wrong declared dims affect only this, a wrong attribute upstream only the
        propagated facts.
        """
        return _at(self._by_declaration.inferred.get(item.layer.element), item.number)

    def _fed(self, item: DeclaredPort) -> Fact | None:
        """Return the fact of an input, inferred from the declared inputs of the layer that feeds it."""
        feeder = item.facts.graph.node(item.outlet.node).layer
        return None if feeder is None else _at(self._by_declaration.inferred.get(feeder.element), item.outlet.port)

    def inputs_by_declaration(self, item: DeclaredPort) -> Sequence[Fact | None] | None:
        """Return the facts of all inputs of the layer of an output, as declared; None where there are none."""
        arrived = self._by_declaration.arrived.get(item.layer.element)
        return None if arrived is None else as_declared(item.layer.inputs, arrived)

    def input_by_declaration(self, item: DeclaredPort) -> Fact | None:
        """Return the fact of an input where every output is as declared; None where there is none."""
        return _at(self._by_declaration.arrived.get(item.layer.element), item.number)

    def contradiction(self, item: DeclaredPort) -> Contradiction | None:
        """Return how an input's dims contradict its fact; None where they do not, or the cause is elsewhere."""
        feeder = item.feeder
        if feeder is None or feeder.dims == item.port.dims or self.doubtful(layer_ref(item.layer)):
            return None
        declared = shape_of(feeder)
        shape = item.fact.shape.merge(declared) or item.fact.shape
        axes = offending(item.port, shape)
        if axes == ():
            claimed = () if self.document.net.version == LEGACY else _claimed(item.port, feeder, item.fact.shape)
            return Contradiction(shape, claimed) if claimed else None
        local = self.input_by_declaration(item)
        if local is not None and offending(item.port, local.shape.merge(declared) or local.shape) == ():
            return None
        fed = self._fed(item)
        if fed is not None and offending(item.port, fed.shape) == ():
            return None
        return Contradiction(shape, axes)

    def doubtful(self, layer: LayerRef) -> bool:
        """Return whether a finding about the layer itself explains any fault of its ports."""
        return layer in self._reported

    def failures(self) -> list[Diagnostic]:
        """The findings of inference that do not follow from another fault."""
        if not self.facts.diagnostics or self._by_declaration.facts is None:
            return []
        local = {(item.code, item.anchor) for item in self._by_declaration.facts.diagnostics}
        return [
            item
            for item in self.facts.diagnostics
            if (item.code, item.anchor) in local and item.layer not in self._reported
        ]

    def fails(self, layer: LayerRef) -> bool:
        """Return whether a layer refuses the inputs that arrive."""
        return layer in self._failed

    @functools.cached_property
    def _failed(self) -> frozenset[LayerRef]:
        return frozenset(item.layer for item in self.facts.diagnostics if item.layer is not None)

    @functools.cached_property
    def _reported(self) -> frozenset[LayerRef]:
        found = (*self.document.diagnostics, *self.bound.diagnostics)
        return frozenset(
            item.layer for item in found if item.layer is not None and "layer" in self.broken_by(item.code)
        )


def _claimed(port: PortElement, feeder: PortElement, shape: Shape) -> tuple[int, ...]:
    """Return the axes where an input has a number, the output that feeds it -1, and inference knows neither."""
    dims = shape.dims
    if dims is None or len(dims) != len(feeder.dims):
        return ()
    triples = enumerate(zip(port.dims, feeder.dims, dims, strict=True))
    return tuple(axis for axis, (text, fed, dim) in triples if text != "-1" and fed == "-1" and not dim.is_static)


def _at(facts: Sequence[Fact | None] | None, number: int) -> Fact | None:
    return facts[number] if facts is not None and number < len(facts) else None


class ByDeclaration:
    """Facts inferred separately for each layer from its declared inputs, by layer element.

    ``arrived`` and ``inferred`` are the inputs and outputs before correction to the declared ones, in a body those of
    its first run; ``facts`` are the corrected ones. Layers in ``doubtful`` are not inferred.
    """

    def __init__(self, doubtful: Collection[LayerRef]) -> None:
        self.arrived: dict[int, Sequence[Fact | None]] = {}
        self.inferred: dict[int, Sequence[Fact]] = {}
        self.facts: Facts | None = None
        self._doubtful = doubtful
        self._dimless: dict[int, Fact] = {}

    def inputs(self, node: Node, facts: Sequence[Fact | None]) -> Sequence[Fact | None]:
        if node.layer is None:
            return facts
        self.arrived.setdefault(node.layer.element, facts)
        return as_declared(node.layer.inputs, facts, self._dimless)

    def outputs(self, node: Node, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
        if node.layer is None:
            return facts
        self.inferred.setdefault(node.layer.element, facts)
        if self._doubtful and layer_ref(node.layer) in self._doubtful:
            return tuple(declared_fact(port) for port in node.layer.outputs)
        revised = as_declared(node.layer.outputs, facts, {*map(id, facts)})
        pairs = zip(node.layer.outputs, revised, strict=False)
        self._dimless.update({id(fact): fact for port, fact in pairs if fact is not None and not port.dims})
        return tuple(fact for fact in revised if fact is not None)

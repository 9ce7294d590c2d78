"""What a rule may look at: the file as written, the graph, and what is inferred of each port in two ways."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from irrun.diagnostics import Diagnostic, LayerRef
from irrun.document import Document
from irrun.graph import Bound, Node
from irrun.graph.bind import layer_ref
from irrun.inference import Facts, infer
from irrun.linter.declared import DeclaredPort, as_declared, declared_fact, inputs, offending, outputs, shape_of
from irrun.tensor import Fact, Shape


class Contradiction(NamedTuple):
    """The shape that arrives at an input, and the axes where its dims are others; None where the rank is another."""

    shape: Shape
    axes: tuple[int, ...] | None


@dataclass(frozen=True)
class Context:
    """All that a rule may look at. ``given`` are the facts of Parameters that were given to the linter."""

    document: Document
    bound: Bound
    facts: Facts
    given: Mapping[int, Fact]

    @functools.cached_property
    def outputs(self) -> tuple[DeclaredPort, ...]:
        """Every output port of which something is inferred, bodies included."""
        return tuple(outputs(self.facts))

    @functools.cached_property
    def inputs(self) -> tuple[DeclaredPort, ...]:
        """Every input port of which it is inferred what arrives, bodies included."""
        return tuple(inputs(self.facts))

    @functools.cached_property
    def _by_declaration(self) -> tuple[Facts, Mapping[int, tuple[Fact, ...]]]:
        """What follows for each layer where its inputs are what the file declares them to be.

        The facts are corrected to what is declared; beside them, by layer element, what they were before that, in a
        body when it first runs.
        """
        declared = ByDeclaration(self._reported)
        return infer(self.bound.graph, self.document.weights, self.given, declared), declared.made

    def made(self, item: DeclaredPort) -> Fact | None:
        """What an output is where the inputs of its layer are what they are declared to be; None where nothing follows.

        A fault shows at the layer that has it both there and in the facts. What shows in one of the two only is a
        consequence: dims that are wrong mislead this, a wrong attribute misleads the facts.
        """
        facts = self._by_declaration[1].get(item.layer.element, ())
        return facts[item.outlet.port] if item.outlet.port < len(facts) else None

    def arrives(self, item: DeclaredPort) -> Fact | None:
        """What arrives at an input where every output is what it is declared to be; None where nothing follows."""
        facts: Facts | None = self._by_declaration[0]
        for step in item.bodies:
            facts = None if facts is None else facts.bodies.get(step)
        return None if facts is None else facts.get(item.outlet)

    def contradiction(self, item: DeclaredPort) -> Contradiction | None:
        """How the dims of an input contradict what arrives; None where they do not, or a fault elsewhere is why."""
        feeder = item.feeder
        if feeder is None or feeder.dims == item.port.dims or self.doubtful(layer_ref(item.layer)):
            return None
        declared = shape_of(feeder)
        shape = item.fact.shape.merge(declared) or item.fact.shape
        axes = offending(item.port, shape)
        if axes == ():
            return None
        local = self.arrives(item)
        if local is not None and offending(item.port, local.shape.merge(declared) or local.shape) == ():
            return None
        return Contradiction(shape, axes)

    def doubtful(self, layer: LayerRef) -> bool:
        """Whether a finding about the layer itself explains whatever is wrong with its ports."""
        return layer in self._reported

    def failures(self) -> list[Diagnostic]:
        """The findings of inference, without those that follow from another fault."""
        if not self.facts.diagnostics:
            return []
        local = {(item.code, item.anchor) for item in self._by_declaration[0].diagnostics}
        return [
            item
            for item in self.facts.diagnostics
            if (item.code, item.anchor) in local and item.layer not in self._reported
        ]

    @functools.cached_property
    def _reported(self) -> frozenset[LayerRef]:
        found = (*self.document.diagnostics, *self.bound.diagnostics)
        return frozenset(
            item.layer for item in found if item.layer is not None and item.code.startswith(("IR104", "IR203", "IR3"))
        )


class ByDeclaration:
    """Corrects what is inferred to what the file declares, and keeps what was made before that, by layer element.

    Of ``doubtful`` layers nothing is inferred.
    """

    def __init__(self, doubtful: Collection[LayerRef]) -> None:
        self.made: dict[int, tuple[Fact, ...]] = {}
        self._doubtful = doubtful

    def inputs(self, node: Node, facts: Sequence[Fact | None]) -> Sequence[Fact | None]:
        return facts if node.layer is None else as_declared(node.layer.inputs, facts)

    def outputs(self, node: Node, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
        if node.layer is None:
            return facts
        self.made.setdefault(node.layer.element, facts)
        if self._doubtful and layer_ref(node.layer) in self._doubtful:
            return tuple(declared_fact(port) for port in node.layer.outputs)
        return tuple(fact for fact in as_declared(node.layer.outputs, facts) if fact is not None)

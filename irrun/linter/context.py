"""What a rule may look at: the file as written, the graph, and what is inferred of each port in two ways."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from irrun.diagnostics import Diagnostic
from irrun.document import Document
from irrun.graph import Bound, Node
from irrun.inference import Facts, infer
from irrun.linter.declared import DeclaredPort, as_declared, inputs, outputs
from irrun.tensor import Fact


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
        made: dict[int, tuple[Fact, ...]] = {}

        def revise(node: Node, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
            if node.layer is None:
                return facts
            made.setdefault(node.layer.element, facts)
            return as_declared(node.layer, facts)

        return infer(self.bound.graph, self.document.weights, self.given, revise), made

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

    def doubtful(self, item: DeclaredPort) -> bool:
        """Whether a finding about the layer's attributes explains whatever is wrong with its ports."""
        return item.layer.element in self._reported or item.layer.data_element in self._reported

    def failures(self) -> list[Diagnostic]:
        """The findings of inference, without those that follow from a fault elsewhere."""
        if not self.facts.diagnostics:
            return []
        local = {(item.code, item.anchor) for item in self._by_declaration[0].diagnostics}
        return [item for item in self.facts.diagnostics if (item.code, item.anchor) in local]

    @functools.cached_property
    def _reported(self) -> frozenset[int | None]:
        return frozenset(item.anchor.element for item in self.bound.diagnostics if item.code.startswith("IR3"))

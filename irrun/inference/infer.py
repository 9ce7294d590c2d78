"""Graph -> Facts: propagates types, shapes and shape values through a graph in topological order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from irrun.diagnostics import Diagnostic, OpError
from irrun.document.places import op_diagnostic
from irrun.document.weights import Weights
from irrun.graph import Graph, Node, Outlet
from irrun.graph.graph import PARAMETER, READ_VALUE
from irrun.inference.facts import Facts
from irrun.inference.fold import fold
from irrun.jobs.progress import told
from irrun.ops import Fact
from irrun.ops.calling import infer as infer_outputs
from irrun.ops.context import BodyCall

MOST_RUNS: Final = 1000
"""The limit on body runs for one layer, nested bodies included, after which their outputs count as unknown."""


class Revision(Protocol):
    """A hook that replaces facts before the layers downstream use them."""

    def inputs(self, node: Node, facts: Sequence[Fact | None]) -> Sequence[Fact | None]: ...
    def outputs(self, node: Node, facts: tuple[Fact, ...]) -> tuple[Fact, ...]: ...


def infer(
    graph: Graph,
    weights: Weights,
    given: Mapping[int, Fact] | None = None,
    revision: Revision | None = None,
    before: Facts | None = None,
) -> Facts:
    """Infer the fact of every tensor of a graph.

    ``given`` replaces the facts of Parameters, by node; ``revision`` may replace those of any node. A layer that does
    not fit its inputs is reported, and everything downstream has no facts. ``before`` is a result for the same graph
    without a revision, reused for nodes whose inputs have the same facts.
    """
    return _Pass(weights, revision, before).run(graph, given or {}, ())


def infer_node(
    node: Node, inputs: Sequence[Fact | None], weights: Weights
) -> tuple[tuple[Fact, ...], Mapping[tuple[int, str], Facts]]:
    """Infer the facts of the outputs of one node, and those inside its bodies; OpError where the inputs do not fit."""
    bodies: dict[tuple[int, str], Facts] = {}
    outputs = _Pass(weights, None, None).outputs(node, inputs, bodies, ())
    return (_named(outputs[0], node),) if node.type in (PARAMETER, READ_VALUE) else outputs, bodies


class _Pass:
    def __init__(self, weights: Weights, revision: Revision | None, before: Facts | None) -> None:
        self.weights = weights
        self.revision = revision
        self.before = before
        self.runs = 0

    def run(self, graph: Graph, given: Mapping[int, Fact], path: tuple[str, ...]) -> Facts:
        known: dict[Outlet, Fact] = {}
        bodies: dict[tuple[int, str], Facts] = {}
        found: list[Diagnostic] = []
        parameters = set(graph.parameters)
        for node in told(graph.ordered(), "inferring shapes", total=len(graph)):
            if node.op is None:
                continue
            if not path:
                self.runs = 0
            sources = graph.sources(node.id)
            try:
                inputs: Sequence[Fact | None] = [known[outlet] for outlet in sources]  # type: ignore[index]
            except KeyError:
                continue
            if self.revision is not None:
                inputs = self.revision.inputs(node, inputs)
            outputs = None if path or node.bodies or node.id in given else self._as_before(node, inputs)
            if outputs is None:
                try:
                    outputs = self.outputs(node, inputs, bodies, path)
                except OpError as error:
                    found.append(op_diagnostic(error, node.layer, path, input_notes(inputs)))
                    continue
                if node.id in parameters or (node.type == READ_VALUE and not path):
                    outputs = (given.get(node.id, _named(outputs[0], node)),)
            if self.revision is not None:
                outputs = self.revision.outputs(node, outputs)
            for port, fact in enumerate(outputs):
                known[Outlet(node.id, port)] = fact
        for facts in bodies.values():
            found += facts.diagnostics
        return Facts(graph, known, bodies, tuple(found))

    def _as_before(self, node: Node, inputs: Sequence[Fact | None]) -> tuple[Fact, ...] | None:
        """Return the outputs in ``before`` where the inputs are the same objects; None otherwise."""
        if self.before is None:
            return None
        of = self.before.of
        for outlet, fact in zip(self.before.graph.sources(node.id), inputs, strict=True):
            if outlet is None or of.get(outlet) is not fact:
                return None
        outputs: list[Fact] = []
        while (fact := of.get(Outlet(node.id, len(outputs)))) is not None:
            outputs.append(fact)
        return tuple(outputs) or None

    def outputs(
        self,
        node: Node,
        inputs: Sequence[Fact | None],
        bodies: dict[tuple[int, str], Facts],
        path: tuple[str, ...],
    ) -> tuple[Fact, ...]:
        op = node.op
        assert op is not None
        calls = {tag: self._body(node, tag, bodies, path) for tag in node.bodies}
        outputs = infer_outputs(op, inputs, weights=self.weights.read, output_count=node.outputs, bodies=calls)
        return fold(op, inputs, outputs)

    def _body(self, node: Node, tag: str, bodies: dict[tuple[int, str], Facts], path: tuple[str, ...]) -> BodyCall:
        body = node.bodies[tag]
        inner = (*path, f'{node.type} "{node.name}" › {tag}')

        def call(parameters: Sequence[Fact | None]) -> tuple[Fact, ...]:
            self.runs += 1
            if self.runs > MOST_RUNS and (node.id, tag) in bodies:
                return (Fact.unknown(),) * len(body.graph.results)
            pairs = zip(body.graph.parameters, parameters, strict=True)
            given = {parameter: _unbounded(fact) for parameter, fact in pairs if fact is not None}
            facts = self.run(body.graph, given, inner)
            bodies[node.id, tag] = facts.after(bodies.get((node.id, tag)))
            return bodies[node.id, tag].results()

        declared = [op and infer_outputs(op, ()) for op in (body.graph.node(id).op for id in body.graph.parameters)]
        return BodyCall(body.ports, call, tuple(facts[0] if facts else Fact.unknown() for facts in declared))


def _named(fact: Fact, node: Node) -> Fact:
    """Return the fact of a Parameter or a variable with a symbol for each unknown dim."""
    return Fact(fact.type, fact.shape.named(node.name, declared=node.type == PARAMETER), fact.value)


def _unbounded(fact: Fact) -> Fact:
    """Return the fact without bounds of floats, which may differ from one iteration of a body to the next."""
    return fact if fact.bounds is None else Fact(fact.type, fact.shape)


def input_notes(inputs: Sequence[Fact | None]) -> tuple[str, ...]:
    """Return a note for each input of a layer with what is known of it."""
    return tuple(f"input {index}: {fact}" for index, fact in enumerate(inputs) if fact is not None)

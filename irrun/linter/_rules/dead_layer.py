from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.graph import Graph, Node
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import ENDS, Placed, Scope, joined, scopes, unread


class DeadLayer(Rule):
    """The output of a layer is never used.

    ## What it does
    Reports layers from which no path leads to a `Result` or an `Assign`: the last layer of the branch, with the number
    of other layers that only feed it. An unused constant, with or without a Convert, is an info. An unused Parameter is
    reported by IR212.

    ## Why is this bad
    An edge or a `Result` was probably lost, so that the model lacks an intended output. OpenVINO silently drops the
    layers.

    ## Example
    A Clamp without an edge from its output.

    ## Use instead
    Add an edge to the layer that should read it, or a `Result`; or remove the layer.
    """

    code = "IR210"
    name = "dead-layer"
    opt_in = True
    severity = Severity.WARNING
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        if not joined(context):
            return
        for scope in scopes(context):
            dead = [item for item in unread(context) if item.scope is scope and item.node.type != "Parameter"]
            if dead:
                yield from self._dead(scope, dead)

    def _dead(self, scope: Scope, dead: list[Placed]) -> Iterator[Diagnostic]:
        graph = scope.graph
        ends = [node.id for node in graph.ordered() if node.type in ENDS]
        if not ends:  # no-result reports it
            return
        seen = graph.upstream(ends)  # the layers already counted
        for item in dead:
            found = graph.upstream([item.node.id], seen).difference(seen)
            seen |= found
            others = len(found) - 1
            more = f", and {others} more layer{'s' if others > 1 else ''} on the way to it" if others else ""
            severity = Severity.INFO if _is_constant(graph, item.node) else self.severity
            yield self.report(item, f"no Result and no Assign depends on this layer{more}", severity=severity)


def _is_constant(graph: Graph, node: Node) -> bool:
    """Return whether a node is a constant, or the Convert of one."""
    sources = [graph.node(outlet.node).type for outlet in graph.sources(node.id) if outlet is not None]
    return node.type == "Const" or (node.type == "Convert" and sources == ["Const"])

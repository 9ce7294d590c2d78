from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.graph import Graph, Node
from irrun.graph.bind import layer_ref, path_notes
from irrun.linter.context import Context
from irrun.linter.examples import NET
from irrun.linter.rule import Rule
from irrun.linter.scopes import ENDS, Scope, joined, scopes, unread


class DeadLayer(Rule):
    """A layer computes what nothing reads.

    ## What it does
    Looks for layers from which no `Result` and no `Assign` is reached. The last layer of such a branch is reported,
    with the number of those that only feed it. Constants that nothing reads are an information, also behind the
    Convert that widens them. A Parameter that nothing reads is IR212.

    ## Why is this bad
    An edge or a `Result` was lost: the model does not give what its author meant it to give. OpenVINO drops the layers
    and says nothing.

    ## Example
    A Clamp whose output no edge leads away from.

    ## Use instead
    An edge to the layer that reads it, a `Result`, or no such layer.
    """

    code = "IR210"
    name = "dead-layer"
    opt_in = True
    severity = Severity.WARNING
    stage = "graph"
    good = (NET,)
    bad = (NET.replace('from-layer="1" from-port="1"', 'from-layer="0" from-port="0"'),)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        if not joined(context):
            return
        for scope in scopes(context):
            dead = [node for node, home in unread(context) if home is scope and node.type != "Parameter"]
            if dead:
                yield from self._dead(scope, dead)

    def _dead(self, scope: Scope, dead: list[Node]) -> Iterator[Diagnostic]:
        graph = scope.graph
        ends = [node.id for node in graph if node.type in ENDS]
        if not ends:
            return
        seen = _behind(graph, ends)
        for node in dead:
            before = len(seen)
            seen |= _behind(graph, [node.id], seen)
            constant = _is_constant(graph, node)
            yield self._finding(node, len(seen) - before - 1, scope.path, Severity.INFO if constant else self.severity)

    def _finding(self, node: Node, others: int, path: tuple[str, ...], severity: Severity) -> Diagnostic:
        assert node.layer is not None
        more = f", and {others} more layer{'s' if others > 1 else ''} on the way to it" if others else ""
        return Diagnostic(
            self.code,
            f"no Result and no Assign depends on this layer{more}",
            Anchor(node.layer.element),
            severity,
            layer_ref(node.layer),
            notes=path_notes(path),
        )


def _is_constant(graph: Graph, node: Node) -> bool:
    """Whether a node is a constant, or the Convert of one."""
    widened = [graph[outlet.node].type for outlet in graph.sources(node.id) if outlet is not None]
    return node.type == "Const" or (node.type == "Convert" and widened == ["Const"])


def _behind(graph: Graph, ends: Sequence[int], known: Collection[int] = ()) -> set[int]:
    """The nodes that some nodes depend on, and those themselves, without those that are ``known``."""
    found: set[int] = set()
    waiting = list(ends)
    while waiting:
        id = waiting.pop()
        if id not in found and id not in known:
            found.add(id)
            waiting.extend(outlet.node for outlet in graph.sources(id) if outlet is not None)
    return found

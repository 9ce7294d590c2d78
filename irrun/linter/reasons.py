"""The reason why inference does not know a shape: the layer where knowledge ends, and what would decide it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from irrun.diagnostics import OpError, listing
from irrun.document.places import layer_ref
from irrun.graph import Graph, Node, Outlet
from irrun.graph.graph import PARAMETER
from irrun.inference import Facts
from irrun.linter.context import Context
from irrun.linter.given import options
from irrun.linter.scopes import Scope
from irrun.ops._declared.infrastructure.const import Const
from irrun.ops.calling import infer
from irrun.ops.extension import Extension
from irrun.tensor import Array, Fact

_WITHOUT_MODEL: Final = frozenset({"output_count"})
"""Names of what inference may ask for where nothing of the model is at hand."""

_FAULTY: Final = "its type or its attributes are faulty"


class Reasons:
    """Finds reasons in one file. Ports with the same cause have the same reason."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._options: Mapping[int, str] | None = None
        self._known: dict[tuple[int, int], str] = {}

    def of(self, facts: Facts, node: int) -> str:
        """Return the reason why the shape of an output of a node is unknown, or in doubt."""
        layer = facts.graph.node(node).layer
        if layer is not None and self._context.doubtful(layer_ref(layer)):
            return f"{_called(facts.graph.node(node))}: {_FAULTY}"
        passed: dict[tuple[int, int], None] = {}
        while True:
            key = id(facts), node
            reason = self._known.get(key, "") or self._of_values(facts, node)
            above = _open_source(facts, node)
            if reason or above is None or key in passed:
                break
            passed[key] = None
            node = above
        reason = reason or self._of_node(facts, node)
        self._known.update(dict.fromkeys((*passed, key), reason))
        return reason

    def without_facts(self, scope: Scope, node: int) -> str:
        """Return the reason why a node has no facts: an error of its own, or of a layer upstream or around it."""
        if scope.facts is None:
            return f"{' › '.join(scope.path)}: it cannot be inferred"
        passed: dict[tuple[int, int], None] = {}
        while True:
            key = id(scope.graph), node
            above = None if key in passed or key in self._known else _source_without_facts(scope, node)
            if above is None:
                break
            passed[key] = None
            node = above
        what = _FAULTY if scope.graph.node(node).op is None else "it cannot be inferred"
        reason = self._known.get(key) or f"{_called(scope.graph.node(node))}: {what}"
        self._known.update(dict.fromkeys((*passed, key), reason))
        return reason

    def _of_values(self, facts: Facts, id: int) -> str:
        """Return the inputs whose unknown values inference asks for; the empty text for none."""
        node = facts.graph.node(id)
        asked = _asked(node, facts.inputs(id))
        if not asked or node.op is None:
            return ""
        names = [node.op.spec.input(index).name for index in asked]
        roots = [root for index in asked if (root := _root(facts.graph, id, index)) is not None]
        verb = "is" if len(names) == 1 else "are"
        what = f"{_called(node)}: {listing(names, 'and')} {verb} unknown"
        if any(isinstance(facts.graph.node(root).op, Const) for root in roots):
            return f"{what} without the weights file"
        options = [self._option(facts, root) for root in dict.fromkeys(roots)]
        if options and all(options):
            return f"{what}; {' '.join(options)} {'decides' if len(options) == 1 else 'decide'}"
        return what if _open_source(facts, id) is None else ""

    def _of_node(self, facts: Facts, id: int) -> str:
        node = facts.graph.node(id)
        if node.layer is None:
            consumer = facts.graph.node(facts.graph.consumers(Outlet(id, 0))[0].node)
            return f"{_called(consumer)}: the sizes of its inputs are open"
        if isinstance(node.op, Extension):
            return f"{_called(node)}: its operation is not known"
        if node.type == PARAMETER:
            return f"{_called(node)}: its sizes are open"
        return f"{_called(node)}: its sizes depend on values"

    def _option(self, facts: Facts, root: int) -> str:
        """Return ``--value 1=…`` for a Parameter that takes a value; the empty text for other nodes."""
        if facts.graph is not self._context.bound.graph:
            return ""
        if self._options is None:
            self._options = options(self._context.bound)
        return self._options.get(root, "")


def _open_source(facts: Facts, id: int) -> int | None:
    """Return the node that feeds the first input of unknown shape; None where there is none."""
    for outlet in facts.graph.sources(id):
        fact = facts.get(outlet)
        if outlet is not None and fact is not None and not fact.shape.is_static:
            return outlet.node
    return None


def _source_without_facts(scope: Scope, id: int) -> int | None:
    """Return the node that feeds the first input without facts; None where there is none."""
    for outlet in scope.graph.sources(id):
        if outlet is not None and scope.facts is not None and scope.facts.get(outlet) is None:
            return outlet.node
    return None


def _root(graph: Graph, id: int, index: int) -> int | None:
    """Return the node from which the value of an input comes, through nodes of one input."""
    outlet = graph.sources(id)[index]
    while outlet is not None:
        known = [source for source in graph.sources(outlet.node) if source is not None]
        if len(known) != 1:
            return outlet.node if not known else None
        outlet = known[0]
    return None


def _called(node: Node) -> str:
    type = node.type if node.layer is None else node.layer.type
    return f'{type} "{node.name}"' if node.name else type


def _asked(node: Node, inputs: Sequence[Fact | None]) -> list[int]:
    """Return the inputs of unknown value whose value the inference of a node asks for."""
    if node.op is None or not _WITHOUT_MODEL.issuperset(node.op.spec.infer_asks) or isinstance(node.op, Extension):
        return []
    asked: set[int] = set()
    watched = [None if fact is None else _Watched(fact, asked, index) for index, fact in enumerate(inputs)]
    try:
        infer(node.op, watched, output_count=node.outputs)
    except OpError:
        return []
    return sorted(index for index in asked if (fact := inputs[index]) is not None and not fact.is_constant)


class _Watched(Fact):
    """A fact that notes that its value is asked for."""

    __slots__ = ("_asked", "_fact", "_index")

    def __init__(self, fact: Fact, asked: set[int], index: int) -> None:
        self._fact, self._asked, self._index = fact, asked, index
        super().__init__(fact.type, fact.shape)

    @property
    def value(self) -> Array | None:
        self._asked.add(self._index)
        return self._fact.value

    @value.setter
    def value(self, value: Array | None) -> None:
        """Keep the value of the fact."""

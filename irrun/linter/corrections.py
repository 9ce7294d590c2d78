"""Corrections of declared ports, together with the ports that follow from them.

Safe fixes change only what OpenVINO does not read, or refuses: the dims and precisions of ports. Fixes that change the
model as OpenVINO reads it, such as the name of an attribute, are unsafe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from irrun.diagnostics import Diagnostic, Edit, Fix
from irrun.document.places import layer_ref
from irrun.document.records import PortElement
from irrun.inference import Facts
from irrun.linter.context import Context
from irrun.linter.counts import is_miscounted
from irrun.linter.declared import DeclaredPort, agrees, may_be_of_any_rank, offending
from irrun.linter.scopes import once
from irrun.tensor import ElementType, Shape
from irrun.tensor.element_type import BY_NAME, BY_PRECISION

Wrong = Callable[[Context, DeclaredPort], tuple[Edit, ...]]
"""Returns the edits that correct a port; none where it is right."""


def declared_at(found: Diagnostic, context: Context) -> DeclaredPort | None:
    """Return the port that a finding points at, by its element or that of a dim."""
    element = found.anchor.element
    return None if element is None else _outputs(context).get(element) or _inputs(context).get(element)


def corrected_dims(
    item: DeclaredPort, shape: Shape, context: Context, dependents: Dependents | None = None
) -> Fix | None:
    """Write the dims of a shape, here and in the dependent ports that contradict their inferred dims."""
    edits = sizes(item, shape, context)
    return _with_consequences(item, edits, str(shape), _wrong_dims, context, dependents)


def corrected_precision(item: DeclaredPort, context: Context, dependents: Dependents | None = None) -> Fix | None:
    """Write the inferred precision, here and in the dependent ports that contradict their inferred precision."""
    if not item.fact.type.is_known:
        return None
    content = _spelt(item.port, item.fact.type)
    edits = context.editor.value(item.port.element, "precision", content)
    return _with_consequences(item, edits, content, _wrong_precision, context, dependents)


def sizes(item: DeclaredPort, shape: Shape, context: Context) -> tuple[Edit, ...]:
    """Write the dims of a shape to a port; unknown ones as at the other end of the edge, or as -1.

    Where the rank is wrong, all dims are those of the other end.
    """
    axes = offending(item.port, shape)
    if axes == () or shape.dims is None:
        return ()
    others = {port.dims for port in _other_ends(item, context) if offending(port, shape) == ()}
    spare = others.pop() if len(others) == 1 else None
    if axes is None and spare is not None:
        return context.editor.sizes(item.port, spare, axes)
    texts = spare or ("-1",) * len(shape.dims)
    exact = [str(dim.lo) if dim.is_static else text for dim, text in zip(shape.dims, texts, strict=True)]
    return context.editor.sizes(item.port, exact, axes)


def is_output(item: DeclaredPort, context: Context) -> bool:
    return _outputs(context).get(item.port.element) is item


def _wrong_dims(context: Context, item: DeclaredPort) -> tuple[Edit, ...]:
    if is_miscounted(item, context):
        return ()
    if not item.port.dims and is_output(item, context) and may_be_of_any_rank(item):
        return ()
    return sizes(item, item.fact.shape, context)


def _wrong_precision(context: Context, item: DeclaredPort) -> tuple[Edit, ...]:
    if agrees(item.port, item.fact.type):
        return ()
    return context.editor.value(item.port.element, "precision", _spelt(item.port, item.fact.type))


def _other_ends(item: DeclaredPort, context: Context) -> Iterator[PortElement]:
    if is_output(item, context):
        yield from (port for _, port in item.fed)
    elif item.feeder is not None:
        yield item.feeder


def _with_consequences(
    item: DeclaredPort,
    edits: tuple[Edit, ...],
    content: str,
    wrong: Wrong,
    context: Context,
    dependents: Dependents | None,
) -> Fix | None:
    """Return a fix with the edits of a port and of those that depend on it; None where one is of a layer that refuses
    what arrives: the inferred dims would not make the file right.
    """
    if not edits or context.fails(layer_ref(item.layer)):
        return None
    if not is_output(item, context):
        return Fix(f"write {content}", edits)
    behind = (dependents or Dependents(context)).of(item)
    faulty = [(other, found) for other in behind if (found := wrong(context, other))]
    if any(context.fails(layer_ref(other.layer)) for other, _ in faulty):
        return None
    others = [found for _, found in faulty]
    if not others:
        return Fix(f"write {content}", edits)
    more = f"{len(others)} more port{'s' if len(others) > 1 else ''}"
    return Fix(f"write {content}, and fix {more}", _unique((*edits, *(edit for found in others for edit in found))))


class Dependents:
    """The ports whose dims or precisions follow from reported ones.

    Each belongs to one finding: the first that it depends on, or where a layer downstream has a finding of its own, to
    that one. ``reported`` are the ports with a finding.
    """

    def __init__(self, context: Context, reported: Iterable[DeclaredPort | None] = ()) -> None:
        self._context = context
        outputs = (item for item in reported if item is not None and is_output(item, context))
        self._reported = frozenset(item.layer.element for item in outputs)
        self._reached: set[tuple[int, int, bool]] = set()

    def of(self, item: DeclaredPort) -> Iterator[DeclaredPort]:
        """Yield the other outputs of the layer, and the ports downstream that belong to no other finding."""
        ports = _ports_by_feeder(self._context)
        for layer in self._layers(item):
            yield from (other for other in ports.get(layer, ()) if other.port is not item.port)

    def _layers(self, item: DeclaredPort) -> list[int]:
        """Return the elements of the layer and of those downstream, in the bodies around it and in theirs too."""
        found = {item.layer.element: None}
        waiting = [*self._inside(item.facts, item.outlet.node), *self._behind(item.facts, item.outlet.node)]
        while waiting:
            facts, number, with_bodies = waiting.pop()
            if not self._reached.isdisjoint({(id(facts), number, True), (id(facts), number, with_bodies)}):
                continue
            self._reached.add((id(facts), number, with_bodies))
            if with_bodies:
                waiting += self._inside(facts, number)
            layer = facts.graph.node(number).layer
            if layer is not None and layer.element in self._reported:
                continue
            if layer is not None:
                found[layer.element] = None
            waiting += self._behind(facts, number)
        return list(found)

    def _inside(self, facts: Facts, number: int) -> Iterator[tuple[Facts, int, bool]]:
        """Yield the nodes in the bodies of a node."""
        for tag in facts.graph.node(number).bodies:
            inner = facts.bodies.get((number, tag))
            if inner is not None:
                yield from ((inner, node.id, True) for node in inner.graph.ordered())

    def _behind(self, facts: Facts, number: int) -> Iterator[tuple[Facts, int, bool]]:
        """Yield the consumers of a node, and the node whose body it is in, which is visited without its bodies."""
        yield from ((facts, target, True) for target in facts.graph.successors(number))
        owner = _owners(self._context).get(id(facts))
        if owner is not None:
            yield (*owner, False)


@once
def _owners(context: Context) -> Mapping[int, tuple[Facts, int]]:
    """Return the node that has a body, and its facts, by the identity of the facts of the body."""
    found: dict[int, tuple[Facts, int]] = {}
    waiting = [context.facts]
    while waiting:
        facts = waiting.pop()
        found.update({id(inner): (facts, node) for (node, _), inner in facts.bodies.items()})
        waiting += facts.bodies.values()
    return found


@once
def _ports_by_feeder(context: Context) -> Mapping[int, Sequence[DeclaredPort]]:
    """Return the ports that hold the outputs of a layer, its own and those they feed, by the element of the layer."""
    found: dict[int, list[DeclaredPort]] = {}
    for item in (*context.outputs, *context.inputs):
        layer = item.facts.graph.node(item.outlet.node).layer
        if layer is not None:
            found.setdefault(layer.element, []).append(item)
    return found


@once
def _outputs(context: Context) -> Mapping[int, DeclaredPort]:
    return _by_element(context.outputs)


@once
def _inputs(context: Context) -> Mapping[int, DeclaredPort]:
    return _by_element(context.inputs)


def _by_element(items: Sequence[DeclaredPort]) -> dict[int, DeclaredPort]:
    """Return ports by the elements of the port and of its dims."""
    return {element: item for item in items for element in (item.port.element, *item.port.dim_elements)}


def _spelt(port: PortElement, type: ElementType) -> str:
    """Return the precision in the port's spelling: ``FP32``, or ``f32`` where it uses such a name."""
    by_name = port.precision in BY_NAME and port.precision not in BY_PRECISION
    return type.name if by_name else type.precision


def _unique(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    return tuple(sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end)))

"""Corrections of declared ports, together with the ports that follow from them.

Safe fixes change only what OpenVINO does not read, or refuses: the dims and precisions of ports. Fixes that change the
model as OpenVINO reads it, such as the name of an attribute, are unsafe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from irrun.diagnostics import Diagnostic, Edit, Fix
from irrun.document.records import PortElement
from irrun.inference import Facts
from irrun.linter.context import Context
from irrun.linter.declared import DeclaredPort, agrees, is_miscounted, may_be_of_any_rank, offending
from irrun.linter.scopes import once
from irrun.tensor import ElementType, Shape
from irrun.tensor.element_type import BY_NAME, BY_PRECISION

Wrong = Callable[[Context, DeclaredPort], tuple[Edit, ...]]
"""Returns the edits that correct a port; none where it is right."""


def declared_at(found: Diagnostic, context: Context) -> DeclaredPort | None:
    """Return the port that a finding points at, by its element or that of a dim."""
    element = found.anchor.element
    return None if element is None else _outputs(context).get(element) or _inputs(context).get(element)


def corrected_dims(item: DeclaredPort, shape: Shape, context: Context) -> Fix | None:
    """Write the dims of a shape, here and in every dependent port that contradicts its inferred dims."""
    return _with_consequences(item, sizes(item, shape, context), str(shape), _wrong_dims, context)


def corrected_precision(item: DeclaredPort, context: Context) -> Fix | None:
    """Write the inferred precision, here and in every dependent port that contradicts its inferred precision."""
    if not item.fact.type.is_known:
        return None
    content = _spelt(item.port, item.fact.type)
    edits = context.editor.value(item.port.element, "precision", content)
    return _with_consequences(item, edits, content, _wrong_precision, context)


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
    if is_miscounted(item):
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
    item: DeclaredPort, edits: tuple[Edit, ...], content: str, wrong: Wrong, context: Context
) -> Fix | None:
    if not edits:
        return None
    if not is_output(item, context):
        return Fix(f"write {content}", edits)
    others = [found for other in _behind(item, context) if (found := wrong(context, other))]
    if not others:
        return Fix(f"write {content}", edits)
    more = f"{len(others)} more port{'s' if len(others) > 1 else ''}"
    return Fix(f"write {content}, and fix {more}", _unique((*edits, *(edit for found in others for edit in found))))


def _behind(item: DeclaredPort, context: Context) -> Iterator[DeclaredPort]:
    """Yield the other outputs of the layer, and all ports of the layers downstream."""
    ports = _ports_by_feeder(context)
    for layer in _downstream(item, context):
        yield from (other for other in ports.get(layer, ()) if other.port is not item.port)


def _downstream(item: DeclaredPort, context: Context) -> list[int]:
    """Return the elements of the layer and of the layers downstream of it, in the bodies around it and in theirs too.

    The work is in proportion to what is found.
    """
    owners = _owners(context)
    found: dict[int, None] = {}
    reached: set[tuple[int, int]] = set()
    waiting = [(item.facts, item.outlet.node, True)]
    while waiting:
        facts, number, with_bodies = waiting.pop()
        if (id(facts), number) in reached:
            continue
        reached.add((id(facts), number))
        node = facts.graph.node(number)
        if node.layer is not None:
            found[node.layer.element] = None
        waiting += [(facts, target, True) for target in facts.graph.successors(number)]
        if with_bodies:
            bodies = (inner for tag in node.bodies if (inner := facts.bodies.get((number, tag))) is not None)
            waiting += [(inner, each.id, True) for inner in bodies for each in inner.graph.ordered()]
        if id(facts) in owners:
            waiting.append((*owners[id(facts)], False))
    return list(found)


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

"""Finds constant bounds of slices that stand for a dynamic size of the model's inputs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, NamedTuple

from irrun.diagnostics import Severity
from irrun.graph import Outlet
from irrun.linter.context import Context
from irrun.linter.scopes import InferredLayer, Scope, constant_nodes, inferred_layers
from irrun.linter.shape_paths import named, spelt
from irrun.ops._declared.movement.slice import Slice
from irrun.ops._declared.movement.slicing import bounds_of
from irrun.ops._declared.movement.strided_slice import StridedSlice
from irrun.tensor import UNBOUNDED, Dim, Fact

MOST_FOLLOWED: Final = 256
"""The limit on the layers examined after a slice."""

STOP: Final = 2


class SlicedAxis(NamedTuple):
    """An axis sliced from 0 up to a constant ``stop``; ``size`` is the size of the axis, ``left`` that of the slice."""

    axis: int
    size: Dim
    stop: int
    left: Dim


class HardWired(NamedTuple):
    """A fault of the stop of a slice, the dims of inputs that it stands for, and the port through which they arrive."""

    item: InferredLayer
    what: str
    names: Sequence[str]
    severity: Severity
    reader: int
    port: int


class _Meeting(NamedTuple):
    """A layer where the size of a slice must equal another size, and the port of the other."""

    node: int
    port: int
    size: Dim


def hard_wired(context: Context) -> Iterator[HardWired]:
    """Yield the slices whose constant stop fits only some of the dynamic sizes of the model's inputs."""
    if not any(_is_open(dim) for node in context.bound.graph.parameters for dim in _dims(context, node)):
        return
    constants: dict[int, set[int]] = {}
    for item in inferred_layers(context, "Slice", "StridedSlice"):
        graph = item.scope.graph
        for cut in _cuts(item):
            if cut.size.is_static and id(graph) not in constants:
                constants[id(graph)] = constant_nodes(graph)
            found = _judged(item, cut, constants.get(id(graph), set()))
            if found is not None:
                yield found
                break


def _dims(context: Context, parameter: int) -> Sequence[Dim]:
    fact = context.facts.get(Outlet(parameter, 0))
    return () if fact is None else fact.shape.dims or ()


def _judged(item: InferredLayer, cut: SlicedAxis, constants: Collection[int]) -> HardWired | None:
    name = "stop" if item.node.type == "Slice" else "end"
    bounds = item.inputs[STOP].ints() or ()
    told = f"the constant {name} [{','.join(map(str, bounds))}]"
    if cut.size.is_static:
        is_table = cut.stop > 1 and item.node.id in constants
        meeting = _meeting(item, cut.left, _is_open, constants) if is_table else None
        if meeting is None:
            return None
        what = f"{told} fits only where {spelt(meeting.size)} is 1 or {cut.stop}"
        return HardWired(item, what, named(meeting.size), Severity.WARNING, meeting.node, meeting.port)
    names = named(cut.size)
    if not names or any("(" in atom for atom in names):
        return None
    meeting = _meeting(item, cut.left, lambda size: size == cut.size, None)
    if meeting is not None:
        what = f"{told} fits only where {spelt(cut.size)} is at most {cut.stop}"
        return HardWired(item, what, names, Severity.WARNING, item.node.id, 0)
    spelled = _spells_a_size(item, bounds)
    if cut.stop == 1 and not spelled:
        return None
    what = f"{told} cuts axis {cut.axis} to {cut.stop}, where {spelt(cut.size)} arrives"
    return HardWired(item, what, names, Severity.WARNING if spelled else Severity.INFO, item.node.id, 0)


def _is_open(size: Dim) -> bool:
    names = named(size)
    return not size.is_static and bool(names) and not any("(" in atom for atom in names)


def _cuts(item: InferredLayer) -> Iterator[SlicedAxis]:
    """Yield the axes sliced from 0 up to a constant stop that is, or may be, less than their size."""
    dims, left = item.inputs[0].shape.dims, item.outputs[0].shape.dims
    if dims is None or left is None:
        return
    for axis, kept, start, stop in _bounds(item):
        if start == 0 and 0 < stop < UNBOUNDED and dims[axis].hi > stop:
            yield SlicedAxis(axis, dims[axis], stop, left[kept])


def _spells_a_size(item: InferredLayer, bounds: Sequence[int]) -> bool:
    """Return whether a stop is the fixed size of its axis, as in bounds derived from a shape."""
    dims = item.inputs[0].shape.dims or ()
    whole = (dims[axis] == stop for axis, _, start, stop in _bounds(item) if start == 0 and stop > 1)
    return len(bounds) > 1 and any(whole)


def _bounds(item: InferredLayer) -> Iterator[tuple[int, int, int, int]]:
    """Yield the axis, its index in the result, start and stop of each axis sliced by constants with a step of 1."""
    op = item.node.op
    if len(item.inputs) <= STOP:
        return
    firsts, lasts = _exact(item.inputs[1]), _exact(item.inputs[STOP])
    paces = _exact(item.inputs[3]) if len(item.inputs) > 3 else None
    rank = item.inputs[0].rank
    if firsts is None or lasts is None or rank is None or (paces is None and len(item.inputs) > 3):
        return
    paces = paces if paces is not None else [1] * len(firsts)
    if isinstance(op, Slice):
        axes = item.inputs[4].ints() if len(item.inputs) > 4 else tuple(range(len(firsts)))
        for axis, first, last, pace in zip(axes or (), firsts, lasts, paces, strict=False):
            if pace == 1:
                yield axis % rank, axis % rank, first, last
    elif isinstance(op, StridedSlice):
        for axis, kept, position in op.sliced_axes(rank, len(firsts)):
            masked = position < len(op.begin_mask) and op.begin_mask[position] == 1
            open_end = position < len(op.end_mask) and op.end_mask[position] == 1
            if paces[position] == 1 and not open_end:
                yield axis, kept, 0 if masked else firsts[position], lasts[position]


def _exact(fact: Fact) -> list[int] | None:
    known = bounds_of(fact)
    return None if known is None or not all(bound.is_static for bound in known) else [bound.lo for bound in known]


def _meeting(
    item: InferredLayer, size: Dim, fits: Callable[[Dim], bool], among: Collection[int] | None
) -> _Meeting | None:
    """Return the first layer after a slice where its size is combined with another one that ``fits``.

    Only the nodes in ``among`` are examined, where given.
    """
    scope = item.scope
    if scope.facts is None:
        return None
    seen = {item.node.id}
    waiting = [item.node.id]
    for id in waiting:
        for port in range(scope.graph.node(id).outputs):
            fact = scope.facts.get(Outlet(id, port))
            if fact is None or fact.shape.dims is None or size not in fact.shape.dims:
                continue
            for target, input in scope.graph.consumers(Outlet(id, port)):
                found = _met(scope, target, input, size, fits)
                if found is not None:
                    return found
                if target in seen or len(seen) >= MOST_FOLLOWED:
                    continue
                seen.add(target)
                if among is None or target in among:
                    waiting.append(target)
    return None


def _met(scope: Scope, target: int, input: int, size: Dim, fits: Callable[[Dim], bool]) -> _Meeting | None:
    op = scope.graph.node(target).op
    if scope.facts is None or getattr(op, "auto_broadcast", None) != "numpy":
        return None
    facts = scope.facts.inputs(target)
    own = facts[input]
    if own is None or own.shape.dims is None:
        return None
    for port, other in enumerate(facts):
        if port == input or other is None or other.shape.dims is None:
            continue
        for ours, theirs in zip(reversed(own.shape.dims), reversed(other.shape.dims), strict=False):
            if ours == size and fits(theirs):
                return _Meeting(target, port, theirs)
    return None

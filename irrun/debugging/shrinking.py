"""Smaller shapes and plainer constants for a case, while its fault stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from irrun.debugging.cases import REFUSALS, Case, Shows, layers_of
from irrun.debugging.cutting import constant_nodes, model_of
from irrun.editing import MutableGraph
from irrun.graph import Outlet
from irrun.jobs.progress import working
from irrun.model import Loaded
from irrun.ops._declared.infrastructure.const import Const, HeldConst
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.tensor import Array, Fact, Shape

_FEW: Final = 64
"""The number of elements up to which an integer constant may hold sizes."""

_MOST_ROUNDS: Final = 40

_MOST_CHECKS: Final = 600

_SAME: Final = 2.0**-8
"""The relative error up to which a constant of fewer bits means the same."""

_INPUTS: Final = -1

Role = tuple[int, int]
"""The reader of a constant: the place of the layer, counted from the last one, and its input."""


class TensorAxis(NamedTuple):
    """An axis of a tensor: of an input, or of a constant of one of the models (``side``), by place."""

    side: int
    place: int
    axis: int


class AxisPart(NamedTuple):
    """The elements of an axis that are kept: ``wanted`` of ``size``, from ``start`` on."""

    size: int
    start: int
    wanted: int


def shrunk(case: Case, shows: Shows) -> Case:
    """Return a case with smaller axes and plainer constants that still shows its fault.

    The constants that two models read at the same input of the same layer are shrunk together, however each has them:
    as floats of 32 or 16 bits, or as integers with scales and zero points.
    """
    with working("shrinking", unit="checks") as add:
        left = _MOST_CHECKS

        def is_shown(smaller: Case | None) -> bool:
            nonlocal left
            if smaller is None or left == 0:
                return False
            left -= 1
            add(1)
            return shows(smaller)

        for _ in range(_MOST_ROUNDS):
            smaller = next((some for some in _smaller(case) if is_shown(some)), None)
            if smaller is None:
                break
            case = smaller
        for role in dict.fromkeys(role for model in case.models for role in roles_of(model).values()):
            for value in (0.0, 1.0):
                plainer = _plain(case, role, value)
                if plainer is not None and is_shown(plainer):
                    case = plainer
                    break
    return case


def constants_of(model: Loaded) -> list[int]:
    """Return the constants of a model, in topological order."""
    return [node.id for node in model.graph.ordered() if isinstance(node.op, Const)]


def roles_of(model: Loaded) -> dict[int, Role]:
    """Return where each constant is read by a layer that is not constant, through constant layers."""
    graph, constant = model.graph, constant_nodes(model.graph)
    places = {id: place for place, id in enumerate(reversed(layers_of(model)))}
    found: dict[int, Role] = {}
    for id in constants_of(model):
        waiting, seen = [id], {id}
        while waiting:
            inlets = [inlet for outlet in model.facts.outlets(waiting.pop(0)) for inlet in graph.consumers(outlet)]
            role = next(((places[at], port) for at, port in inlets if at in places), None)
            if role is not None:
                found[id] = role
                break
            waiting += [at for at, _ in inlets if at in constant and at not in seen]
            seen.update(waiting)
    return found


def _smaller(case: Case) -> Iterator[Case | None]:
    """Yield cases in which axes of a size are shorter."""
    axes = dict(_axes(case))
    roles = [_by_place(model) for model in case.models]
    for size in sorted({size for size in axes.values() if size > 1}, reverse=True):
        for group in _groups([axis for axis, own in axes.items() if own == size], roles):
            for wanted in dict.fromkeys((1, 2, size // 2)):
                for start in dict.fromkeys((0, size // 2, size - wanted)) if wanted < size else ():
                    yield _shortened(case, group, AxisPart(size, start, wanted), with_values=False)
                    yield _shortened(case, group, AxisPart(size, start, wanted), with_values=True)


def _by_place(model: Loaded) -> dict[int, Role]:
    """Return the roles of constants by their places."""
    roles = roles_of(model)
    return {place: roles[id] for place, id in enumerate(constants_of(model)) if id in roles}


def _groups(axes: Sequence[TensorAxis], roles: Sequence[Mapping[int, Role]]) -> list[list[TensorAxis]]:
    """Return axes of a size that may be shortened at once: all, those of the inputs, and those of the same role."""
    inputs = [item for item in axes if item.side == _INPUTS]
    alike: dict[Role | None, list[TensorAxis]] = {}
    for item in axes:
        if item.side != _INPUTS:
            alike.setdefault(roles[item.side].get(item.place), []).append(item)
    parts = [inputs, *alike.values()]
    groups = [list(axes), *parts, *([*inputs, *part] for part in alike.values())]
    for part in parts:
        by_axis: dict[tuple[int, int], list[TensorAxis]] = {}
        for item in part:
            by_axis.setdefault((item.place if item.side == _INPUTS else 0, item.axis), []).append(item)
        groups += by_axis.values()
    kept = {frozenset(group): group for group in groups if group}
    return list(kept.values())


def _axes(case: Case) -> Iterator[tuple[TensorAxis, int]]:
    model = case.model
    for place, id in enumerate(model.graph.parameters):
        dims = model.facts[Outlet(id, 0)].shape.dims or ()
        yield from ((TensorAxis(_INPUTS, place, axis), dim.lo) for axis, dim in enumerate(dims) if dim.is_static)
    for side, model in enumerate(case.models):
        for place, id in enumerate(constants_of(model)):
            shape = model.facts[Outlet(id, 0)].shape.static
            yield from ((TensorAxis(side, place, axis), size) for axis, size in enumerate(shape))


def _shortened(case: Case, axes: Sequence[TensorAxis], part: AxisPart, *, with_values: bool) -> Case | None:
    """Return a case with a part of some axes; None where that is not a model.

    ``with_values`` replaces the old size in integer constants, too.
    """
    models = []
    try:
        for side, model in enumerate(case.models):
            mine = [item for item in axes if item.side in (_INPUTS, side)]
            edited = _edited(model, side, mine, part, with_values=with_values)
            if edited is None:
                return None
            models.append(edited)
    except REFUSALS:
        return None
    inputs = case.inputs
    if inputs is not None:
        inputs = tuple(_cut(array, axes, _INPUTS, place, part) for place, array in enumerate(inputs))
    return Case(tuple(models), inputs)


def _edited(
    model: Loaded, side: int, axes: Sequence[TensorAxis], part: AxisPart, *, with_values: bool
) -> Loaded | None:
    edited = MutableGraph(model.graph, model.facts, model.weights)
    for place, id in enumerate(model.graph.parameters):
        mine = [item.axis for item in axes if item.side == _INPUTS and item.place == place]
        fact = model.facts[Outlet(id, 0)]
        if mine and fact.shape.dims is not None:
            shape = Shape([part.wanted if axis in mine else dim for axis, dim in enumerate(fact.shape.dims)])
            edited.update(model.graph.node(id)._replace(op=Parameter(element_type=fact.type, shape=shape), layer=None))
            edited.give(id, [Fact(fact.type, shape)])
    is_changed = False
    for place, id in enumerate(constants_of(model)):
        fact = model.facts[Outlet(id, 0)]
        if fact.constant is None:
            return None
        values = _cut(fact.constant, axes, side, place, part)
        if with_values and values.dtype.kind in "iu" and values.size <= _FEW and (values == part.size).any():
            values = np.where(values == part.size, np.array(part.wanted, values.dtype), values)
            is_changed = True
        if values is not fact.constant:
            hold(edited, id, Fact.of(fact.type, values))
    if with_values and not is_changed:
        return None
    graph, facts = edited.freeze()
    if facts.diagnostics or not all(fact.type.is_known for fact in facts.results()):
        return None
    return model_of(model, graph, facts)


def hold(edited: MutableGraph, id: int, fact: Fact) -> None:
    """Give a constant another value."""
    edited.update(edited.node(id)._replace(op=HeldConst.of(fact), layer=None))
    edited.give(id, [fact])


def _cut(array: Array, axes: Sequence[TensorAxis], side: int, place: int, part: AxisPart) -> Array:
    mine = {item.axis for item in axes if item.side == side and item.place == place}
    if not mine:
        return array
    kept = slice(part.start, part.start + part.wanted)
    return np.ascontiguousarray(
        array[tuple(kept if axis in mine else slice(None) for axis in range(array.ndim))]
    ).reshape([part.wanted if axis in mine else size for axis, size in enumerate(array.shape)])


def _plain(case: Case, role: Role, value: float) -> Case | None:
    """Return a case in which all elements of a float constant are one number.

    None where they are, where a side has no such constant or several, and where that of the other side differs by more
    than rounding.
    """
    models: list[Loaded] = []
    before: Array | None = None
    for model in case.models:
        ids = [id for id, own in roles_of(model).items() if own == role]
        fact = model.facts[Outlet(ids[0], 0)] if len(ids) == 1 else None
        if fact is None or fact.constant is None or not fact.type.is_float or not fact.constant.size:
            return None
        if (fact.constant == value).all() or (before is not None and not _means(before, fact.constant)):
            return None
        before = fact.constant
        edited = MutableGraph(model.graph, model.facts, model.weights)
        hold(edited, ids[0], Fact.of(fact.type, np.full_like(fact.constant, value)))
        graph, facts = edited.freeze()
        models.append(model_of(model, graph, facts))
    return Case(tuple(models), case.inputs)


def _means(array: Array, other: Array) -> bool:
    """Return whether two constants are the same, but for rounding."""
    if array.shape != other.shape:
        return False
    return bool(np.allclose(array.astype(np.float64), other, rtol=_SAME, atol=0, equal_nan=True))

"""Smaller shapes and plainer constants for a case, while its fault stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from irrun.debugging.cases import REFUSALS, Case, Shows
from irrun.debugging.cutting import model_of
from irrun.editing import MutableGraph
from irrun.graph import Outlet
from irrun.jobs.progress import working
from irrun.model import Loaded
from irrun.ops.infrastructure.const import Const, HeldConst
from irrun.ops.infrastructure.parameter import Parameter
from irrun.tensor import Array, Fact, Shape

_FEW: Final = 64
"""The number of elements up to which an integer constant may hold sizes."""

_MOST_ROUNDS: Final = 40


class Axis(NamedTuple):
    """An axis of an input or of a constant, by the place of the tensor."""

    kind: str
    place: int
    axis: int


def shrunk(case: Case, shows: Shows) -> Case:
    """Return a case with smaller axes and plainer constants that still shows its fault."""
    with working("shrinking", unit="checks") as add:

        def is_shown(smaller: Case | None) -> bool:
            add(1)
            return smaller is not None and shows(smaller)

        for _ in range(_MOST_ROUNDS):
            smaller = next((some for some in _smaller(case) if is_shown(some)), None)
            if smaller is None:
                break
            case = smaller
        for place in range(len(constants_of(case.model))):
            plainer = (_plain(case, place, value) for value in (0.0, 1.0))
            case = next((some for some in plainer if some is not None and is_shown(some)), case)
    return case


def constants_of(model: Loaded) -> list[int]:
    """Return the constants of a model, in topological order."""
    return [node.id for node in model.graph.ordered() if isinstance(node.op, Const)]


def _smaller(case: Case) -> Iterator[Case | None]:
    """Yield cases in which all axes of a size, or a single one, are shorter."""
    axes = dict(_axes(case))
    sizes = sorted({size for size in axes.values() if size > 1}, reverse=True)
    for size in sizes:
        chosen = [axis for axis, own in axes.items() if own == size]
        groups = [chosen, *([axis] for axis in chosen)] if len(chosen) > 1 else [chosen]
        for group in groups:
            for wanted in dict.fromkeys((1, 2, size // 2)):
                if wanted < size:
                    yield _shortened(case, group, size, wanted, with_values=False)
                    yield _shortened(case, group, size, wanted, with_values=True)


def _axes(case: Case) -> Iterator[tuple[Axis, int]]:
    model = case.model
    for place, id in enumerate(model.graph.parameters):
        dims = model.facts[Outlet(id, 0)].shape.dims or ()
        yield from ((Axis("input", place, axis), dim.lo) for axis, dim in enumerate(dims) if dim.is_static)
    for place, id in enumerate(constants_of(model)):
        shape = model.facts[Outlet(id, 0)].shape.static
        yield from ((Axis("constant", place, axis), size) for axis, size in enumerate(shape))


def _shortened(case: Case, axes: Sequence[Axis], size: int, wanted: int, *, with_values: bool) -> Case | None:
    """Return a case with some axes cut off at a size; None where that is not a model.

    ``with_values`` replaces the old size in integer constants, too.
    """
    try:
        models = tuple(_edited(model, axes, size, wanted, with_values=with_values) for model in case.models)
    except REFUSALS:
        return None
    if any(model is None for model in models):
        return None
    inputs = case.inputs
    if inputs is not None:
        inputs = tuple(_cut(array, axes, "input", place, wanted) for place, array in enumerate(inputs))
    return Case(tuple(model for model in models if model is not None), inputs)


def _edited(model: Loaded, axes: Sequence[Axis], size: int, wanted: int, *, with_values: bool) -> Loaded | None:
    edited = MutableGraph(model.graph, model.facts, model.weights)
    for place, id in enumerate(model.graph.parameters):
        mine = [item.axis for item in axes if item.kind == "input" and item.place == place]
        fact = model.facts[Outlet(id, 0)]
        if mine and fact.shape.dims is not None:
            shape = Shape([wanted if axis in mine else dim for axis, dim in enumerate(fact.shape.dims)])
            edited.update(model.graph.node(id)._replace(op=Parameter(element_type=fact.type, shape=shape), layer=None))
            edited.give(id, [Fact(fact.type, shape)])
    is_changed = False
    for place, id in enumerate(constants_of(model)):
        fact = model.facts[Outlet(id, 0)]
        if fact.constant is None:
            return None
        values = _cut(fact.constant, axes, "constant", place, wanted)
        if with_values and values.dtype.kind in "iu" and values.size <= _FEW and (values == size).any():
            values = np.where(values == size, np.array(wanted, values.dtype), values)
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


def _cut(array: Array, axes: Sequence[Axis], kind: str, place: int, wanted: int) -> Array:
    mine = {item.axis for item in axes if item.kind == kind and item.place == place}
    if not mine:
        return array
    return np.ascontiguousarray(
        array[tuple(slice(0, wanted if axis in mine else None) for axis in range(array.ndim))]
    ).reshape([wanted if axis in mine else size for axis, size in enumerate(array.shape)])


def _plain(case: Case, place: int, value: float) -> Case | None:
    """Return a case in which all elements of a float constant are one number; None where they are, or differ."""
    models = []
    before: Array | None = None
    for model in case.models:
        ids = constants_of(model)
        fact = model.facts[Outlet(ids[place], 0)] if place < len(ids) else None
        if fact is None or fact.constant is None or not fact.type.is_float or not fact.constant.size:
            return None
        if (fact.constant == value).all() or (before is not None and not np.array_equal(before, fact.constant)):
            return None
        before = fact.constant
        edited = MutableGraph(model.graph, model.facts, model.weights)
        hold(edited, ids[place], Fact.of(fact.type, np.full_like(fact.constant, value)))
        graph, facts = edited.freeze()
        models.append(model_of(model, graph, facts))
    return Case(tuple(models), case.inputs)

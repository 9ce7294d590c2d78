"""Sizes for the open dims of inputs that fit together, found by shape inference alone."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from irrun.diagnostics import IRError, Severity
from irrun.document.weights import Weights
from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts, infer
from irrun.runtime.soundness import sound
from irrun.tensor import Dim, Fact, Shape

Sizes = tuple[tuple[int, ...], ...]
"""Shapes of all inputs."""

Choice = Mapping[str, int]
"""A size for each unknown, by its symbol."""

MOST_TRIES: Final = 400
"""The limit on the sets of sizes that are inferred."""

LEAST_TRIES: Final = 30

MOST_LAYERS: Final = 200_000
"""The limit on the layers of all tries together, beyond ``LEAST_TRIES``."""

BONUS: Final = 20
"""The number of moves that inference of another layer is worth."""

MOST_ELEMENTS: Final = 1 << 26
"""The limit on the elements of an input for which a size is searched."""

MOST_NUMBERS: Final = 16
"""The limit on the elements of a constant, above which they are no numbers of a layer."""

LADDER: Final = (2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32, 48, 64, 96, 128, 192, 224, 256, 384, 512, 1024)
"""Sizes that are tried where the numbers at a layer do not fit."""


def fitting_sizes(
    graph: Graph, facts: Facts, weights: Weights, given: Mapping[int, tuple[int, ...]] | None = None, usual: int = 1
) -> Sizes | None:
    """Return shapes of all inputs for which inference finds no fault; None where none are found.

    ``given`` holds the shapes of some inputs by place. The other open dims are ``usual``, or the nearest bound, if that
    fits. If not, they are searched: at the first layer that does not fit, with the numbers that are known there, which
    are the sizes and values of its inputs, its attributes, and products of these. Choices with which inference gets
    further are continued first. Sizes that were found are then brought back to usual ones where they still fit.

    A model that has faults with open dims gets usual sizes. Inputs of dynamic rank have no sizes.
    """
    of = [facts[Outlet(id, 0)] for id in graph.parameters]
    shapes = [Shape(given[place]) if given and place in given else fact.shape for place, fact in enumerate(of)]
    if any(shape.rank is None for shape in shapes):
        return None
    unknowns = _unknowns(shapes)
    first = {unknown.symbol: unknown.nearest(usual) for unknown in unknowns.values()}
    problem = _Problem(graph, facts, weights, shapes, unknowns)
    if not unknowns or _has_errors(facts):
        return problem.sizes(first)
    found = _searched(problem, first)
    return None if found is None else problem.sizes(found)


@dataclass(frozen=True, slots=True)
class _Unknown:
    """An unknown size, with its bounds, and the last axis of an input that has it."""

    symbol: str
    lo: int
    hi: int
    axis: int

    def nearest(self, size: int) -> int:
        return max(self.lo, min(self.hi, size))


class _Conflict(NamedTuple):
    """The first layer that does not fit its inputs, or one that holds such a layer in a body.

    ``place`` tells how far inference got, also in bodies. ``layers`` are the layer and those in its bodies, each with
    the facts of its inputs for a choice, and with open dims.
    """

    place: tuple[int, ...]
    node: int | None
    layers: tuple[tuple[Node, list[Fact], list[Fact]], ...]


@dataclass(frozen=True, slots=True)
class _Problem:
    graph: Graph
    facts: Facts
    weights: Weights
    shapes: list[Shape]
    unknowns: Mapping[str, _Unknown]

    def sizes(self, choice: Choice) -> Sizes:
        return tuple(
            tuple(
                dim.lo if dim.is_static else max(dim.lo, min(dim.hi, choice[_symbol(dim, place, axis)]))
                for axis, dim in enumerate(shape)
            )
            for place, shape in enumerate(self.shapes)
        )

    def conflict(self, choice: Choice) -> _Conflict | None:
        """Return the first conflict of a choice; None where it fits."""
        given = {
            id: Fact(self.facts[Outlet(id, 0)].type, Shape(sizes))
            for id, sizes in zip(self.graph.parameters, self.sizes(choice), strict=True)
        }
        facts = infer(self.graph, self.weights, given, before=self.facts)
        if _has_errors(facts):
            return _first(self.graph, facts, self.facts)
        try:
            sound(self.graph, facts)
        except IRError:
            return _first(self.graph, facts, self.facts)
        return None

    def moves(self, choice: Choice, conflict: _Conflict) -> Iterator[Choice]:
        """Yield other choices for the sizes on which a conflict depends, those most likely to fit first."""
        if conflict.node is None:
            return
        numbers = list(dict.fromkeys(number for node, now, _ in conflict.layers for number in _numbers(node, now)))
        dims = [dim for _, _, open in conflict.layers for fact in open for dim in _dims(fact)]
        direct = [name for name in self.unknowns if any(name in atom for dim in dims for atom in _atoms(dim))][::-1]
        for number in numbers:
            for dim, name in itertools.product(dims, direct):
                size = _solution(dim, name, choice, number)
                if size is not None:
                    yield {**choice, name: size}
            for group in _groups(direct, self.unknowns):
                yield {**choice, **dict.fromkeys(group, number)}
        above = self.graph.upstream([conflict.node])
        reaching = {
            _symbol(dim, place, axis)
            for place, (id, shape) in enumerate(zip(self.graph.parameters, self.shapes, strict=True))
            for axis, dim in enumerate(shape)
            if id in above and not dim.is_static
        }
        rest = [name for name in self.unknowns if name in reaching and name not in direct][::-1]
        for names, sizes in ((direct, LADDER), (rest, (*numbers, *LADDER))):
            for size, group in itertools.product(sizes, _groups(names, self.unknowns)):
                yield {**choice, **dict.fromkeys(group, size)}

    def admits(self, choice: Choice) -> bool:
        """Return whether sizes are positive, within their bounds, and no input is too large."""
        if any(not max(unknown.lo, 1) <= choice[unknown.symbol] <= unknown.hi for unknown in self.unknowns.values()):
            return False
        return all(math.prod(sizes) <= MOST_ELEMENTS for sizes in self.sizes(choice))


def _searched(problem: _Problem, first: Choice) -> Choice | None:
    """Return a choice that fits, by a best-first search; None where nothing is left to try, or there were too many.

    The n-th move of a choice costs n, in addition to the cost of the choice, less a bonus if inference gets further.
    """
    conflict = problem.conflict(first)
    if conflict is None:
        return first
    tries = max(LEAST_TRIES, min(MOST_TRIES, MOST_LAYERS // len(problem.graph)))
    count = itertools.count()
    queue = [(0, next(count), problem.moves(first, conflict), conflict.place)]
    seen = {tuple(first.values())}
    while queue and tries:
        cost, _, moves, place = heapq.heappop(queue)
        move = next((move for move in moves if tuple(move.values()) not in seen and problem.admits(move)), None)
        if move is None:
            continue
        tries -= 1
        seen.add(tuple(move.values()))
        reached = problem.conflict(move)
        if reached is None:
            return _reduced(problem, move, first, max(tries, LEAST_TRIES))
        bonus = BONUS if reached.place > place else 0
        heapq.heappush(queue, (cost + 1, next(count), moves, place))
        furthest = max(place, reached.place)
        heapq.heappush(queue, (cost + 1 - bonus, next(count), problem.moves(move, reached), furthest))
    return None


def _reduced(problem: _Problem, choice: Choice, first: Choice, tries: int) -> Choice:
    """Return a choice that fits, with sizes as near to the first as can be: equal ones together, then each alone."""
    equal = [[name for name in choice if choice[name] == size] for size in dict.fromkeys(choice.values())]
    for names in (*(names for names in equal if len(names) > 1), *([name] for name in choice)):
        size = choice[names[0]]
        least = first[names[0]]
        for nearer in (least, *(step for step in LADDER if least < step < size)) if size != least else ():
            if not tries:
                return choice
            tries -= 1
            candidate = {**choice, **dict.fromkeys(names, nearer)}
            if problem.admits(candidate) and problem.conflict(candidate) is None:
                choice = candidate
                break
    return choice


def _unknowns(shapes: Iterable[Shape]) -> dict[str, _Unknown]:
    found: dict[str, _Unknown] = {}
    for place, shape in enumerate(shapes):
        for axis, dim in enumerate(shape):
            if dim.is_static:
                continue
            symbol = _symbol(dim, place, axis)
            known = found.get(symbol)
            if known is None:
                found[symbol] = _Unknown(symbol, dim.lo, dim.hi, axis)
            else:
                lo, hi = max(known.lo, dim.lo), min(known.hi, dim.hi)
                found[symbol] = replace(known, lo=lo, hi=hi, axis=max(known.axis, axis))
    return found


def _symbol(dim: Dim, place: int, axis: int) -> str:
    match dim.expr:
        case (((str(symbol),), 1),):
            return symbol
    return f"{place}[{axis}]"


def _has_errors(facts: Facts) -> bool:
    return any(item.severity is Severity.ERROR for item in facts.diagnostics)


def _first(graph: Graph, facts: Facts, open: Facts | None) -> _Conflict:
    """Return the first conflict of a graph; one without a node where none is found."""
    for place, node in enumerate(graph.ordered()):
        sources = [outlet for outlet in graph.sources(node.id) if outlet is not None]
        if node.op is None or node.id in graph.results or any(facts.get(outlet) is None for outlet in sources):
            continue
        inner = [
            _first(body.graph, within, None if open is None else open.bodies.get((node.id, tag)))
            for tag, body in node.bodies.items()
            if (within := facts.bodies.get((node.id, tag))) is not None and _has_errors(within)
        ]
        if inner or len(facts.outlets(node.id)) < max(node.outputs, 1):
            before = [] if open is None else [fact for fact in open.inputs(node.id) if fact is not None]
            now = [fact for fact in facts.inputs(node.id) if fact is not None]
            places = inner[0].place if inner else ()
            deeper = [layer for conflict in inner for layer in conflict.layers]
            return _Conflict((place, *places), node.id, (*deeper, (node, now, before)))
    return _Conflict((len(graph),), None, ())


def _numbers(node: Node, inputs: Iterable[Fact]) -> Iterator[int]:
    """Yield the positive numbers at a layer, and products of those that stand together."""
    lists: list[list[int]] = []
    for fact in inputs:
        lists.append([dim.lo for dim in fact.shape.dims or () if dim.is_static])
        if fact.is_constant and fact.value is not None and fact.type.is_integer and fact.value.size <= MOST_NUMBERS:
            lists.append([int(value) for value in fact.value.reshape(-1)])
    for attribute in () if node.op is None else node.op.spec.attributes:
        value = getattr(node.op, attribute.field)
        items = value if isinstance(value, tuple | list) else (value,)
        lists.append([item for item in items if isinstance(item, int) and not isinstance(item, bool)])
    large = [[number for number in numbers if number > 1] for numbers in lists]
    yield from itertools.chain.from_iterable(large)
    for numbers in large:
        yield math.prod(numbers)
        yield from (a * b for a, b in itertools.combinations(numbers, 2))
    yield 1


def _dims(fact: Fact) -> Iterator[Dim]:
    """Yield the open dims of a fact, the number of its elements, and the unknown elements of its value."""
    if fact.shape.dims is not None and not fact.shape.is_static:
        yield from (dim for dim in fact.shape.dims if not dim.is_static)
        yield fact.shape.size
    if fact.value is not None and fact.value.dtype == object:
        yield from (item for item in fact.value.reshape(-1) if isinstance(item, Dim))


def _atoms(dim: Dim) -> Iterator[str]:
    for monomial, _ in dim.expr or ():
        yield from monomial


def _solution(dim: Dim, name: str, choice: Choice, target: int) -> int | None:
    """Return the size of an unknown for which a dim that is linear in it has a value; None where there is none."""
    slope, offset = 0, -target
    for monomial, factor in dim.expr or ():
        others = [choice.get(atom) for atom in monomial if atom != name]
        if None in others or monomial.count(name) > 1:
            return None
        product = factor * math.prod(size for size in others if size is not None)
        if name in monomial:
            slope += product
        else:
            offset += product
    return -offset // slope if slope and offset % slope == 0 else None


def _groups(names: list[str], unknowns: Mapping[str, _Unknown]) -> list[list[str]]:
    """Return the unknowns that change together: each alone, spatial ones, all but batches, and all."""
    groups = [[name] for name in names]
    for axis in (2, 1, 0):
        group = [name for name in names if unknowns[name].axis >= axis]
        if len(group) > 1 and group not in groups:
            groups.append(group)
    return groups
